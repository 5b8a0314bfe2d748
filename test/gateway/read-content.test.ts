import { describe, expect, test } from 'vitest'
import { outpointText } from '../../src/domain/chain/outpoint.ts'
import { readContent } from '../../src/gateway/reading/read-content.ts'
import type { OrderQuery } from '../../src/ports/views/order-views.ts'
import type { OrderRecord } from '../../src/schemas/order-record.ts'
import { toTxid } from '../support/ids.ts'
import { listNaively } from '../support/orders/naive-listing.ts'
import { orderOf } from '../support/orders/orders.ts'

const ID = `${'c'.repeat(64)}i0`
const ASSET = { inscriptionId: ID, outpoint: { txid: toTxid('d'.repeat(64)), vout: 0 } }
const SHOWN = { mediaType: 'text/plain', body: Buffer.from('shown'), tag: 'tag' }
const HIDDEN = { hidden: { hiddenAt: '2026-07-01T00:00:00.000Z' as never } }

const offer = (over: Partial<OrderRecord> = {}) =>
  orderOf({ assets: [ASSET], outpoint: outpointText(ASSET.outpoint), ...over })

/** Says that it offers the inscription, and the index has not found it there. */
function falseClaim(over: Partial<OrderRecord> = {}): OrderRecord {
  const order = orderOf({ state: 'REJECTED', ...over })
  const source = { ...order.kept.source, claimedAsset: ASSET }
  return { ...order, kept: { ...order.kept, source } }
}

async function read(orders: readonly OrderRecord[]) {
  let pages = 0
  const page = async (query: OrderQuery) => {
    pages += 1
    const found = listNaively(orders, query)
    const shown = found.slice(0, query.limit)
    return { orders: shown.map((order) => ({ order, partition: 0, freshness: null })) }
  }
  const contents = { read: async () => SHOWN }
  const answer = await readContent(
    { contents } as never,
    { page } as never,
    ID,
    new AbortController().signal,
  ).catch((error: unknown) => (error as { code: string }).code)
  return { answer, pages }
}

test.each(['LIVE', 'SETTLED', 'MEMPOOL_CONFLICTED', 'WITHDRAWN', 'REJECTED'] as const)(
  'what an ask that is %s offers is shown',
  async (state) => {
    expect((await read([offer({ state })])).answer).toBe(SHOWN)
  },
)

describe('a bid, which needs no word of its owner', () => {
  test.each(['LIVE', 'REJECTED'] as const)('opens nothing: %s', async (state) => {
    const { answer } = await read([offer({ side: 'BID', state })])
    expect(answer).toBe('CONTENT_NOT_FOUND')
  })

  test('closes nothing that an ask offers, where an operator hides it', async () => {
    const { answer } = await read([offer(), offer({ side: 'BID', ...HIDDEN })])
    expect(answer).toBe(SHOWN)
  })
})

describe('however many newer orders only claim it', () => {
  const newer = { createdAt: '2026-07-09T00:00:00.000Z' as never }
  const claims = Array.from({ length: 300 }, () => falseClaim(newer))

  test('what is offered is shown, and they are not read', async () => {
    expect(await read([offer({ state: 'SETTLED' }), ...claims])).toEqual({
      answer: SHOWN,
      pages: 2,
    })
  })

  test('what is hidden stays hidden', async () => {
    const hidden = claims.map((claim) => ({ ...claim, ...HIDDEN }))
    const { answer } = await read([offer(HIDDEN), ...hidden, offer()])
    expect(answer).toBe('ORDER_HIDDEN')
  })

  test('they alone open and close nothing', async () => {
    expect((await read(claims)).answer).toBe('CONTENT_NOT_FOUND')
    expect((await read([falseClaim(HIDDEN), offer()])).answer).toBe(SHOWN)
  })
})
