import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { auditStore } from '../../src/operator/audit/audit-store.ts'
import { ClickHouseServer, WRITER } from '../support/clickhouse/server.ts'
import { type Market, openMarket } from '../support/market/market.ts'
import { ask, importAsk } from '../support/orders/devnet-asks.ts'

let server: ClickHouseServer
let market: Market
beforeAll(async () => {
  server = await ClickHouseServer.start()
})
afterAll(async () => {
  await market.end()
  await server.stop()
})

const variables = () => ({
  CLICKHOUSE_URL: server.url,
  CLICKHOUSE_USER: WRITER.user,
  CLICKHOUSE_PASSWORD: WRITER.password,
})

/** The test shares the event loop of the service, and may overload it: then it retries. */
const PATIENCE = { timeout: 30_000, interval: 200 }
const imported = (label: string) => vi.waitFor(() => importAsk(market.address, label), PATIENCE)

/** `/activity` of an order, once it is complete. */
const toldOf = (orderId: string) =>
  vi.waitFor(async () => {
    const { status, body } = await ask(market.address, `activity?orderId=${orderId}`)
    expect(status).toBe(200)
    const states = body.entries.map(({ toState }: { toState: string }) => toState)
    expect(states).toEqual(['LIVE', 'PENDING_NODE'])
  }, PATIENCE)

test('the whole service with its history in ClickHouse, which is killed and comes back', async () => {
  market = await openMarket(variables())
  const before = await imported('a seller before')
  await toldOf(before.id)

  await server.kill()
  const meanwhile = await imported('a seller meanwhile')
  expect(meanwhile.state).toBe('LIVE')
  await vi.waitFor(async () => {
    const { status, body, headers } = await ask(market.address, 'activity')
    expect([status, body.code]).toEqual([503, 'HISTORY_UNAVAILABLE'])
    expect(headers.get('retry-after')).not.toBeNull()
    expect(JSON.stringify(body)).not.toContain(WRITER.password)
    expect((await ask(market.address, '/readyz')).status).toBe(200)
  }, PATIENCE)

  await server.resume()
  await toldOf(before.id)
  await toldOf(meanwhile.id)
  await market.stop()
  const report = await auditStore(market.config)
  expect(report.toString()).toMatch(/\nclean: every invariant holds$/)
})

test('an audit finds an entry that ClickHouse lost of the activity', async () => {
  const [row] = await server.query(
    'market',
    'SELECT order_id FROM order_transitions WHERE seq = 2 LIMIT 1 FORMAT JSONEachRow',
  )
  const { order_id } = row as { order_id: string }
  await server.query(
    'market',
    `ALTER TABLE activity_rows DELETE WHERE order_id = '${order_id}' SETTINGS mutations_sync = 2`,
  )
  const report = await auditStore(market.config)
  expect(report.isClean).toBe(false)
  expect(report.toString()).toMatch(/\nviolated: I6$/)
})
