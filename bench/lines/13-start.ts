import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { build, type Metafile } from 'esbuild'
import { ServiceProcess } from '../../test/support/services/service-process.ts'
import { compare, type Line } from '../harness/line.ts'
import { processorUsOf } from '../harness/processor-time.ts'
import type { Sample } from '../harness/results.ts'
import { fillViews } from '../rehearsal/start-rows.ts'

const ORDERS = 100_000
const QUICK_ORDERS = 10_000
const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const POLL_MS = 5

export const line: Line = {
  number: 13,
  name: 'start',
  work: 'restart of `ROLE=all` from `dist` with its book on disk, until `/readyz` answers 200',
  peer: '`node` importing the packages that it loads when it starts',
  run: async ({ isQuick, rounds, progress }) => {
    const orders = isQuick ? QUICK_ORDERS : ORDERS
    progress('building')
    execFileSync('npm', ['run', '--silent', 'build'], { cwd: ROOT, stdio: 'inherit' })
    const packages = await packagesOf('src/roles/all-in-one.ts')
    const dataDir = mkdtempSync(join(tmpdir(), 'market-bench-'))
    try {
      progress(`writing ${orders} orders`)
      await fillViews(join(dataDir, 'store'), orders)
      // The first start finds no index of a clean stop (ADR 78): it is not timed.
      await started(dataDir)
      progress('starting')
      return [
        await compare(
          {
            name: '',
            sizes: `${orders} orders; ${packages.length} packages`,
            unit: 'ms',
            ratio: 'ours/peer',
            target: { atMost: 3 },
            rounds,
          },
          () => started(dataDir),
          () => imported(packages),
        ),
      ]
    } finally {
      rmSync(dataDir, { recursive: true, force: true })
    }
  },
}

async function started(dataDir: string): Promise<Sample> {
  const begun = performance.now()
  await using service = new ServiceProcess({ market: join(ROOT, 'dist/cli/main.js') }, ['start'], {
    DATA_DIR: dataDir,
    PORT: '0',
    METRICS_PORT: '0',
  })
  const address = await service.ready()
  while (!(await fetch(`${address}/readyz`)).ok) await delay(POLL_MS)
  const sample = { figure: performance.now() - begun, cpuUs: processorUsOf(service.pid) }
  await service.end('SIGTERM')
  return sample
}

async function imported(packages: readonly string[]): Promise<Sample> {
  const imports = packages.map((name) => `import ${JSON.stringify(name)}`).join('\n')
  const program = `${imports}\nconsole.log('imported')\nsetInterval(() => {}, 1_000)`
  const begun = performance.now()
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  try {
    await once(child.stdout, 'data')
    const figure = performance.now() - begun
    return { figure, cpuUs: child.pid === undefined ? null : processorUsOf(child.pid) }
  } finally {
    child.kill()
    await once(child, 'exit')
  }
}

/** What a module imports statically, directly or through our modules, except Node's own. */
async function packagesOf(entry: string): Promise<string[]> {
  const { metafile } = await build({
    entryPoints: { entry: join(ROOT, entry) },
    outdir: 'out',
    write: false,
    metafile: true,
    bundle: true,
    splitting: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
  })
  const [first = ''] = Object.keys(metafile.outputs).filter((path) => path.endsWith('entry.js'))
  return [...importedBy(metafile, first)].filter((name) => !name.startsWith('node:')).sort()
}

function importedBy({ outputs }: Metafile, first: string): Set<string> {
  const found = new Set<string>()
  const seen = new Set([first])
  for (const output of seen) {
    for (const { path, kind, external } of outputs[output]?.imports ?? []) {
      if (kind !== 'import-statement') continue
      if (external) found.add(path)
      else seen.add(path)
    }
  }
  return found
}
