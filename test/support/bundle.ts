import { mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { build } from 'esbuild'

const ROOT = path.resolve(import.meta.dirname, '../..')

/** Programs with parts of their own that a bundle would lose: loaded as installed. */
const EXTERNAL = ['lmdb', 'chdb', 'zeromq', 'piscina', 'pino', 'tiny-secp256k1']
const REQUIRE = `import { createRequire } from 'node:module'
const require = createRequire(import.meta.url)`

export interface Bundle {
  /** The program of a process that a test starts and kills. */
  crashChild: string
  /** The command line, `src/cli/main.ts`. */
  market: string
  drop(): void
}

/** The service as single files: from the sources, each start would take three times as long. */
export async function bundleService(): Promise<Bundle> {
  const directory = mkdtempSync(path.join(tmpdir(), 'market-bundle-'))
  symlinkSync(path.join(ROOT, 'node_modules'), path.join(directory, 'node_modules'))
  await build({
    entryPoints: {
      'crash-child': path.join(ROOT, 'test/support/crash-child.ts'),
      market: path.join(ROOT, 'src/cli/main.ts'),
      'signature-worker': path.join(ROOT, 'src/adapters/embedded/signature-worker.ts'),
    },
    outdir: directory,
    outExtension: { '.js': '.js' },
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    external: EXTERNAL,
    banner: { js: REQUIRE },
    sourcemap: 'inline',
    sourcesContent: false,
    logLevel: 'error',
  })
  const at = (name: string) => path.join(directory, `${name}.js`)
  return {
    crashChild: at('crash-child'),
    market: at('market'),
    drop: () => rmSync(directory, { recursive: true, force: true }),
  }
}
