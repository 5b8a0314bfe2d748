import { describe, expect, test } from 'vitest'
import type { OrderEvent } from '../../src/actors/events/order-events.ts'
import { evidenceOf } from '../support/orders/evidence.ts'
import { Life, moment } from '../support/orders/life.ts'
import {
  begun,
  buyer,
  imported,
  live,
  output,
  rechecked,
  revalidated,
  signedBy,
  spend,
  thief,
  withdrawn,
  wrapped,
} from '../support/orders/order-events.ts'
import { liveOrder, orderOf } from '../support/orders/orders.ts'

describe('a withdrawn order', () => {
  const gone = () => {
    const life = new Life(liveOrder())
    life.tell(withdrawn)
    return life
  }

  test.each(['PENDING_NODE', 'PENDING_ASSET', 'LIVE', 'MEMPOOL_CONFLICTED', 'REJECTED'] as const)(
    'may have been %s',
    (state) => {
      const life = new Life(liveOrder({ state }))
      life.tell(withdrawn)
      expect(life.order).toMatchObject({
        state: 'WITHDRAWN',
        reason: 'withdrawn_by_seller',
        withdrawal: { reason: 'sold elsewhere' },
      })
      expect(life.steps[0]?.change?.actor).toBe('seller')
    },
  )

  test.each(['SPENT', 'SETTLED'] as const)('may not have been %s [spec 3 row 2]', (state) => {
    const life = new Life(liveOrder({ state, spend: buyer }))
    life.tell(withdrawn)
    expect(life.order.state).toBe(state)
    expect(life.outcomeOf('withdraw')).toMatchObject({ code: 'ORDER_NOT_WITHDRAWABLE' })
  })

  test('withdrawn again is answered and logs nothing', () => {
    const life = gone()
    const { change, outcomes } = life.tell({ ...withdrawn, at: '2031-01-01T00:00:00.000Z' })
    expect(change).toBeNull()
    expect(outcomes).toHaveLength(1)
  })

  test('imported again stays withdrawn, whatever the wrapper', () => {
    const life = gone()
    expect(life.tell(imported(wrapped('other'))).asks).toBe(false)
    expect(life.order).toMatchObject({ state: 'WITHDRAWN', claims: [] })
    expect(life.outcomeOf('import')).toMatchObject({ status: 'done' })
  })

  test('is still watched: changes of its output are recorded without a change of state', () => {
    const life = gone()
    life.tell(spend('SEEN', buyer))
    expect(life.order.settlement).toMatchObject({ txid: buyer.txid, confirmations: 0 })
    life.tell(spend('CONFIRMED', buyer))
    expect(life.order).toMatchObject({
      state: 'WITHDRAWN',
      reason: 'withdrawn_by_seller',
      settlement: { txid: buyer.txid, confirmations: 1 },
      validation: { nodeStatus: 'OUTPOINT_SPENT', reasons: ['settled'] },
    })
    life.tell(spend('UNCONFIRMED', buyer))
    expect(life.order).toMatchObject({ state: 'WITHDRAWN', spend: { block: null } })
    life.answer(live)
    expect(life.order).toMatchObject({
      state: 'WITHDRAWN',
      reason: 'withdrawn_by_seller',
      validation: { nodeStatus: 'READY' },
    })
    expect(life.order).not.toHaveProperty('settlement')
    expect(life.states).toEqual(['WITHDRAWN'])
  })

  test('answers the requests that waited for its verdict', () => {
    const life = begun()
    life.tell(withdrawn)
    life.answer(live)
    expect(life.order.state).toBe('WITHDRAWN')
    expect(life.outcomeOf('create')).toMatchObject({ status: 'done' })
  })
})

describe('the end of an order', () => {
  const close: OrderEvent = { type: 'CLOSE', ...moment() }

  test('a closed order gets no more news', () => {
    const life = new Life(liveOrder({ state: 'SETTLED', spend: buyer }))
    expect(life.tell(close).change).toMatchObject({ kind: 'noted', reason: 'closed' })
    for (const news of [
      spend('UNCONFIRMED', buyer),
      spend('SEEN', thief),
      output('GONE'),
      rechecked,
    ])
      expect(life.tell(news)).toMatchObject({ change: null, asks: false })
    life.tell(revalidated())
    expect(life.outcomeOf('revalidate')).toMatchObject({ status: 'done' })
  })

  test('an order is not closed while a request waits for its question', () => {
    const life = new Life(orderOf({ state: 'REJECTED', reason: 'signature_invalid' }))
    life.tell(imported(wrapped('better')))
    life.tell(close)
    expect(life.order.closedAt).toBeNull()
    life.answer(evidenceOf({ node: signedBy(wrapped('better')) }))
    expect(life.outcomeOf('import')).toMatchObject({ status: 'done' })
  })
})
