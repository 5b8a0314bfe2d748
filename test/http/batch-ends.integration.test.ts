import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { accountOf } from '../../src/devnet/people/wallet.ts'
import { DEFAULT_HTTP_SETTINGS } from '../../src/http/app.ts'
import { BatchLine } from '../../src/schemas/api/batch.ts'
import type { CommandRecord } from '../../src/schemas/log.ts'
import { openTestApp, type TestApp } from '../support/http/http.ts'
import { toTxid } from '../support/ids.ts'
import { orderFrom } from '../support/log/inbox-player.ts'
import { ManualClock } from '../support/manual-clock.ts'

// How a batch ends that does not end by itself, and what is held of it afterwards.

const TOKEN = 'f2b1c0de'.repeat(8)
const operators = [{ name: 'bob', tokenSha256: createHash('sha256').update(TOKEN).digest('hex') }]
const BATCH = '/api/market/orders/import/batch'
const VERDICT_MS = 15_000
/** For the headers and the body of a request: real time. */
const REQUEST_MS = 1_500
const IN_PROGRESS = 16
/** Of a close: real time. */
const DRAIN_MS = 2_500

/** Long, for a busy machine. */
const until = (holds: () => void | Promise<void>) => vi.waitFor(holds, 60_000)

let clock: ManualClock
let it: TestApp
let port: number
let sockets: Socket[]
let begun: CommandRecord[]
/** What the actor makes of the import of a line, by its number from 0; null: it leaves it unanswered. */
let notesOf: (line: number) => string[] | null
const warnings: Error[] = []
const note = (warning: Error) => warnings.push(warning)

beforeEach(async () => {
  process.on('warning', note)
  clock = new ManualClock()
  sockets = []
  begun = []
  notesOf = () => null
  const { timeouts } = DEFAULT_HTTP_SETTINGS
  it = await openTestApp({
    ports: { clock },
    settings: { verdictWaitMs: VERDICT_MS },
    tiers: [{ name: 'maker', requests: 99_999, storedKib: 99_999, streams: 1, webhooks: 1 }],
    http: {
      operators,
      rateLimits: { operator: 9_999 },
      drainMs: DRAIN_MS,
      timeouts: { ...timeouts, headers: REQUEST_MS, request: REQUEST_MS, idle: 600_000 },
    },
  })
  port = await it.listen()
  void playActor(it)
})
afterEach(async () => {
  for (const socket of sockets) socket.destroy()
  await it.close()
  process.off('warning', note)
  expect(warnings).toEqual([])
})

async function playActor({ commands }: TestApp): Promise<void> {
  for (;;) {
    const command = await commands.next()
    const notes = notesOf(lineOf(command))
    if (notes) await commands.finish(command, orderFrom(command, 'regtest', { notes }))
    begun.push(command)
  }
}

let keys = 0
async function newKey(): Promise<string> {
  keys += 1
  const body = { name: `acme-${keys}`, tier: 'maker' }
  const made = await it.post('/api/market/admin/keys', body, { authorization: `Bearer ${TOKEN}` })
  return made.json().key
}

const seller = accountOf('seller', 'p2wpkh')
let vout = 0
/** The output of the first line of the last batch. */
let firstVout = 0
const lineOf = ({ outpoint }: CommandRecord): number => Number(outpoint.split(':')[1]) - firstVout

/** So many lines, each with a signed ask for a coin of its own. */
function asks(count: number): string {
  firstVout = vout + 1
  const lines = Array.from({ length: count }, () => {
    vout += 1
    const outpoint = { txid: toTxid('ac'.repeat(32)), vout }
    const coin = { outpoint, valueSats: '546', scriptHex: seller.scriptHex }
    const payout = { scriptHex: seller.scriptHex, valueSats: '50000' }
    return `${JSON.stringify({ psbt: seller.ask(coin, payout) })}\n`
  })
  return lines.join('')
}

const head = (key: string, bytes: number): string =>
  `POST ${BATCH} HTTP/1.1\r\nhost: market\r\nauthorization: Bearer ${key}\r\n` +
  `content-type: application/x-ndjson\r\ncontent-length: ${bytes}\r\n\r\n`

/** Sends the bytes, and reads nothing. */
function send(bytes: string): Socket {
  const socket = connect(port, '127.0.0.1')
  sockets.push(socket)
  socket.on('error', () => undefined)
  socket.pause()
  socket.write(bytes)
  return socket
}

