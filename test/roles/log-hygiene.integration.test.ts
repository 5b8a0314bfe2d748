import { createHash } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { connect } from 'node:net'
import { afterAll, describe, expect, test } from 'vitest'
import { accountOf } from '../../src/devnet/people/wallet.ts'
import { openLogger } from '../../src/roles/observe/logger.ts'
import type { OrderSummary } from '../../src/schemas/order.ts'
import { type Market, openMarket } from '../support/market/market.ts'
import { moderate } from '../support/market/moderate.ts'

const RPC_PASSWORD = 'rpc-password-of-the-node-4711'
const CURSOR_KEY = 'cursor-key-0123456789-0123456789-0123456789'
const TOKEN = `mkt_${'token-of-an-operator-'.padEnd(43, 'x')}`
const WRONG_TOKEN = `mkt_${'token-of-nobody-'.padEnd(43, 'x')}`
/** What would move a terminal's cursor, forge a second entry, or end a line for some readers. */
const EVIL = 'evil\n{"level":"fatal"}\r\u001b[31m\u0000\u009b2J\u2028\u2029\u007f'
const SECRETS = [
  RPC_PASSWORD,
  Buffer.from(`market:${RPC_PASSWORD}`).toString('base64'),
  CURSOR_KEY,
  TOKEN,
  WRONG_TOKEN,
  'Bearer',
  // How every PSBT begins, in base64 and in hex.
  'cHNidP',
  '70736274ff',
]
// biome-ignore lint/suspicious/noControlCharactersInRegex: what must not be there.
const UNESCAPED = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/

const markets: Market[] = []
afterAll(async () => {
  for (const market of markets) await market.end()
})

/** A service with its log at the finest level, as written. */
async function logged(variables: Record<string, string>) {
  const lines: string[] = []
  const logger = openLogger({ LOG_LEVEL: 'trace' }, { write: (line) => lines.push(line) })
  const market = await openMarket(variables, { logger })
  markets.push(market)
  return { market, lines }
}

/** One JSON line an entry, no secret in any, nothing that a terminal would interpret. */
function expectClean(lines: readonly string[]): void {
  for (const line of lines) {
    expect(line.endsWith('\n')).toBe(true)
    const text = line.slice(0, -1)
    expect(text).not.toMatch(UNESCAPED)
    expect(JSON.parse(text)).toMatchObject({
      level: expect.stringMatching(/^(trace|debug|info|warn|error|fatal)$/),
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    })
  }
  const all = lines.join('')
  expect(SECRETS.filter((secret) => all.includes(secret))).toEqual([])
}

describe('LOG_CLIENTS', () => {
  test.each([
    ['address', /"ip":"127\.0\.0\.1"/],
    ['network', /"ip":"127\.0\.0\.0\/24"/],
    ['none', /"ms":[0-9]+,"msg"/],
  ])('%s: determines what an entry shows of its client', async (how, expected) => {
    const { market, lines } = await logged({ LOG_CLIENTS: how })
    await market.get('orders/nothing')
    const answered = lines.filter(
      (line) => line.includes('"msg":"answered"') && line.includes('/api/market/orders/:id"'),
    )
    // A 503 of a busy machine is retried.
    expect(answered).not.toEqual([])
    for (const line of answered) expect(line).toMatch(expected)
  })
})

