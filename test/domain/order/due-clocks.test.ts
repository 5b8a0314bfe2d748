import { expect, test } from 'vitest'
import { dueAt, duesOf } from '../../../src/domain/order/due.ts'
import type { OrderRecord } from '../../../src/schemas/order-record.ts'
import { watermark } from '../../support/log/watermarks.ts'
import { AT, bidClaim, blockAt, MEDIAN_TIME, TIP_HEIGHT } from '../../support/orders/evidence.ts'
import { liveOrder } from '../../support/orders/orders.ts'

// The checks of an order that was never LIVE, over hours, by the clocks of three hosts, which may be set
// back together and differ by some seconds.

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
/** Between watermarks. */
const QUIET = 30 * SECOND
const BLOCKS = 10 * MINUTE
/** What two hosts' clocks may differ by. */
const SKEW = MINUTE
/** After it was imported. */
const TIMES = [10 * MINUTE, HOUR, 6 * HOUR]

interface Clocks {
  /** Real time after the import, and by how much all clocks are set back then. */
  stepAt: number
  back: number
  /** How far the clocks of a gateway and of a worker are ahead of that of ingest. */
  gateway: number
  worker: number
}

type Made = Pick<OrderRecord, 'state' | 'reason' | 'metadataFixed'>
const NEVER_LIVE: Made = { state: 'SPENT', reason: 'spender_unknown', metadataFixed: false }
const ONCE_LIVE: Made = { state: 'MEMPOOL_CONFLICTED', reason: 'settled', metadataFixed: true }

const text = (ms: number): string => new Date(ms).toISOString()
const TIPS = Array.from({ length: 24 * 6 }, (_, n) => ({
  ...blockAt(TIP_HEIGHT + 1 + n),
  medianTime: MEDIAN_TIME,
}))
const tipAt = (real: number) => TIPS[Math.floor(real / BLOCKS)] ?? expect.fail('a day is enough')

/** Real times at which it is checked, and whether it waits for more at the end. */
function checksBy(made: Made, { stepAt, back, gateway, worker }: Clocks, end: number) {
  const start = Date.parse(AT)
  const clock = (real: number) => start + real - (real >= stepAt ? back : 0)
  const { anchor, ...live } = liveOrder(made, bidClaim())
  if (!anchor) throw new Error('it has been verified')
  const checked = (order: OrderRecord, real: number): OrderRecord => {
    const asked = clock(real) + worker
    // No change is earlier than the one before it.
    const updatedAt = text(Math.max(asked, Date.parse(order.updatedAt)))
    const validation = { ...order.validation, checkedAt: updatedAt }
    const { height, hash } = tipAt(real)
    const known = { anchor: { ...anchor, tip: { height, hash } }, verifiedAt: text(asked) }
    return { ...order, updatedAt, validation, ...known }
  }
  const createdAt = text(clock(0) + gateway)
  let order = checked({ ...live, anchor, proved: true, createdAt, updatedAt: createdAt }, 0)
  let dues = duesOf(order)
  const checks = [0]
  for (let real = QUIET; real < end && dues.length > 0; real += QUIET) {
    const moment = { at: text(clock(real)), tip: tipAt(real) }
    if (!dues.some(dueAt(watermark(1, moment)))) continue
    order = checked(order, real)
    dues = duesOf(order)
    checks.push(real)
  }
  return { checks, waits: dues.length > 0 }
}

const DIFFERENCES = [-30, -5, 0, 30].map((seconds) => seconds * SECOND)
const CLOCKS = DIFFERENCES.flatMap((gateway) => DIFFERENCES.map((worker) => ({ gateway, worker })))
const NEVER = Number.MAX_SAFE_INTEGER

test.each(CLOCKS)(
  'one that was never LIVE is checked thrice, then waits for nothing: %j',
  (clocks) => {
    const { checks, waits } = checksBy(NEVER_LIVE, { ...clocks, stepAt: NEVER, back: 0 }, 12 * HOUR)
    expect(waits).toBe(false)
    expect(checks).toHaveLength(1 + TIMES.length)
    for (const [at, time] of TIMES.entries()) {
      expect(checks[at + 1]).toBeGreaterThanOrEqual(time - SKEW)
      expect(checks[at + 1]).toBeLessThanOrEqual(time + SKEW + QUIET)
    }
  },
)

/** How long it waits for its next check, by its age as the clocks show it. */
const periodAt = (age: number): number => {
  const at = TIMES.findIndex((time) => age < time - SKEW)
  return (TIMES[at] ?? NEVER) - (TIMES[at - 1] ?? 0)
}

const STEPS = [5, 20, 61, 400].map((minutes) => minutes * MINUTE)
const MOMENTS = [1, 11, 61, 200].map((minutes) => minutes * MINUTE)
const CASES = STEPS.flatMap((back) => MOMENTS.map((stepAt) => ({ back, stepAt })))

/** Waits for a check that are longer than this, by the age of the order at the check before. */
function longWaits(
  checks: readonly number[],
  { back, stepAt, gateway, worker }: Clocks,
  periodOf: (age: number) => number,
): string[] {
  return checks.flatMap((check, n) => {
    const next = checks[n + 1]
    if (next === undefined) return []
    const age = check - (check >= stepAt ? back : 0) + worker - gateway
    // A wait that the step falls into begins anew with the step, or with the next block.
    const isWithin = check < stepAt && stepAt < next
    const waited = isWithin ? next - stepAt - Math.min(back, BLOCKS) : next - check
    if (waited <= periodOf(age) + 2 * SKEW + QUIET) return []
    const what = `by ${back / MINUTE} min after ${stepAt / MINUTE} min`
    return [`${what}: from ${check / MINUTE} min until ${next / MINUTE} min`]
  })
}

test.each(CLOCKS)('set back, one that was never LIVE waits no longer than before: %j', (clocks) => {
  for (const one of CASES) {
    const set = { ...clocks, ...one }
    const { checks, waits } = checksBy(NEVER_LIVE, set, 14 * HOUR + one.back)
    expect(longWaits(checks, set, periodAt)).toEqual([])
    expect(waits, 'for ever').toBe(false)
  }
})

test.each(CLOCKS)('set back, one that was LIVE waits no longer than before: %j', (clocks) => {
  for (const one of CASES) {
    const set = { ...clocks, ...one }
    const { checks } = checksBy(ONCE_LIVE, set, one.stepAt + one.back + HOUR)
    expect(longWaits(checks, set, () => 10 * MINUTE)).toEqual([])
  }
})
