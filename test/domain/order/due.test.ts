import { describe, expect, test } from 'vitest'
import { dueAt, duesOf, FINAL_CONFIRMATIONS, isFollowed } from '../../../src/domain/order/due.ts'
import type { Watermark } from '../../../src/schemas/log.ts'
import type { OrderRecord } from '../../../src/schemas/order-record.ts'
import { watermark } from '../../support/log/watermarks.ts'
import {
  AT,
  askClaim,
  bidClaim,
  blockAt,
  MEDIAN_TIME,
  OUTPUT_BLOCK,
  spendBlock,
  spendBy,
  TIP_HEIGHT,
} from '../../support/orders/evidence.ts'
import { liveOrder, orderOf } from '../../support/orders/orders.ts'

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE

/** What becomes of the order at this watermark, the first at which it is due. */
function dueOf(order: OrderRecord, changes: Partial<Watermark> = {}) {
  return duesOf(order).find(dueAt(watermark(1, changes)))?.action ?? null
}
const later = (ms: number) => ({ at: new Date(Date.parse(AT) + ms).toISOString() })
const noAnchor = (order: OrderRecord): OrderRecord => ({
  ...order,
  anchor: order.anchor && { ...order.anchor, watermark: null },
})
const NEXT_BLOCK = { tip: { ...blockAt(TIP_HEIGHT + 1), medianTime: MEDIAN_TIME } }
const PENDING = {
  attempt: 1,
  begunAt: null,
  mempoolSequence: null,
  touched: false,
  asked: 0,
  requests: [],
  late: [],
  purpose: 'recheck' as const,
}

describe('an order that was never LIVE is checked again', () => {
  test.each([
    ['a conflict', { state: 'MEMPOOL_CONFLICTED' }],
    ['an unconfirmed output', { state: 'PENDING_ASSET', outputBlock: null }],
    ['an unknown spender', { state: 'SPENT', reason: 'spender_unknown' }],
  ] as const)('three times at most: %s', (_, changes) => {
    const checked = (ms: number): OrderRecord => {
      const order = liveOrder({ ...changes, createdAt: AT, metadataFixed: false }, bidClaim())
      const { at } = later(ms)
      return { ...order, verifiedAt: at, validation: { ...order.validation, checkedAt: at } }
    }
    const hour = 60 * MINUTE
    const timeOf = (checkedMs: number) => {
      const order = checked(checkedMs)
      const times = Array.from({ length: 20 * 60 }, (_, minute) => checkedMs + minute * MINUTE)
      return times.find((ms) => dueOf(order, later(ms)) === 'recheck') ?? null
    }
    expect(timeOf(0)).toBe(10 * MINUTE)
    expect(timeOf(10 * MINUTE)).toBe(hour)
    expect(timeOf(2 * hour)).toBe(6 * hour)
    // Once the node was asked after the last, it waits for nothing: hosts' clocks differ by a minute.
    const nextAfter = (ms: number) => duesOf(checked(ms)).find(({ on }) => on === 'next')
    expect(nextAfter(6 * hour - MINUTE - 1)).toBeDefined()
    expect(nextAfter(6 * hour - MINUTE)).toBeUndefined()
  })

  test('also where news has moved it since the node was asked', () => {
    const order = liveOrder({ state: 'MEMPOOL_CONFLICTED', metadataFixed: false }, bidClaim())
    const validation = { ...order.validation, checkedAt: later(DAY).at }
    expect(dueOf({ ...order, createdAt: AT, verifiedAt: AT, validation }, later(DAY))).toBe(
      'recheck',
    )
  })
})

