import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Devnet, openDevnet } from '../../src/devnet/devnet.ts'
import { accountOf } from '../../src/devnet/people/wallet.ts'
import { WATERMARK_USED_MS } from '../../src/gateway/last-watermark.ts'
import { BatchLine } from '../../src/schemas/api/batch.ts'
import { ChangeRecord, InboxRecord, TOPICS, type Topic } from '../../src/schemas/log.ts'
import type { OrderSummary } from '../../src/schemas/order.ts'
import { type Market, ORDERS_ONLY, openMarket } from '../support/market/market.ts'
import { saleEvent } from '../support/orders/sale-event.ts'
import { waitUntil } from '../support/services/programs.ts'
import { systemClock } from '../support/system-clock.ts'

// The whole service, its node and index beside it: what a gateway was told is the verdict, asked once.

const TOKEN = 'ab'.repeat(32)
const AT_ONCE = 64
/** As slow as an authority on a busy network, so that questions meet. */
const SLOW_MS = 100

let devnet: Devnet
let market: Market
/** Calls of node and index since the last look, by name. */
const calls = new Map<string, number>()

function counted<T extends object>(part: T): T {
  return new Proxy(part, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name)
      if (typeof value !== 'function') return value
      const call = (...args: unknown[]) => Reflect.apply(value, target, args)
      if (name !== 'chain' && name !== 'status') return call
      return async (...args: unknown[]) => {
        calls.set(name, (calls.get(name) ?? 0) + 1)
        await systemClock.sleep(SLOW_MS)
        return call(...args)
      }
    },
  })
}

beforeAll(async () => {
  devnet = openDevnet({ dataDir: null, clock: systemClock, network: 'regtest' })
  const { node, index } = devnet
  market = await openMarket(
    {
      ...ORDERS_ONLY,
      OPERATOR_TOKENS: `bob:${createHash('sha256').update(TOKEN).digest('hex')}`,
      // Of one address all routes, of 64 addresses all that strangers may send at once by default.
      RATE_LIMIT_IMPORT: '60',
      TRUST_PROXY: '127.0.0.1',
    },
    {
      authorities: {
        ...{ node, index, blocks: null, devnet: null },
        // What ingest asks is not counted.
        inLane: () => ({ node: counted(node), index: counted(index) }),
      },
    },
  )
})
afterAll(async () => {
  await market.end()
  await devnet.close()
})

let coins = 0
/** Signed asks for confirmed coins, once the partitions of all of them know their blocks. */
async function asks(count: number): Promise<{ psbt: string; utxo: string }[]> {
  const made = Array.from({ length: count }, () => {
    const seller = accountOf(`seller ${++coins}`, 'p2wpkh')
    const outpoint = devnet.fund(seller.address, 10_000n)
    const coin = { outpoint, scriptHex: seller.scriptHex, valueSats: '10000' }
    const psbt = seller.ask(coin, { scriptHex: seller.scriptHex, valueSats: '50000' })
    return { psbt, utxo: `${outpoint.txid}:${outpoint.vout}` }
  })
  const { tip } = await devnet.node.chain()
  await waitUntil('the views show the tip', async () => {
    const all = [...(await market.stores.views.freshness()).values()]
    const reached = all.filter(({ watermark }) => watermark.tip.height >= tip.height)
    return reached.length === market.stores.log.partitions
  })
  await systemClock.sleep(2 * WATERMARK_USED_MS)
  return made
}

async function recordsOf(topic: Topic): Promise<unknown[]> {
  const { log } = market.stores
  const values: unknown[] = []
  for (let partition = 0; partition < log.partitions; partition += 1)
    for await (const records of log.stored(topic, partition, 0))
      values.push(...records.map(({ value }) => value))
  return values
}

/** The orders that became LIVE in the step that made them, and those about which their partition asked. */
async function verdicts() {
  const changes = (await recordsOf(TOPICS.lifecycle)).flatMap(
    (value) => ChangeRecord.safeParse(value).data ?? [],
  )
  const answers = (await recordsOf(TOPICS.inbox)).flatMap((value) => {
    const { data } = InboxRecord.safeParse(value)
    return data?.kind === 'evidence' ? [data.orderId] : []
  })
  const live = changes.filter(
    ({ toState, cause }) => toState === 'LIVE' && cause.kind === 'command',
  )
  return { byGateway: new Set(live.map(({ orderId }) => orderId)), asked: new Set(answers) }
}

const customerKey = async (): Promise<string> => {
  const body = { name: 'acme', tier: 'maker' }
  const made = await market.post('/api/market/admin/keys', body, {
    authorization: `Bearer ${TOKEN}`,
  })
  return (made.body as { key: string }).key
}

describe('what a gateway was told', () => {
  test('makes an order LIVE at once, by an import, an event, a publish or a line of a batch', async () => {
    const [first, second, third, fourth] = await asks(4)
    const tags = [
      ['n', 'regtest'],
      ['t', 'sell'],
      ['u', second!.utxo],
      ['s', '50000'],
    ]
    const createdAt = Math.floor(Date.now() / 1_000)
    const orders: OrderSummary[] = []
    for (const [route, body] of [
      ['import', { psbt: first!.psbt }],
      ['portable-event', saleEvent(second!.psbt, tags, { createdAt })],
      ['publish', { psbt: third!.psbt }],
    ] as const) {
      const { status, body: order } = await market.post(`orders/${route}`, body)
      expect(status, JSON.stringify(order)).toBe(201)
      orders.push(order)
    }
    const batch = await fetch(`${market.address}/api/market/orders/import/batch`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${await customerKey()}`,
        'content-type': 'application/x-ndjson',
      },
      body: JSON.stringify({ psbt: fourth!.psbt }),
    })
    orders.push(BatchLine.parse(await batch.json()).body as OrderSummary)
    expect(orders.map(({ state }) => state)).toEqual(orders.map(() => 'LIVE'))
    const { byGateway, asked } = await verdicts()
    for (const { id } of orders) expect([byGateway.has(id), asked.has(id)]).toEqual([true, false])
  })

  test(`is asked once for imports at the same time, of which ${AT_ONCE} meet no 503`, async () => {
    const all = await asks(AT_ONCE)
    calls.clear()
    const statuses = await Promise.all(
      all.map(async ({ psbt }, n) => {
        const answer = await fetch(`${market.address}/api/market/orders/import`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', 'x-forwarded-for': `198.51.${n}.7` },
          body: JSON.stringify({ psbt }),
        })
        await answer.text()
        return answer.status
      }),
    )
    expect(statuses).toEqual(all.map(() => 201))
    // Each import asks for the tip again, and for the status of the index before and after.
    expect(calls.get('chain')).toBeGreaterThan(0)
    expect(calls.get('chain')).toBeLessThan(AT_ONCE)
    expect(calls.get('status')).toBeLessThan(2 * AT_ONCE)
  })
})