describe('the log', () => {
  test('orders, tokens, keys and control characters of requests leave no trace in it', async () => {
    const { market, lines } = await logged({
      CURSOR_KEY,
      TRUST_PROXY: '127.0.0.1',
      OPERATOR_TOKENS: `alice:${createHash('sha256').update(TOKEN).digest('hex')}`,
    })
    const seller = accountOf('seller', 'p2tr')
    const outpoint = market.authorities.devnet?.fund(seller.address, 10_000n)
    if (!outpoint) throw new Error('this test needs the devnet')
    const psbt = seller.ask(
      { outpoint, scriptHex: seller.scriptHex, valueSats: '10000' },
      { scriptHex: seller.scriptHex, valueSats: '50000' },
    )
    const { id } = (await market.post('orders/import', { psbt })).body as OrderSummary
    await market.get(`orders/${id}/artifact`)
    const statuses = [
      await market.post('orders/import', { psbt: `${psbt.slice(0, -40)}${EVIL}` }),
      await market.post('orders/import', { psbt, sourceId: EVIL, token: EVIL }),
      await market.post('orders/import', { [EVIL]: psbt }),
      await market.post('orders/portable-event', { content: psbt, [EVIL]: EVIL }),
      await market.post('orders/inspect', { psbt, token: EVIL }),
      await market.get(`orders/${encodeURIComponent(EVIL)}`),
      await market.get(`orders?cursor=${encodeURIComponent(EVIL)}&${encodeURIComponent(EVIL)}=1`),
      await market.get(`/${encodeURIComponent(EVIL)}`),
    ].map(({ status }) => status)
    expect(statuses.every((status) => status >= 400 && status < 500)).toBe(true)
    for (const token of [TOKEN, WRONG_TOKEN]) await moderate(market, id, { reason: EVIL }, token)
    await rawRequest(market, `{"psbt":"${psbt}" ${EVIL}`)
    market.authorities.devnet?.stopNode()
    await market.post(`orders/${id}/revalidate`)

    const routes = lines.map((line) => (JSON.parse(line) as { route?: string }).route)
    expect(routes).toContain('/api/market/orders/import')
    expect(routes).toContain('/api/market/admin/orders/:id/withdraw')
    expectClean(lines)
    // What a proxy says of its client is logged only if it is an address.
    expect(lines.join('')).not.toContain('31mevil')
  })

  test('a node that refuses the login, and says so in control characters, leaves no password', async () => {
    const node = createServer((request, response) => {
      response.statusCode = request.headers.authorization ? 500 : 401
      response.end(EVIL)
    })
    await new Promise<void>((resolve) => node.listen(0, '127.0.0.1', resolve))
    const { market, lines } = await logged({
      BITCOIN_RPC_URL: `http://127.0.0.1:${(node.address() as AddressInfo).port}`,
      BITCOIN_RPC_USER: 'market',
      BITCOIN_RPC_PASSWORD: RPC_PASSWORD,
    })
    await market.get('health')
    await market.post('orders/import', { psbt: 'cHNidP8=' })
    node.close()
    node.closeAllConnections()
    await market.get('health')
    expect(lines.length).toBeGreaterThan(2)
    expectClean(lines)
  })
})

test('secrets and orders are kept out of entries wherever they occur, and text stays data', () => {
  const lines: string[] = []
  const logger = openLogger({ LOG_LEVEL: 'trace' }, { write: (line) => lines.push(line) })
  const secret = { psbt: 'cHNidP8x', password: RPC_PASSWORD, authorization: `Bearer ${TOKEN}` }
  logger.warn({ ...secret, one: secret, two: { below: secret }, text: EVIL }, EVIL)
  expectClean(lines)
  const [entry] = lines.map((line) => JSON.parse(line) as Record<string, unknown>)
  expect(entry).toMatchObject({ msg: EVIL, text: EVIL, one: { psbt: '(redacted)' } })
})

/**
 * A request that no client library would send: obs-text in its headers, a body that is not JSON.
 */
function rawRequest({ address }: Market, body: string): Promise<void> {
  const { hostname, port } = new URL(address)
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => {
      socket.end(
        Buffer.from(
          `POST /api/market/orders/import?%1b%0a HTTP/1.1\r\nhost: market\r\n` +
            `x-forwarded-for: \u009b31mevil\r\nx-request-id: \u009b31m\r\nuser-agent: \u009b2J\r\n` +
            `authorization: Bearer ${WRONG_TOKEN}\r\ncontent-type: application/json\r\n` +
            `content-length: ${Buffer.byteLength(body, 'latin1')}\r\n\r\n${body}`,
          'latin1',
        ),
      )
    })
    socket.on('data', () => {})
    socket.once('close', () => resolve())
    socket.once('error', reject)
  })
}
