import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { exitOnSignals, ownTemporaryFolder } from '../test/support/processes/exit-on-signals.ts'
import { type LineFile, lineFiles } from './harness/lines.ts'
import { pageWithTable, tableOf } from './harness/performance-page.ts'
import { type MeasuredLine, writeResults } from './harness/results.ts'
import { brokenGuards } from './harness/verdict.ts'

const USAGE = `npm run bench -- [--quick | --full] [WORD…]
    measures the lines of the table in docs/performance.md beside their peers: all, or those of a
    number or name; other benches run only when named. It writes bench/results.json and the table,
    and fails where a figure is worse than a limit that held before, not where a target is missed.
    --quick  smaller sizes and fewer rounds; writes only to bench/out
    --full   a million orders in lines 2, 3, 14 and 15, which take longer than all the others`

/** Print figures of their own, and run only when named. */
const OTHERS = ['actors', 'commits', 'continuity', 'redis', 'orders', 'units', 'answers']
const ROUNDS = 5
const QUICK_ROUNDS = 3
const QUICK_ORDERS = '10000'

const { values: flags, positionals: words } = parseArgs({
  allowPositionals: true,
  options: {
    quick: { type: 'boolean', default: false },
    full: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})
const isQuick = flags.quick
const SIZES = (['quick', 'full'] as const).filter((size) => flags[size]).map((size) => `--${size}`)

const HERE = fileURLToPath(new URL('.', import.meta.url))
const IMPORTS = ['tsx', new URL('./harness/leave-nothing.ts', import.meta.url).href]

/** The line or bench that runs; it ends before this process does. */
let running: ChildProcess | null = null
/** No other one begins when that has ended. */
let isInterrupted = false
ownTemporaryFolder()
exitOnSignals(async () => {
  isInterrupted = true
  if (running?.kill('SIGTERM')) await once(running, 'exit')
})

async function run(
  path: string,
  given: readonly string[],
  env: NodeJS.ProcessEnv = {},
): Promise<boolean> {
  if (isInterrupted) return false
  const imports = IMPORTS.flatMap((name) => ['--import', name])
  running = spawn(
    process.execPath,
    ['--expose-gc', ...profiling(), ...imports, join(HERE, path), ...given],
    { stdio: 'inherit', env: { ...process.env, ...env } },
  )
  const [status] = (await once(running, 'exit')) as [number | null]
  running = null
  return status === 0
}

/** BENCH_PROFILE: a folder for CPU profiles. */
function profiling(): string[] {
  const folder = process.env['BENCH_PROFILE']
  return folder ? ['--cpu-prof', `--cpu-prof-dir=${folder}`] : []
}

async function measure({ path }: LineFile): Promise<MeasuredLine | null> {
  const folder = mkdtempSync(join(tmpdir(), 'market-bench-'))
  try {
    const target = join(folder, 'line.json')
    const rounds = String(isQuick ? QUICK_ROUNDS : ROUNDS)
    if (!(await run('harness/run-line.ts', [path, target, rounds, ...SIZES]))) return null
    return JSON.parse(readFileSync(target, 'utf8')) as MeasuredLine
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const files = lineFiles()
if (flags.help) {
  const names = files.map(({ number, name }) => `${number} ${name}`)
  process.stdout.write(`${USAGE}\n\nlines: ${names.join(', ')}\nothers: ${OTHERS.join(', ')}\n`)
  process.exit()
}
const isWanted = ({ number, name }: LineFile) =>
  words.length === 0 || words.includes(String(number)) || words.includes(name)
const wanted = files.filter(isWanted)
const others = OTHERS.filter((name) => words.includes(name))
const known = new Set([...OTHERS, ...files.flatMap(({ number, name }) => [String(number), name])])
const unknown = words.filter((word) => !known.has(word))
if (unknown.length > 0) {
  process.stderr.write(`no line or bench ${unknown.join(', ')}: ${[...known].join(', ')}\n`)
  process.exit(2)
}

/** At once: what is measured later may fail, or be interrupted. */
function note(line: MeasuredLine): void {
  if (isQuick) mkdirSync(join(HERE, 'out'), { recursive: true })
  const results = writeResults(join(HERE, isQuick ? 'out/quick.json' : 'results.json'), [line])
  if (isQuick) return
  const page = join(HERE, '../docs/performance.md')
  writeFileSync(page, pageWithTable(readFileSync(page, 'utf8'), results))
}

const measured: MeasuredLine[] = []
for (const file of wanted) {
  const line = await measure(file)
  if (line) {
    note(line)
    measured.push(line)
  } else process.exitCode = 1
}
if (measured.length > 0) process.stdout.write(`${tableOf({ lines: measured })}\n`)
for (const broken of measured.flatMap(brokenGuards)) {
  process.stderr.write(`${broken}\n`)
  process.exitCode = 1
}
const quick: Record<string, string> = isQuick
  ? { BENCH_QUICK: '1', BENCH_ORDERS: QUICK_ORDERS }
  : {}
for (const name of others) {
  if (!(await run(`sizing/${name}.ts`, [], quick))) process.exitCode = 1
}
