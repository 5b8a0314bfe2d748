import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'

/**
 * Names every platform's optional package in package-lock.json. A registry that mirrors one
 * platform makes npm omit the others, and `npm ci` then refuses the lock file. Run after `npm
 * install`. A missing integrity is requested from the registry by exact version; packages it does
 * not have are printed: `test/package-lock.integration.test.ts` has the list of those.
 */

interface Entry {
  version?: string
  integrity?: string
  link?: boolean
  dev?: boolean
  optional?: boolean
  os?: string[]
  cpu?: string[]
  libc?: string[]
  optionalDependencies?: Record<string, string>
}

const PLATFORMS = ['android', 'darwin', 'freebsd', 'linux', 'netbsd', 'openbsd', 'sunos', 'win32']
const CPUS = ['arm', 'arm64', 'ia32', 'loong64', 'ppc64', 'riscv64', 's390x', 'x64']
const LIBC: Record<string, string> = { gnu: 'glibc', glibc: 'glibc', musl: 'musl' }

const MODULES = 'node_modules/'

const file = 'package-lock.json'
const lock = JSON.parse(readFileSync(file, 'utf8')) as { packages: Record<string, Entry> }
const { packages } = lock

for (const [key, parent] of Object.entries(packages)) {
  if (key === '') continue
  for (const [name, spec] of Object.entries(parent.optionalDependencies ?? {})) {
    const place = `node_modules/${name}`
    if (packages[place] || packages[`${key}/${place}`]) continue
    packages[place] = entryOf(name, spec, parent)
    process.stdout.write(`${name} ${spec}\n`)
  }
}

for (const [key, entry] of Object.entries(packages)) {
  if (key === '' || entry.link || entry.integrity !== undefined) continue
  const id = `${key.slice(key.lastIndexOf(MODULES) + MODULES.length)}@${entry.version}`
  const integrity = integrityOf(id)
  const { version = '', ...rest } = entry
  if (integrity !== null) packages[key] = { version, integrity, ...rest }
  process.stdout.write(`${id}: ${integrity ?? 'not in this registry, so without integrity'}\n`)
}

const [root, ...others] = Object.keys(packages).sort()
lock.packages = Object.fromEntries([root, ...others].map((key) => [key, packages[key ?? '']]))
writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`)

function entryOf(name: string, spec: string, { dev }: Entry): Entry {
  const words = name.split(/[-/@_]/)
  const named = (known: readonly string[]) => known.filter((word) => words.includes(word))
  const [os, cpu] = [named(PLATFORMS), named(CPUS)]
  const libc = words.flatMap((word) => LIBC[word] ?? [])
  return {
    version: spec.replace(/^[~^]/, ''),
    ...(cpu.length > 0 && { cpu }),
    ...(dev && { dev }),
    ...(libc.length > 0 && { libc }),
    optional: true,
    ...(os.length > 0 && { os }),
  }
}

/** Null: the registry does not have this version. */
function integrityOf(id: string): string | null {
  try {
    const asked = ['view', id, 'dist.integrity', '--json']
    const answer: unknown = JSON.parse(
      execFileSync('npm', asked, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }),
    )
    return typeof answer === 'string' && answer.startsWith('sha512-') ? answer : null
  } catch {
    return null
  }
}