async function post(key: string, body: string): Promise<{ status: number; text: string }> {
  const headers = {
    authorization: `Bearer ${key}`,
    'content-type': 'application/x-ndjson',
    connection: 'close',
  }
  const answer = await fetch(`http://127.0.0.1:${port}${BATCH}`, { method: 'POST', headers, body })
  return { status: answer.status, text: await answer.text() }
}

const linesOf = (text: string): BatchLine[] =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => BatchLine.parse(JSON.parse(line)))

async function metric(name: string): Promise<number> {
  const { values = [] } = (await it.registry.getSingleMetric(name)?.get()) ?? {}
  return values.reduce((sum, { value }) => sum + value, 0)
}

/** No answer is held, each place of the key is free, and so is each lane of the gateway. */
async function expectNothingHeld(key: string): Promise<void> {
  await until(async () => {
    const held = await Promise.all(
      ['unread_bytes', 'connections'].map((of) => metric(`market_http_${of}`)),
    )
    expect(held).toEqual([0, 0])
  })
  const before = begun.length
  notesOf = () => null
  const places = Array.from({ length: 4 }, () => {
    const body = asks(IN_PROGRESS)
    return send(head(key, body.length) + body)
  })
  // 32 lines of all batches are in progress at once.
  await until(() => expect(begun.length).toBe(before + 2 * IN_PROGRESS))
  expect((await post(key, '{}')).status).toBe(429)
  for (const socket of places) socket.destroy()
  await until(async () => expect((await post(key, '{}')).status).toBe(200))
}

test('a line without a verdict is answered when its waiting time is over; 60 s after the batch began no line begins', async () => {
  const key = await newKey()
  const answered = post(key, asks(3 * IN_PROGRESS))
  await until(() => expect(begun).toHaveLength(IN_PROGRESS))
  clock.advance(VERDICT_MS)
  await until(() => expect(begun).toHaveLength(2 * IN_PROGRESS))
  clock.advance(60_001 - VERDICT_MS)
  const answers = linesOf((await answered).text)
  expect(answers.map(({ body }) => 'code' in body && body.code)).toEqual([
    ...Array(2 * IN_PROGRESS).fill('STILL_BEING_VERIFIED'),
    ...Array(IN_PROGRESS).fill('OVERLOADED'),
  ])
  expect(answers.at(-1)).toMatchObject({ status: 503, retryAfterSeconds: 1 })
  expect(begun).toHaveLength(2 * IN_PROGRESS)
  await expectNothingHeld(key)
}, 240_000)

test('no line begins once the key of its batch has ended', async () => {
  const answered = post(await newKey(), asks(2 * IN_PROGRESS))
  await until(() => expect(begun).toHaveLength(IN_PROGRESS))
  const headers = { authorization: `Bearer ${TOKEN}` }
  const ended = await it.post(`/api/market/admin/keys/acme-${keys}/revoke`, {}, headers)
  expect(ended.statusCode).toBe(201)
  clock.advance(VERDICT_MS)
  const answers = linesOf((await answered).text)
  expect(answers.map(({ status }) => status).slice(IN_PROGRESS)).toEqual(
    Array(IN_PROGRESS).fill(401),
  )
  expect(answers.at(-1)?.body).toMatchObject({ code: 'UNAUTHORIZED' })
  expect(begun).toHaveLength(IN_PROGRESS)
}, 240_000)

test('at 60 s a line still begins', async () => {
  const answered = post(await newKey(), asks(IN_PROGRESS + 1))
  await until(() => expect(begun).toHaveLength(IN_PROGRESS))
  clock.advance(60_000)
  await until(() => expect(begun).toHaveLength(IN_PROGRESS + 1))
  clock.advance(VERDICT_MS)
  const last = linesOf((await answered).text).at(-1)
  expect(last?.body).toMatchObject({ code: 'STILL_BEING_VERIFIED' })
}, 240_000)

