import { readFileSync, writeFileSync } from 'node:fs'

/**
 * Names every platform's optional package in package-lock.json. A registry that mirrors one platform
 * makes npm leave the others out, and `npm ci` then refuses the lock file. Run after `npm install`.
 */

interface Entry {
  version?: string
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
