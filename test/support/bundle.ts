import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { type BuildOptions, buildSync } from 'esbuild'

/** The variable that names the folder of a run: `test/support/bundles-of-run.ts`. */
export const BUNDLES = 'TEST_BUNDLES'

const ROOT = path.resolve(import.meta.dirname, '../..')
const MODULES = path.join(ROOT, 'node_modules')

/** Packages that load files of their own, which bundling would lose: loaded as installed. */
const EXTERNAL = [
  '@fastify/swagger-ui',
  'chdb',
  'lmdb',
  'pino',
  'piscina',
  'tiny-secp256k1',
  'zeromq',
]
const REQUIRE = `import { createRequire } from 'node:module'
const require = createRequire(import.meta.url)`
/** Threads that programs start, from files next to their own. */
const WORKERS = {
  'block-worker': 'src/adapters/embedded/threads/block-worker.ts',
  'signature-worker': 'src/adapters/embedded/threads/signature-worker.ts',
}
const PROGRAMS = {
  ...WORKERS,
  'crash-child': 'test/support/faults/crash-child.ts',
  market: 'src/cli/main.ts',
  'role-child': 'test/support/services/role-child.ts',
}

/** Files that the service reads from beside its programs. */
const MIGRATIONS = 'migrations'

/** Where the command line is, bundled or built. */
export interface Program {
  market: string
}

/** The service in few files: starting from the sources would take three times as long. */
export interface Bundle extends Program {
  /** The program of a process that a test starts and kills. */
  crashChild: string
  /** The program of a role that kills itself. */
  roleChild: string
  /** The same where a package is not installed. */
  without(name: string): Bundle
  /** Removes it, unless a run of tests shares it. */
  drop(): void
}

export const bundleService = async (): Promise<Bundle> => bundleIn(bundled('service', PROGRAMS))

/** One program in few files, with the workers that it may start. Returns its path. */
export const bundleProgram = (name: string, source: string): string =>
  path.join(bundled(name, { ...WORKERS, [name]: source }), `${name}.js`)

/**
 * The folder of these programs. In a run of tests all processes share it until the run ends; else it
 * is removed when this process ends.
 */
function bundled(name: string, programs: Readonly<Record<string, string>>): string {
  const ofRun = process.env[BUNDLES]
  const shared = ofRun === undefined ? null : path.join(ofRun, name)
  if (shared !== null && existsSync(shared)) return shared
  const folder = programFolder()
  if (shared === null) process.once('exit', () => remove(folder))
  buildSync(optionsOf(programs, folder))
  if (shared !== null) share(folder, shared)
  return shared ?? folder
}

/** Two processes may have made the same: the first keeps its place. */
function share(folder: string, shared: string): void {
  try {
    renameSync(folder, shared)
  } catch (error) {
    if (!existsSync(shared)) throw error
    remove(folder)
  }
}

const remove = (folder: string): void => rmSync(folder, { recursive: true, force: true })

const optionsOf = (programs: Readonly<Record<string, string>>, folder: string) =>
  ({
    entryPoints: Object.fromEntries(
      Object.entries(programs).map(([name, source]) => [name, path.join(ROOT, source)]),
    ),
    outdir: folder,
    bundle: true,
    splitting: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    external: EXTERNAL,
    banner: { js: REQUIRE },
    logLevel: 'error',
  }) satisfies BuildOptions

/** A folder with the packages and files that programs read from beside themselves. */
function programFolder(): string {
  const folder = folderWith(readdirSync(MODULES))
  cpSync(path.join(ROOT, 'src/adapters/clickhouse', MIGRATIONS), path.join(folder, MIGRATIONS), {
    recursive: true,
  })
  return folder
}

const bundleIn = (folder: string): Bundle => ({
  crashChild: path.join(folder, 'crash-child.js'),
  market: path.join(folder, 'market.js'),
  roleChild: path.join(folder, 'role-child.js'),
  without: (name) => {
    const other = folderWith(readdirSync(MODULES).filter((module) => module !== name))
    for (const file of readdirSync(folder).filter((name) => name.endsWith('.js'))) {
      copyFileSync(path.join(folder, file), path.join(other, file))
    }
    cpSync(path.join(folder, MIGRATIONS), path.join(other, MIGRATIONS), { recursive: true })
    return bundleIn(other)
  },
  drop: () => {
    if (process.env[BUNDLES] === undefined) remove(folder)
  },
})

function folderWith(modules: readonly string[]): string {
  const folder = mkdtempSync(path.join(process.env[BUNDLES] ?? tmpdir(), 'market-bundle-'))
  mkdirSync(path.join(folder, 'node_modules'))
  for (const name of modules) {
    symlinkSync(path.join(MODULES, name), path.join(folder, 'node_modules', name))
  }
  return folder
}
