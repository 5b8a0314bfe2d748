import { expect, test } from 'vitest'
import type { Gateway } from '../../../src/gateway/gateway.ts'
import { checkForBuyer } from '../../../src/gateway/purchase/check-for-buyer.ts'
import type { OrderCheck } from '../../../src/ports/authorities/order-check.ts'
import type { StoredOrder } from '../../../src/ports/views/order-views.ts'
import type { OrderRecord } from '../../../src/schemas/order-record.ts'
import { MemoryLog } from '../../support/log/memory-log.ts'
import { ManualClock } from '../../support/manual-clock.ts'
import { AT, askClaim } from '../../support/orders/evidence.ts'
import { Life } from '../../support/orders/life.ts'
import { revalidated } from '../../support/orders/order-events.ts'
import { liveOrder } from '../../support/orders/orders.ts'

const WAIT_MS = 15_000
const MAX_AGE_S = 600

/** The views answer each command with the order as the log has it. */
const LOGGED = liveOrder({ seq: 2 })

function gatewayWith(check: OrderCheck['check'], ageSeconds = 1) {
  const clock = new ManualClock()
  clock.advance(Date.parse(AT) + ageSeconds * 1_000 - clock.now())
  const log = new MemoryLog()
  const views = {
    waitForOutcome: async () => ({ outcome: { status: 'done', seq: 2 } }),
    order: async () => stored(LOGGED),
  }
  const settings = { verdictWaitMs: WAIT_MS, maxVerificationAgeSeconds: MAX_AGE_S }
  const parts = { clock, log, views, settings, newRequestId: () => 'request', checks: { check } }
  return { gateway: parts as unknown as Gateway, log, clock }
}

const stored = (order: OrderRecord): StoredOrder => ({ order, partition: 0, freshness: null })
const questioned = new Life(liveOrder())
questioned.tell(revalidated())
const { signal } = new AbortController()
const never = (): Promise<never> => new Promise(() => {})

test('an order that stays LIVE is returned as just checked, and the log has no record of it', async () => {
  const checked = liveOrder({ verifiedAt: '2030-01-01T00:00:01.000Z' })
  const asked: unknown[] = []
  const { gateway, log } = gatewayWith(async (order, at) => {
    asked.push([order, at])
    return { status: 'live', order: checked }
  })
  const known = stored(liveOrder())
  expect(await checkForBuyer(gateway, known, signal)).toEqual({ ...known, order: checked })
  expect(asked).toEqual([[known.order, '2030-01-01T00:00:01.000Z']])
  expect(log.records).toEqual([])
})

test('an authority that gives no answer is a refusal, and the log has no record of it', async () => {
  const refused = { status: 'refused', code: 'NODE_UNAVAILABLE', message: 'no answer' } as const
  const { gateway, log } = gatewayWith(async () => refused)
  const check = checkForBuyer(gateway, stored(liveOrder()), signal)
  await expect(check).rejects.toMatchObject({ code: 'NODE_UNAVAILABLE', message: 'no answer' })
  expect(log.records).toEqual([])
})

test('an order that changed is rechecked in the log', async () => {
  const { gateway, log } = gatewayWith(async () => ({ status: 'changed' }))
  expect(await checkForBuyer(gateway, stored(liveOrder()), signal)).toEqual(stored(LOGGED))
  expect(log.records.map(({ value }) => value)).toMatchObject([{ command: 'revalidate' }])
})

test.each<[what: string, order: OrderRecord, ageSeconds: number]>([
  ['is not LIVE', liveOrder({ state: 'PENDING_ASSET' }), 1],
  ['has an undecided wrapper', liveOrder({ claims: [askClaim({ wrapper: 'other' })] }), 1],
  ['has an open question', questioned.order, 1],
  ['is stale', liveOrder(), MAX_AGE_S + 1],
])('one that %s is rechecked in the log alone', async (_what, order, ageSeconds) => {
  const { gateway, log } = gatewayWith(() => Promise.reject(new Error('not asked')), ageSeconds)
  expect(await checkForBuyer(gateway, stored(order), signal)).toEqual(stored(LOGGED))
  expect(log.records).toHaveLength(1)
})

test('a check that hangs ends with the waiting time of the request, and so do its questions', async () => {
  let deadline: AbortSignal | undefined
  const { gateway, log, clock } = gatewayWith((_order, _at, until) => {
    deadline = until
    return never()
  })
  const check = checkForBuyer(gateway, stored(liveOrder()), signal)
  const refused = expect(check).rejects.toMatchObject({ code: 'STILL_BEING_VERIFIED' })
  clock.advance(WAIT_MS)
  await refused
  expect(deadline?.aborted).toBe(true)
  expect(log.records).toEqual([])
})
