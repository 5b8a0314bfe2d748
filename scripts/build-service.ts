import { cpSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'

// `npm run build`: the service in dist/cli, in few files (ADR 85). What it loads from beside itself, the
// programs of its threads and the migrations, is in the same folder.

const ROOT = join(import.meta.dirname, '..')
const OUT = join(ROOT, 'dist/cli')
const MIGRATIONS = 'src/adapters/clickhouse/migrations'
const PROGRAMS = {
  main: 'src/cli/main.ts',
  'block-worker': 'src/adapters/embedded/threads/block-worker.ts',
  'signature-worker': 'src/adapters/embedded/threads/signature-worker.ts',
}

rmSync(OUT, { recursive: true, force: true })
await build({
  absWorkingDir: ROOT,
  entryPoints: PROGRAMS,
  outdir: OUT,
  bundle: true,
  splitting: true,
  packages: 'external',
  platform: 'node',
  format: 'esm',
  target: 'node20',
  sourcemap: true,
  sourcesContent: false,
  logLevel: 'warning',
})
cpSync(join(ROOT, MIGRATIONS), join(OUT, 'migrations'), { recursive: true })
