import { createHash } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { OrderPage } from '../../src/schemas/order.ts'
import type { OrderRecord } from '../../src/schemas/order-record.ts'
import { openTestApp, type TestApp } from '../support/http/http.ts'
import { toBlockHash, toOrderId, toTxid } from '../support/ids.ts'
import { viewsOf } from '../support/orders/view-orders.ts'

const MEBIBYTE = 1_048_576
const ORDERS = 200
const TOKEN = 'f2b1c0de'.repeat(8)
const operators = [{ name: 'bob', tokenSha256: createHash('sha256').update(TOKEN).digest('hex') }]

let it: TestApp
beforeEach(async () => {
  it = await openTestApp({ http: { operators, rateLimits: { operator: 9_999 } } })
})
afterEach(() => it.close())

/** Walks the book page by page; every answer is at most 1 MiB. */
async function walk(list = 'orders?'): Promise<{ ids: string[]; sizes: number[] }> {
  const ids: string[] = []
  const sizes: number[] = []
  for (let cursor = ''; ; ) {
    const authorization = `Bearer ${TOKEN}`
    const url = `/api/market/${list}&limit=200${cursor}`
    const response = await it.get(url, { authorization })
    const page: OrderPage = response.json()
    ids.push(...page.orders.map(({ id }) => id))
    sizes.push(response.rawPayload.length)
    if (!page.hasMore) return { ids, sizes }
    cursor = `&cursor=${page.nextCursor}`
  }
}

async function seedWith(change: (order: OrderRecord) => Partial<OrderRecord>) {
  const plain = await it.seed()
  const views = viewsOf(it.gateway.views)
  for (let n = 1; n < ORDERS; n += 1)
    await views.put({ ...plain, id: toOrderId(n.toString(16).padStart(64, '0')), ...change(plain) })
}

describe('a page of 200 orders is one answer of 1 MiB at the most, and its cursor leads to the rest', () => {
  test('with the largest possible scripts', async () => {
    const script = '6a'.repeat(10_000)
    await seedWith(({ kept }) => ({
      sellerScriptHex: script,
      kept: {
        ...kept,
        inspection: { ...kept.inspection, outputScriptsHex: [script, script, script] },
      },
    }))
    const { ids, sizes } = await walk()
    expect(new Set(ids).size).toBe(ORDERS)
    expect(sizes.length).toBeGreaterThan(5)
    expect(Math.max(...sizes)).toBeLessThan(MEBIBYTE)
  })

  test('with the most sources that are kept, with the longest names', async () => {
    const sources = Array.from({ length: 32 }, (_, n) => ({
      source: 'direct-import' as const,
      sourceId: `${n}`.padEnd(128, '字'),
      observedAt: '2026-01-01T00:00:00.000Z',
      claimedPriceSats: '50000',
      claimedAsset: {
        inscriptionId: `${'ab'.repeat(32)}i0`,
        outpoint: { txid: toTxid('ab'.repeat(32)), vout: 0 },
      },
    }))
    await seedWith(() => ({ sources }))
    const { ids, sizes } = await walk()
    expect(new Set(ids).size).toBe(ORDERS)
    expect(Math.max(...sizes)).toBeLessThan(MEBIBYTE)
  })

  test('with the longest possible texts, also for operators', async () => {
    // What has no limit of its own is small here: the other texts must count too.
    const texts = ({ id }: OrderRecord) => ({
      state: 'LIVE' as const,
      token: '字'.repeat(64),
      protocolId: '字'.repeat(64),
      withdrawal: { withdrawnAt: '2026-01-01T00:00:00.000Z', reason: '字'.repeat(280) },
      settlement: { txid: toTxid(id), observedAt: '2026-01-01T00:00:00.000Z', confirmations: 0 },
      indexProof: {
        begunAt: null,
        status: 'ready' as const,
        at: { version: 'ord', height: 1, hash: toBlockHash(id) },
        indexed: true,
        inscriptions: null,
        runes: Array.from({ length: 8 }, (_, n) => ({
          name: `${'ABCDEFGHIJKLMNOPQRSTUVWXY'}${n}`.split('').join('•'),
          amount: '9'.repeat(39),
        })),
      },
      sources: Array.from({ length: 5 }, (_, n) => ({
        source: 'direct-import' as const,
        sourceId: `${n}`.padEnd(128, '字'),
        observedAt: '2026-01-01T00:00:00.000Z',
      })),
    })
    for (const [hidden, list] of [
      [undefined, 'orders?includeWithdrawn=true'],
      [{ hiddenAt: '2026-01-01T00:00:00.000Z' }, 'admin/hidden-orders?'],
    ] as const) {
      await seedWith((order) => ({ ...texts(order), ...(hidden && { hidden }) }))
      const { ids, sizes } = await walk(list)
      expect(new Set(ids).size).toBeGreaterThanOrEqual(ORDERS - 1)
      expect(sizes.length).toBe(2)
      expect(Math.max(...sizes)).toBeLessThan(MEBIBYTE)
    }
  })

  test('and one of plain orders is one page', async () => {
    await seedWith(() => ({}))
    expect((await walk()).sizes).toHaveLength(1)
  })
})
