import { cpSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'
import { commitOf } from './commit-of.ts'
import { digestOf } from './digest-of.ts'
import { buildConstants, MIGRATIONS, THREADS } from './service-files.ts'

// `npm run build`: the service in dist/cli, in few files (ADR 85). What it loads from beside itself, the
// programs of its threads and the migrations, is in the same folder. MARKET_COMMIT names the commit where
// there is no clone.

const ROOT = join(import.meta.dirname, '..')
const OUT = join(ROOT, 'dist/cli')

rmSync(OUT, { recursive: true, force: true })
await build({
  absWorkingDir: ROOT,
  entryPoints: { main: 'src/cli/main.ts', ...THREADS },
  outdir: OUT,
  bundle: true,
  splitting: true,
  packages: 'external',
  platform: 'node',
  format: 'esm',
  target: 'node20',
  define: buildConstants(process.env['MARKET_COMMIT'] || commitOf(ROOT)),
  sourcemap: true,
  sourcesContent: false,
  logLevel: 'warning',
})
cpSync(join(ROOT, MIGRATIONS), join(OUT, 'migrations'), { recursive: true })
writeFileSync(join(OUT, 'digest'), `${digestOf(OUT)}\n`)