describe('an order waits for', () => {
  test('nothing, when it is a LIVE ask under an unbroken run of watermarks', () => {
    expect(duesOf(liveOrder())).toEqual([])
  })

  test('nothing else, while a question is out or once it is closed', () => {
    const rejected = orderOf({ state: 'REJECTED', reason: 'signature_invalid' })
    expect(duesOf(rejected)).not.toEqual([])
    expect(duesOf({ ...rejected, pending: PENDING })).toEqual([])
    expect(duesOf({ ...rejected, closedAt: AT })).toEqual([])
  })

  test('any watermark, when the node was unavailable: none comes before it answers', () => {
    const order = orderOf({ reason: 'node_unavailable' })
    expect(dueOf(order, { covers: false })).toBe('recheck')
  })

  test('a watermark that covers, when it was verified under none', () => {
    const order = noAnchor(liveOrder())
    expect(dueOf(order, { covers: false })).toBeNull()
    expect(dueOf(order)).toBe('recheck')
  })

  test('the chain to be followed to the tip that it was decided on, when it has not got there yet', () => {
    const { anchor } = liveOrder()
    const tip = blockAt(TIP_HEIGHT + 2, 'of the node alone')
    const order = liveOrder({ anchor: anchor && { ...anchor, tip, ahead: true } })
    const at = (height: number) =>
      dueOf(order, { tip: { ...blockAt(height), medianTime: MEDIAN_TIME } })
    expect([TIP_HEIGHT, TIP_HEIGHT + 1, TIP_HEIGHT + 2].map(at)).toEqual([null, null, 'recheck'])
    const followed = { tip: { ...tip, medianTime: MEDIAN_TIME } }
    expect(dueOf(order, followed)).toBe('recheck')
    expect(dueOf(order, { ...followed, covers: false })).toBeNull()
    const rival = { tip: { ...blockAt(TIP_HEIGHT + 2, 'rival'), medianTime: MEDIAN_TIME } }
    expect(dueOf(order, { ...rival, covers: false })).toBe('recheck')
  })

  test('the height that its lock names', () => {
    const order = liveOrder({
      state: 'PENDING_NODE',
      reason: `not_final_until ${TIP_HEIGHT + 3}`,
    })
    const at = (height: number) =>
      dueOf(order, { tip: { ...blockAt(height), medianTime: MEDIAN_TIME } })
    expect([TIP_HEIGHT, TIP_HEIGHT + 1, TIP_HEIGHT + 2].map(at)).toEqual([null, null, 'recheck'])
  })

  test('the median time that its lock names', () => {
    const order = liveOrder({ state: 'PENDING_NODE', reason: `not_final_until ${MEDIAN_TIME + 9}` })
    const at = (medianTime: number) => dueOf(order, { tip: { ...blockAt(TIP_HEIGHT), medianTime } })
    expect([MEDIAN_TIME + 8, MEDIAN_TIME + 9].map(at)).toEqual([null, 'recheck'])
  })

  test('the index: at the block of its output, and further than it was', () => {
    const order = liveOrder({ state: 'PENDING_ASSET', reason: 'output_not_indexed' })
    const at = (height: number, branch = 'main') =>
      dueOf(order, { index: { ...blockAt(height, branch), version: 'ord 1' } })
    expect(at(OUTPUT_BLOCK.height - 1)).toBeNull()
    expect(at(TIP_HEIGHT)).toBeNull()
    expect(at(TIP_HEIGHT, 'other')).toBe('recheck')
    expect(at(TIP_HEIGHT + 1)).toBe('recheck')
    expect(dueOf(order, { index: null, indexStatus: 'unreachable' })).toBeNull()
  })

  test('an index that lags behind the tip is enough, when it has passed the output', () => {
    const order = liveOrder({ state: 'PENDING_ASSET', reason: 'asset_index_behind' })
    const lagging = { ...blockAt(OUTPUT_BLOCK.height), version: 'ord 1' }
    expect(dueOf(order, { index: lagging, indexStatus: 'behind' })).toBe('recheck')
  })

  describe('the index, when it gave no answer:', () => {
    const SECOND = 1_000
    const unanswered = (waitedMs: number, confirmations: number) => {
      const order = liveOrder({ state: 'PENDING_ASSET', reason: 'asset_index_malformed' })
      const { anchor, validation } = order
      const tip = blockAt(OUTPUT_BLOCK.height + confirmations - 1)
      return {
        ...order,
        verifiedAt: later(waitedMs).at,
        validation: { ...validation, checkedAt: later(waitedMs).at },
        anchor: anchor && { ...anchor, index: null, tip },
      }
    }
    /** How long after its last check it is due, to the second. */
    const restOf = (waitedMs: number, confirmations: number): number => {
      const order = unanswered(waitedMs, confirmations)
      const rests = Array.from({ length: 700 }, (_, seconds) => seconds * SECOND)
      return rests.find((ms) => dueOf(order, later(waitedMs + ms)) === 'recheck') ?? Infinity
    }

    test('as long again as it has waited, ten minutes at most, whatever the index indexes', () => {
      const waited = [0, 2 * SECOND, MINUTE, 5 * MINUTE, 30 * DAY]
      const rests = waited.map((ms) => restOf(ms, 100_000))
      expect(rests).toEqual([0, 2 * SECOND, MINUTE, 5 * MINUTE, 10 * MINUTE])
    })

    test('ten seconds a block, when it waited for its output to be confirmed', () => {
      const rests = [1, 2, 60, 61].map((confirmations) => restOf(DAY, confirmations))
      expect(rests).toEqual([10, 20, 600, 600].map((seconds) => seconds * SECOND))
    })

    test('not while it is away', () => {
      const away = {
        index: null,
        covers: false,
        indexStatus: 'unreachable',
        ...later(DAY),
      } as const
      expect(dueOf(unanswered(0, 1), away)).toBeNull()
    })
  })

  test.each([
    ['a conflict', liveOrder({ state: 'MEMPOOL_CONFLICTED' })],
    [
      'an unconfirmed output',
      liveOrder({ state: 'PENDING_ASSET', reason: 'output_unconfirmed', outputBlock: null }),
    ],
  ])('a restarted mempool, when it is %s: the new one has to confirm it too', (_, order) => {
    const { epoch } = order.anchor?.watermark ?? { epoch: 0 }
    expect(dueOf(order, { epoch })).toBeNull()
    expect(dueOf(order, { epoch: epoch + 1 })).toBe('recheck')
    expect(
      dueOf({ ...order, state: 'LIVE', outputBlock: OUTPUT_BLOCK }, { epoch: epoch + 1 }),
    ).toBeNull()
  })

  test.each([
    ['a conflict', 10 * MINUTE, liveOrder({ state: 'MEMPOOL_CONFLICTED' })],
    [
      'an unconfirmed output',
      10 * MINUTE,
      liveOrder({ state: 'PENDING_ASSET', reason: 'output_unconfirmed', outputBlock: null }),
    ],
    ['an unknown spender', 60 * MINUTE, liveOrder({ state: 'SPENT', reason: 'spender_unknown' })],
  ])('time, when it is %s', (_, ms, order) => {
    expect(dueOf(order, later(ms - 1))).toBeNull()
    expect(dueOf(order, later(ms))).toBe('recheck')
  })

  test('the time since the node was asked, when the clock was set back since it was checked', () => {
    const hour = 60 * MINUTE
    const order = liveOrder({ state: 'MEMPOOL_CONFLICTED', verifiedAt: AT })
    const checkedIn = (ms: number): OrderRecord => {
      const { at: checkedAt } = later(ms)
      return { ...order, validation: { ...order.validation, checkedAt } }
    }
    const unheard = (ms: number): OrderRecord => ({
      ...checkedIn(ms),
      anchor: { ...order.anchor!, unheard: true },
    })
    expect(dueOf(checkedIn(hour), later(10 * MINUTE - 1))).toBeNull()
    expect(dueOf(checkedIn(hour), later(10 * MINUTE))).toBe('recheck')
    expect(dueOf(unheard(hour), later(1_999))).toBeNull()
    expect(dueOf(unheard(hour), later(2_000))).toBe('recheck')
    // Another host's clock may be a minute ahead.
    expect(dueOf(unheard(MINUTE), later(2_000))).toBeNull()
    expect(dueOf(unheard(MINUTE), later(MINUTE + 2_000))).toBe('recheck')
    const before = { ...unheard(hour), verifiedAt: later(hour).at }
    expect(dueOf(before, later(2_000))).toBeNull()
    expect(dueOf(before, { ...later(2_000), ...NEXT_BLOCK })).toBe('recheck')
  })

  describe('the time since the node was asked, when the clock was set back since it was imported:', () => {
    const HOUR = 60 * MINUTE
    /** Imported and checked by a clock that was an hour ahead, or by another host's. */
    const imported = (ms: number, order: OrderRecord, asked = 0): OrderRecord => ({
      ...order,
      createdAt: later(ms).at,
      validation: { ...order.validation, checkedAt: later(Math.max(ms, asked)).at },
      verifiedAt: later(asked).at,
    })

    test('one that was never LIVE', () => {
      const conflict = liveOrder({ state: 'MEMPOOL_CONFLICTED', metadataFixed: false }, bidClaim())
      expect(dueOf(imported(HOUR, conflict), later(10 * MINUTE - 1))).toBeNull()
      expect(dueOf(imported(HOUR, conflict), later(10 * MINUTE))).toBe('recheck')
      // Another host's clock may be a minute ahead.
      expect(dueOf(imported(MINUTE, conflict), later(11 * MINUTE - 1))).toBeNull()
      expect(dueOf(imported(MINUTE, conflict), later(11 * MINUTE))).toBe('recheck')
      const after = imported(HOUR, conflict, HOUR + 10 * MINUTE)
      expect(dueOf(after, later(2 * HOUR - 1))).toBeNull()
      expect(dueOf(after, later(2 * HOUR))).toBe('recheck')
    })

    test('one that was never LIVE, and was only checked under the old time', () => {
      const conflict = liveOrder({ state: 'MEMPOOL_CONFLICTED', metadataFixed: false }, bidClaim())
      const { validation } = conflict
      const checkedAt = later(HOUR).at
      const checked = { ...imported(0, conflict), validation: { ...validation, checkedAt } }
      expect(dueOf(checked, later(10 * MINUTE - 1))).toBeNull()
      expect(dueOf(checked, later(10 * MINUTE))).toBe('recheck')
    })

    test('with the next block, where the node was asked before it was set back too', () => {
      const conflict = liveOrder({ state: 'MEMPOOL_CONFLICTED', metadataFixed: false }, bidClaim())
      const unanswered = liveOrder({ state: 'PENDING_ASSET', reason: 'asset_index_behind' })
      const { anchor } = unanswered
      for (const order of [
        conflict,
        { ...unanswered, anchor: anchor && { ...anchor, index: null } },
      ]) {
        const before = imported(HOUR, order, HOUR)
        expect(dueOf(before, later(30 * MINUTE))).toBeNull()
        expect(dueOf(before, { ...later(0), ...NEXT_BLOCK })).toBe('recheck')
      }
      // Without a step of the clock, a block brings nothing.
      const now = imported(0, conflict)
      expect(dueOf(now, { ...later(0), ...NEXT_BLOCK })).toBeNull()
    })

    test('one that the index gave no answer for: as long as its confirmations are worth', () => {
      const order = liveOrder({ state: 'PENDING_ASSET', reason: 'asset_index_malformed' })
      const unanswered = (confirmations: number): OrderRecord => ({
        ...order,
        anchor: order.anchor && {
          ...order.anchor,
          index: null,
          tip: blockAt(OUTPUT_BLOCK.height + confirmations - 1),
        },
      })
      for (const [confirmations, ms] of [
        [3, 30_000],
        [100, 10 * MINUTE],
      ] as const) {
        const back = imported(HOUR, unanswered(confirmations))
        expect(dueOf(back, later(ms - 1))).toBeNull()
        expect(dueOf(back, later(ms))).toBe('recheck')
      }
    })
  })
})

