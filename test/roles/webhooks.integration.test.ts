import { createHash } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { addressOfScript } from '../../src/domain/script/address.ts'
import { WebhookRefusedError } from '../../src/roles/parts/webhooks.ts'
import type { ActivityPage, OrderSummary } from '../../src/schemas/order.ts'
import { walletOf } from '../support/chain/keys.ts'
import { type Market, openMarket } from '../support/market/market.ts'
import { devnetOf } from '../support/market/trader.ts'
import { makeAsk } from '../support/orders/psbt-orders.ts'
import { eventually } from '../support/webhooks/eventually.ts'
import { openWebhookReceiver, type WebhookReceiver } from '../support/webhooks/webhook-receiver.ts'

const TOKEN = '0defaced'.repeat(8)
const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
let market: Market
let receiver: WebhookReceiver
beforeAll(async () => {
  receiver = await openWebhookReceiver()
  receiver.secrets.set('/conf', SECRET)
  market = await openMarket({
    OPERATOR_TOKENS: `mia:${createHash('sha256').update(TOKEN).digest('hex')}`,
    WEBHOOK_LOOPBACK: 'true',
    WEBHOOK_ENDPOINTS: JSON.stringify([
      { name: 'conf', url: receiver.url('/conf'), secrets: [SECRET] },
    ]),
  })
})
afterAll(async () => {
  await market.end()
  await receiver.close()
})

test('an imported order is sent to the endpoints, and the metrics show it', async () => {
  const created = await fetch(`${market.address}/api/market/admin/webhooks`, {
    method: 'POST',
    headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'shop', url: receiver.url('/shop') }),
  })
  expect(created.status).toBe(201)
  receiver.secrets.set('/shop', ((await created.json()) as { secret: string }).secret)
  const address = addressOfScript(walletOf('p2wpkh', 'shop').scriptHex, 'regtest') ?? ''
  const prevout = { ...devnetOf(market).fund(address, 10_000n), valueSats: '10000' }
  const { psbt } = makeAsk({ script: 'p2wpkh', seed: 'shop', prevout })
  const { body: order }: { body: OrderSummary } = await market.post('orders/import', { psbt })
  const { body }: { body: ActivityPage } = await market.get(`activity?orderId=${order.id}`)
  const wanted = body.entries.map(({ id }) => id).reverse()
  const told = (path: string) =>
    receiver.accepted(path).flatMap(({ event }) => event.data.entry?.id ?? [])
  await eventually(() => [told('/conf'), told('/shop')]).toEqual([wanted, wanted])
  expect(receiver.accepted('/shop').at(-1)?.event.data.order).toMatchObject({
    id: order.id,
    state: 'LIVE',
  })
  const metrics = await (await fetch(`${market.metricsAddress}/metrics`)).text()
  expect(metrics).toMatch(/market_webhooks_delivered_total\{webhook="shop"\} [1-9]/)
  expect(metrics).toContain('market_webhooks_failing_seconds{webhook="conf"} 0')
})

test('an endpoint of the configuration to which nothing may be sent stops the start', async () => {
  const WEBHOOK_ENDPOINTS = JSON.stringify([
    { name: 'conf', url: 'http://10.0.0.1/', secrets: [SECRET] },
  ])
  await expect(openMarket({ WEBHOOK_ENDPOINTS })).rejects.toThrow(WebhookRefusedError)
})
