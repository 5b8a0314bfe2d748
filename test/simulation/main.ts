import { writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { parseArgs } from 'node:util'
import { bundleSimulation } from './bundle.ts'
import { findBug, PLANTED_SEEDS, type PlantedSeeds, plantedSeeds } from './planted.ts'
import { PLANTED_BUGS } from './planted-bugs.ts'
import { openProgress } from './progress.ts'
import type { SeedResult } from './run-seed.ts'
import { SeedThreads } from './seed-threads.ts'
import { Tally } from './tally.ts'
import { usefulTrace } from './useful-trace.ts'

const USAGE = `npm run sim -- [--seeds N] [--from S] [--workers N] [--minutes M]
                                                      so many seeds, 500 from 1 on; begins none after M minutes
npm run sim -- --seed S                               one seed, with its whole trace
npm run sim -- --planted                              every planted bug, from its known seed or one of 400
npm run sim -- --planted --search [--bug TEXT]        looks for the seeds that find them`

const SEARCHED = 400

/** Whether none failed; the counts go to the file that COUNTS names, for `.ci/run`. */
function counted(passed: number, failed: number): boolean {
  const file = process.env['COUNTS']
  if (file) writeFileSync(file, JSON.stringify({ passed, failed }))
  return failed === 0
}

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '500' },
    from: { type: 'string', default: '1' },
    seed: { type: 'string' },
    minutes: { type: 'string' },
    workers: { type: 'string', default: String(availableParallelism()) },
    planted: { type: 'boolean', default: false },
    search: { type: 'boolean', default: false },
    bug: { type: 'string', default: '' },
    help: { type: 'boolean', default: false },
  },
})

const threads = Number(values.workers)

/** Consecutive seeds, as many as requested. */
const seedsFrom = (first: number, count: number): number[] =>
  Array.from({ length: count }, (_, n) => first + n)

async function main(): Promise<boolean> {
  if (values.help) {
    console.info(USAGE)
    return true
  }
  if (values.planted) return values.search ? searchAll() : checkAll()
  if (values.seed !== undefined) return showSeed(Number(values.seed))
  return runSeeds(seedsFrom(Number(values.from), Number(values.seeds)))
}

async function runSeeds(seeds: readonly number[]): Promise<boolean> {
  const bundle = await bundleSimulation()
  const workers = new SeedThreads(bundle.worker)
  const progress = openProgress(seeds.length)
  const tally = new Tally()
  const until = performance.now() + Number(values.minutes ?? Number.POSITIVE_INFINITY) * 60_000
  try {
    await workers.runAll(seeds, { threads }, (result) => {
      tally.add(result)
      progress.passed(tally)
      return performance.now() < until
    })
    progress.end()
    console.info(tally.toString())
    for (const { seed } of tally.violated.slice(0, 3)) {
      report(await workers.run({ seed, keepsTrace: true }))
    }
  } finally {
    progress.end()
    await workers.close()
    bundle.drop()
  }
  const failed = tally.violated.length
  return counted(tally.seeds - failed, failed)
}

/** One seed, twice: its trace, and whether it replays. */
async function showSeed(seed: number): Promise<boolean> {
  const bundle = await bundleSimulation()
  const workers = new SeedThreads(bundle.worker)
  try {
    const result = await workers.run({ seed, keepsTrace: true })
    const again = await workers.run({ seed })
    for (const line of result.trace) console.info(line)
    report(result)
    const isSame = again.digest === result.digest
    console.info(`digest ${result.digest}: ${isSame ? 'the same' : 'ANOTHER'} in a second run`)
    return isSame && result.violations.length === 0
  } finally {
    await workers.close()
    bundle.drop()
  }
}

function report(result: SeedResult): void {
  const { seed, violations, orders, events, steps } = result
  console.info(`seed ${seed}: ${orders} orders, ${events} events, ${steps} steps`)
  const [first] = violations
  if (!first) return
  for (const line of usefulTrace(result)) console.info(`  ${line}`)
  for (const { invariant, what } of violations)
    console.info(`seed ${seed} violates ${invariant}: ${what}`)
  console.info(`again: npm run sim -- --seed ${seed}`)
}

/** Each bug from its known seed, and, since any change moves what a seed does, from others after it. */
async function checkAll(): Promise<boolean> {
  const known = plantedSeeds()
  const bugs = PLANTED_BUGS.values()
  const missed: string[] = []
  const work = async () => {
    for (const bug of bugs) {
      const { seed, invariant } = known[bug.name] ?? { seed: 1, invariant: 'unknown' }
      const found = await findBug(bug, new Set([seed, ...seedsFrom(1, SEARCHED)]))
      const as = found?.violations[0]?.invariant ?? 'NOT FOUND'
      const isAsKnown = found?.seed === seed && as === invariant
      const note = isAsKnown ? '' : ` (known: ${invariant}, seed ${seed})`
      console.info(
        `${as.padEnd(10)} seed ${String(found?.seed ?? '').padEnd(5)} ${bug.name}${note}`,
      )
      if (!found) missed.push(bug.name)
    }
  }
  await Promise.all(Array.from({ length: threads }, work))
  const found = PLANTED_BUGS.length - missed.length
  for (const name of missed) console.info(`not found: ${name}`)
  console.info(`${found} of ${PLANTED_BUGS.length} planted bugs found`)
  return counted(found, missed.length)
}

async function searchAll(): Promise<boolean> {
  const known: PlantedSeeds = { ...plantedSeeds() }
  const names = new Set(PLANTED_BUGS.map(({ name }) => name))
  for (const name of Object.keys(known)) if (!names.has(name)) delete known[name]
  let isWhole = true
  for (const bug of PLANTED_BUGS.filter(({ name }) => name.includes(values.bug))) {
    const found = await findBug(bug, seedsFrom(Number(values.from), SEARCHED), threads)
    const [violation] = found?.violations ?? []
    console.info(
      `${bug.name}: ${found ? `seed ${found.seed}, ${violation?.invariant} ${violation?.what}` : 'NOT FOUND'}`,
    )
    isWhole &&= found !== null
    if (found && violation) known[bug.name] = { seed: found.seed, invariant: violation.invariant }
    else delete known[bug.name]
    writeFileSync(PLANTED_SEEDS, `${JSON.stringify(known, null, 2)}\n`)
  }
  return isWhole
}

process.exitCode = (await main()) ? 0 : 1