describe('an order is closed', () => {
  const spend = spendBy('buyer', { block: spendBlock(TIP_HEIGHT) })
  const at = (order: OrderRecord, height: number) =>
    dueOf(order, { tip: { ...blockAt(height), medianTime: MEDIAN_TIME } })

  test.each(['SPENT', 'SETTLED', 'WITHDRAWN'] as const)(
    'when it is %s and the spend has 100 confirmations',
    (state) => {
      const order = liveOrder({ state, spend })
      const last = TIP_HEIGHT + FINAL_CONFIRMATIONS - 1
      expect(last - TIP_HEIGHT + 1).toBe(100)
      expect([last - 1, last].map((height) => at(order, height))).toEqual([null, 'close'])
    },
  )

  test('never by a spend that is still in the mempool', () => {
    const order = liveOrder({ state: 'WITHDRAWN', spend: spendBy('buyer') })
    expect(at(order, TIP_HEIGHT + 1_000)).toBeNull()
  })

  test.each([
    ['REJECTED', 'signature_invalid'],
    ['REJECTED', 'outpoint_missing'],
    ['SPENT', 'spender_unknown'],
  ] as const)('a day after it came, when it is %s for %s and was never proved', (state, reason) => {
    const checkedLately = new Date(Date.parse(AT) + DAY - 1).toISOString()
    const { validation } = liveOrder()
    const { proved: _, ...order } = liveOrder({
      state,
      reason,
      metadataFixed: false,
      verifiedAt: checkedLately,
      validation: { ...validation, checkedAt: checkedLately },
    })
    expect(dueOf(order, later(DAY - 1))).toBeNull()
    expect(dueOf(order, later(DAY))).toBe('close')
    expect(dueOf({ ...order, proved: true }, later(DAY))).not.toBe('close')
  })

  test('a day after its last import, from any source', () => {
    const again = new Date(Date.parse(AT) + DAY / 2).toISOString()
    const { kept } = orderOf()
    const sources = [kept.source, { ...kept.source, sourceId: 'again', observedAt: again }]
    const { proved: _, ...order } = liveOrder({ state: 'REJECTED', metadataFixed: false, sources })
    expect(dueOf(order, later(1.5 * DAY - 1))).toBeNull()
    expect(dueOf(order, later(1.5 * DAY))).toBe('close')
  })

  test('so is one that the inspection refused, and it is never asked about', () => {
    const claim = askClaim({ inspection: { orderClass: 'UNSUPPORTED', reasons: ['unsigned'] } })
    const order = orderOf({ state: 'REJECTED', reason: 'unsigned' }, claim)
    expect(dueOf(order)).toBeNull()
    expect(dueOf(order, later(DAY))).toBe('close')
  })
})

describe('whether news of its output still counts', () => {
  const spent = {
    ...liveOrder(),
    state: 'SPENT' as const,
    spend: spendBy('b', { block: spendBlock() }),
  }
  const final = spendBlock().height + FINAL_CONFIRMATIONS - 1

  test('it is until the order is closed', () => {
    expect(isFollowed(spent, { height: final - 1 })).toBe(true)
  })

  test('no longer for one that gave way, but what is final stays so', () => {
    const closed = { ...spent, closedAt: AT }
    expect(isFollowed(closed, { height: final - 1 })).toBe(false)
    expect(isFollowed(closed, { height: final })).toBe(true)
    expect(isFollowed({ ...closed, spend: null }, { height: final })).toBe(false)
  })
})
