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
import { type BuildOptions, build, buildSync } from 'esbuild'
import { buildConstants, MIGRATIONS, THREADS } from '../../scripts/service-files.ts'

/** The variable that names the folder of a run: `test/support/bundles-of-run.ts`. */
export const BUNDLES = 'TEST_BUNDLES'

const ROOT = path.resolve(import.meta.dirname, '../..')
const MODULES = path.join(ROOT, 'node_modules')

/** Bundles of tests are the same with git and without. */
export const TEST_COMMIT = '0123456789abcdef0123456789abcdef01234567'
/** Packages that load files of their own, which bundling would lose: loaded as installed. */
const EXTERNAL = ['chdb', 'lmdb', 'pino', 'piscina', 'tiny-secp256k1', 'zeromq']
const REQUIRE = `import { createRequire as requireFrom } from 'node:module'
const require = requireFrom(import.meta.url)`
const PROGRAMS = {
  ...THREADS,
  'crash-child': 'test/support/faults/crash-child.ts',
  market: 'src/cli/main.ts',
  'role-child': 'test/support/services/role-child.ts',
}

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

/** The event loop runs meanwhile: a service in this process would refuse requests as overloaded. */
export async function bundleService(): Promise<Bundle> {
  const known = sharedFolder('service')
  if (known !== null) return bundleIn(known)
  const folder = programFolder()
  await build(optionsOf(PROGRAMS, folder))
  return bundleIn(shared(folder, 'service'))
}

/** One program in few files, with the workers that it may start. Returns its path. */
export function bundleProgram(name: string, source: string): string {
  const known = sharedFolder(name)
  if (known !== null) return path.join(known, `${name}.js`)
  const folder = programFolder()
  buildSync(optionsOf({ ...THREADS, [name]: source }, folder))
  return path.join(shared(folder, name), `${name}.js`)
}

/** In a run of tests all processes share what one has bundled, until the run ends. */
const placeOf = (name: string): string | null => {
  const ofRun = process.env[BUNDLES]
  return ofRun === undefined ? null : path.join(ofRun, name)
}

function sharedFolder(name: string): string | null {
  const place = placeOf(name)
  return place !== null && existsSync(place) ? place : null
}

/** Two may have made the same: the first keeps its place. Returns the folder to be used. */
function shared(folder: string, name: string): string {
  const place = placeOf(name)
  if (place === null) return folder
  try {
    renameSync(folder, place)
  } catch (error) {
    if (!existsSync(place)) throw error
    remove(folder)
  }
  return place
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
    define: buildConstants(TEST_COMMIT),
    external: EXTERNAL,
    banner: { js: REQUIRE },
    logLevel: 'error',
  }) satisfies BuildOptions

/**
 * A folder with the packages and files that programs read from beside themselves. Outside of a run of
 * tests it is removed when this process ends.
 */
function programFolder(): string {
  const folder = folderWith(readdirSync(MODULES))
  if (process.env[BUNDLES] === undefined) process.once('exit', () => remove(folder))
  copyMigrations(path.join(ROOT, MIGRATIONS), folder)
  return folder
}

const copyMigrations = (from: string, folder: string): void =>
  cpSync(from, path.join(folder, path.basename(MIGRATIONS)), { recursive: true })

const bundleIn = (folder: string): Bundle => ({
  crashChild: path.join(folder, 'crash-child.js'),
  market: path.join(folder, 'market.js'),
  roleChild: path.join(folder, 'role-child.js'),
  without: (name) => {
    const other = folderWith(readdirSync(MODULES).filter((module) => module !== name))
    for (const file of readdirSync(folder).filter((name) => name.endsWith('.js'))) {
      copyFileSync(path.join(folder, file), path.join(other, file))
    }
    copyMigrations(path.join(folder, path.basename(MIGRATIONS)), other)
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