test('a client that stops reading is disconnected after 120 s: its orders stay, nothing else', async () => {
  const key = await newKey()
  // More than the buffers of both ends of a connection hold.
  const lines = 200
  notesOf = () => ['n'.repeat(60_000)]
  const body = asks(lines)
  const socket = send(head(key, body.length) + body)
  await until(() => expect(begun).toHaveLength(lines))
  await until(async () => expect(await metric('market_http_unread_bytes')).toBeGreaterThan(10 ** 6))
  clock.advance(119_999)
  await new Promise((resolve) => setTimeout(resolve, 200))
  expect(await metric('market_http_connections')).toBe(1)
  clock.advance(1)
  await until(async () => expect(await metric('market_http_connections')).toBe(0))
  socket.destroy()
  for (const { orderId } of [begun[0], begun.at(-1)] as CommandRecord[])
    expect((await it.get(`/api/market/orders/${orderId}`)).statusCode).toBe(200)
  await expectNothingHeld(key)
}, 240_000)

test('a client that sends a byte now and then holds its place for as long as any request may take to arrive', async () => {
  const key = await newKey()
  const body = asks(1)
  const slow = Array.from({ length: 4 }, () => send(head(key, body.length)))
  let sent = 0
  const dripping = setInterval(() => {
    for (const socket of slow) if (!socket.destroyed) socket.write(body.charAt(sent))
    sent += 1
  }, 50)
  await until(async () => expect((await post(key, '{}')).status).toBe(429))
  for (const socket of slow) socket.resume()
  await until(() => expect(slow.every(({ closed }) => closed)).toBe(true))
  clearInterval(dripping)
  expect(sent).toBeLessThan(body.length)
  expect(begun).toEqual([])
  await expectNothingHeld(key)
}, 240_000)

test('a client that aborts in the middle keeps what was acknowledged; no further line begins', async () => {
  const key = await newKey()
  const taken = 5
  notesOf = (line) => (line < taken ? ['taken'] : null)
  const body = asks(100)
  const socket = send(head(key, body.length) + body)
  let text = ''
  socket.setEncoding('latin1').on('data', (piece) => {
    text += piece
  })
  socket.resume()
  const acknowledged = () => text.match(/"status":201/g)?.length
  await until(() => expect(acknowledged()).toBe(taken))
  await until(() => expect(begun).toHaveLength(taken + IN_PROGRESS))
  socket.resetAndDestroy()
  await once(socket, 'close')
  await until(async () =>
    expect(await metric('market_customer_lines_total')).toBe(taken + IN_PROGRESS),
  )
  expect(begun).toHaveLength(taken + IN_PROGRESS)
  const acknowledgedOrders = begun.filter((command) => lineOf(command) < taken)
  expect(acknowledgedOrders).toHaveLength(taken)
  for (const { orderId } of acknowledgedOrders)
    expect((await it.get(`/api/market/orders/${orderId}`)).statusCode).toBe(200)
  await expectNothingHeld(key)
}, 240_000)

test('answers made while earlier ones are awaited are not held once the client has left', async () => {
  const key = await newKey()
  // The first line is never decided: the others wait for it.
  notesOf = (line) => (line === 0 ? null : ['taken'])
  const body = asks(IN_PROGRESS)
  const socket = send(head(key, body.length) + body)
  await until(() => expect(begun).toHaveLength(IN_PROGRESS))
  await until(async () => expect(await metric('market_http_unread_bytes')).toBeGreaterThan(0))
  socket.resetAndDestroy()
  await expectNothingHeld(key)
}, 240_000)

test('a batch that a shutdown cuts has an answer to each line: those in progress, and the rest with SHUTTING_DOWN', async () => {
  const key = await newKey()
  const taken = 3
  notesOf = (line) => (line < taken ? ['taken'] : null)
  const answered = post(key, asks(3 * IN_PROGRESS))
  await until(() => expect(begun).toHaveLength(taken + IN_PROGRESS))
  const closed = it.app.close()
  const { status, text } = await answered
  await closed
  expect(status).toBe(200)
  const answers = linesOf(text)
  expect(answers.map(({ line }) => line)).toEqual(
    Array.from({ length: 3 * IN_PROGRESS }, (_, at) => at + 1),
  )
  expect(answers.map(({ status, body }) => [status, 'code' in body && body.code])).toEqual([
    ...Array(taken).fill([201, false]),
    ...Array(IN_PROGRESS).fill([504, 'STILL_BEING_VERIFIED']),
    ...Array(2 * IN_PROGRESS - taken).fill([503, 'SHUTTING_DOWN']),
  ])
  expect(begun).toHaveLength(taken + IN_PROGRESS)
}, 240_000)
