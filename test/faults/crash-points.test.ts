import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { INVARIANTS } from '../../src/operator/audit/report.ts'
import type { CrashPoint } from '../../src/ports/log/crash-points.ts'
import { type Bundle, bundleService } from '../support/bundle.ts'
import { END, roundOf, type Said } from '../support/faults/crash-plan.ts'
import { CrashRun, type Life } from '../support/faults/crash-run.ts'
import { type Kill, tableOf, tally } from '../support/faults/crash-tally.ts'
import { KILLS } from '../support/faults/kills.ts'
import { type Dice, dice } from '../support/orders/order-book.ts'

/** A run is killed once at each point, and once at a random moment. */
const SEEDS = Array.from({ length: KILLS }, (_, n) => n + 1)

const STEPS = ['consume', 'compute', 'append', 'offset', 'view', 'history'] as const
const POINTS = STEPS.flatMap((step): CrashPoint[] => [`before ${step}`, `after ${step}`])
const ANY_MOMENT = 'any moment'
const PLACES = [...POINTS, ANY_MOMENT] as const

/** The most passes of a point before the kill: the history is written only once in a while. */
const mostPassings = (point: CrashPoint): number => (point.endsWith('history') ? 3 : 12)
const ROUNDS_UNDISTURBED = 5
const BUNDLED_WITHIN_MS = 60_000
const RUN_TIMEOUT_MS = 900_000
const PARTITIONS = '2'

const kills: Kill[] = []
let bundle: Bundle
beforeAll(async () => {
  bundle = await bundleService()
}, BUNDLED_WITHIN_MS)
afterAll(() => {
  bundle.drop()
  if (process.env['KILLS'] !== undefined) process.stdout.write(`${tableOf(PLACES, kills)}\n`)
})

describe.concurrent('a killed service continues as if nothing had happened', () => {
  const timeout = RUN_TIMEOUT_MS

  test('an undisturbed run ends as the plan says', { timeout }, () =>
    withRun(0, async (run) => {
      await run.finish(ROUNDS_UNDISTURBED)
      await endsAsPlanned(run)
    }),
  )

  test.each(SEEDS)(
    'SIGKILL at each of the 12 points and at any moment: run %i',
    { timeout },
    (seed) =>
      withRun(seed, async (run) => {
        const roll = dice(seed)
        const places = shuffled(roll, PLACES)
        for (const place of places) {
          const { signal, errors } = await kill(run, place, roll)
          expect([place, signal, errors]).toEqual([place, 'SIGKILL', ''])
        }
        await run.finish()
        await endsAsPlanned(run)
        const tallies = tally(run.lives)
        for (const [at, where] of places.entries()) {
          const [of, next] = [tallies[at], tallies[at + 1]]
          if (of && next) kills.push({ where, of, recoveryMs: next.recoveryMs })
        }
      }),
  )
})

async function withRun(seed: number, play: (run: CrashRun) => Promise<void>): Promise<void> {
  const run = new CrashRun(bundle, seed)
  try {
    await play(run)
  } finally {
    run.drop()
  }
}

function kill(run: CrashRun, place: (typeof PLACES)[number], roll: Dice): Promise<Life> {
  if (place === ANY_MOMENT) return run.killedAfter(300 + roll.below(8_000))
  return run.killedAt({ point: place, passing: 1 + roll.below(mostPassings(place)) })
}

/**
 * The last process exited by itself with every order in its final state; nothing was lost or
 * written twice, no reader saw an order go back, and the audit of the stopped store is clean.
 */
async function endsAsPlanned(run: CrashRun): Promise<void> {
  const last = run.lives.at(-1)
  expect([last?.code, last?.errors]).toEqual([0, ''])
  const end = last?.said.find((one): one is Extract<Said, { said: 'end' }> => one.said === 'end')
  const planned = Object.keys(end?.states ?? {}).map((label) => [label, fateOf(run.seed, label)])
  expect(end?.states).toEqual(Object.fromEntries(planned))
  expect(end?.orders).toBe(planned.length)
  expect(planned.length).toBeGreaterThan(0)

  for (const { lost, duplicated, wentBack } of tally(run.lives)) {
    expect({ lost, duplicated, wentBack }).toEqual({ lost: [], duplicated: [], wentBack: [] })
  }
  expect(await auditOf(run.dataDir)).toMatch(/\nclean: every invariant holds\n$/)
}

function fateOf(seed: number, label: string): string {
  const [round = 0, at = 0] = label.split('/').map(Number)
  const fate = roundOf(seed, round).fates[at]
  return fate ? END[fate] : 'not planned'
}

/** The output of `market audit` on a stopped store; what it found is in the failure's message. */
async function auditOf(dataDir: string): Promise<string> {
  const env = { ...process.env, DATA_DIR: dataDir, ORDER_PARTITIONS: PARTITIONS }
  const audit = promisify(execFile)(process.execPath, [bundle.market, 'audit'], { env })
  const { stdout, stderr } = await audit.catch(
    (failed: { stdout: string; stderr: string }) => failed,
  )
  expect(stderr).toBe('')
  for (const invariant of Object.keys(INVARIANTS)) {
    expect(stdout).toMatch(new RegExp(`^${invariant} .* [1-9][0-9]* checked {2}ok$`, 'm'))
  }
  return stdout
}

function shuffled<T>(roll: Dice, values: readonly T[]): T[] {
  const left = [...values]
  return values.flatMap(() => left.splice(roll.below(left.length), 1))
}
