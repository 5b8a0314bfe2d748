import { execFile } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { type BuildOptions, build, type Plugin } from 'esbuild'
import ts from 'typescript'
import { ROOT } from '../tree.ts'

const run = promisify(execFile)
const PACKAGE = path.join(ROOT, 'clients/typescript')
const MODULES = path.join(ROOT, 'node_modules')

const STRICT: ts.CompilerOptions = {
  lib: ['lib.es2022.d.ts', 'lib.dom.d.ts'],
  module: ts.ModuleKind.NodeNext,
  noEmit: true,
  skipDefaultLibCheck: true,
  strict: true,
  target: ts.ScriptTarget.ES2022,
  types: [],
}

/** The client as another project would install it: packed, and unpacked beside its dependencies. */
export interface PackedClient {
  /** Files of the package, by their paths in it, sorted. */
  files: string[]
  /**
   * A Node program from a file of this repository that imports the client; the package stays
   * external.
   */
  programOf(source: string): Promise<string>
  /** The same for a page, in one file; it exports as `client`. */
  scriptOf(source: string): Promise<string>
  /** A file beside the installed package, and the options of a strict compiler for it. */
  consumer(text: string): { file: string; options: ts.CompilerOptions }
  drop(): void
}

interface Packed {
  filename: string
  files: { path: string }[]
}

export async function packClient(): Promise<PackedClient> {
  const folder = mkdtempSync(path.join(tmpdir(), 'market-client-'))
  const packed = path.join(folder, 'node_modules/psbt-market-client')
  const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', folder], {
    cwd: PACKAGE,
  })
  const [{ filename, files }] = JSON.parse(stdout) as [Packed]
  mkdirSync(packed, { recursive: true })
  await run('tar', ['-xzf', path.join(folder, filename), '--strip-components=1', '-C', packed])
  linkDependencies(packed, path.join(folder, 'node_modules'))
  const written = async (source: string, name: string, options: BuildOptions) => {
    const outfile = path.join(folder, name)
    await build({
      ...options,
      entryPoints: [path.join(ROOT, source)],
      bundle: true,
      outfile,
      plugins: [packageFor(packed)],
      logLevel: 'error',
    })
    return outfile
  }
  return {
    files: files.map((file) => file.path).sort(),
    programOf: (source) =>
      written(source, 'program.mjs', { format: 'esm', platform: 'node', packages: 'external' }),
    async scriptOf(source) {
      const options = { format: 'iife', platform: 'browser', globalName: 'client' } as const
      return readFileSync(await written(source, 'script.js', options), 'utf8')
    },
    consumer: (text) => {
      const file = path.join(folder, 'consumer.ts')
      writeFileSync(path.join(folder, 'package.json'), '{ "type": "module" }')
      writeFileSync(file, text)
      return { file, options: STRICT }
    },
    drop: () => rmSync(folder, { recursive: true, force: true }),
  }
}

/** The package's dependencies and theirs, as installed here. */
function linkDependencies(packed: string, into: string): void {
  const manifest = JSON.parse(readFileSync(path.join(packed, 'package.json'), 'utf8'))
  for (const name of Object.keys(manifest.dependencies ?? {})) {
    const from = path.join(MODULES, name)
    const to = path.join(into, name)
    if (existsSync(to)) continue
    mkdirSync(path.dirname(to), { recursive: true })
    symlinkSync(from, to)
  }
}

/** Sources import the client by its path: here that resolves to the package. */
const packageFor = (packed: string): Plugin => ({
  name: 'packed-client',
  setup({ onResolve, resolve, initialOptions }) {
    onResolve({ filter: /clients\/typescript\/src\/index\.ts$/ }, async ({ kind }) =>
      initialOptions.packages === 'external'
        ? { path: 'psbt-market-client', external: true }
        : resolve('psbt-market-client', { kind, resolveDir: path.dirname(path.dirname(packed)) }),
    )
  },
})
