import { createHash } from 'node:crypto'
import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { accountOf } from '../../src/devnet/people/wallet.ts'
import { BatchLine } from '../../src/schemas/api/batch.ts'
import { openTestApp, type TestApp } from '../support/http/http.ts'
import { toTxid } from '../support/ids.ts'
import { orderFrom } from '../support/log/inbox-player.ts'

const TOKEN = 'f2b1c0de'.repeat(8)
const operators = [{ name: 'bob', tokenSha256: createHash('sha256').update(TOKEN).digest('hex') }]
const IMPORT = '/api/market/orders/import'
const BATCH = `${IMPORT}/batch`
const NDJSON = 'application/x-ndjson'

let it: TestApp
let stop: () => void
beforeAll(async () => {
  const tier = { requests: 100_000, storedKib: 4_096, streams: 4, webhooks: 4 }
  it = await openTestApp({
    // No test is about how long the one who plays the actor takes.
    settings: { verdictWaitMs: 120_000 },
    tiers: [
      { name: 'maker', ...tier },
      { name: 'small', ...tier, requests: 4 },
    ],
    http: { operators, rateLimits: { operator: 9_999, import: 9_999 } },
  })
  stop = playActor(it)
})
afterAll(async () => {
  stop()
  await it.close()
})

/** Makes a new order of each import, as it comes. */
function playActor({ commands }: TestApp): () => void {
  let isOver = false
  const play = async () => {
    while (!isOver) {
      const command = await commands.next()
      await commands.finish(command, orderFrom(command, 'regtest', {}))
    }
  }
  void play()
  return () => {
    isOver = true
  }
}

let keys = 0
async function keyOf(tier = 'maker'): Promise<Record<string, string>> {
  keys += 1
  const body = { name: `acme-${keys}`, tier }
  const made = await it.post('/api/market/admin/keys', body, { authorization: `Bearer ${TOKEN}` })
  return { authorization: `Bearer ${made.json().key}`, 'content-type': NDJSON }
}

const seller = accountOf('seller', 'p2wpkh')
const TXID = toTxid('ac'.repeat(32))
let vout = 0

/** A line with a signed ask for a coin that no other line offers. */
function ask(): string {
  vout += 1
  const coin = { outpoint: { txid: TXID, vout }, valueSats: '546', scriptHex: seller.scriptHex }
  return JSON.stringify({
    psbt: seller.ask(coin, { scriptHex: seller.scriptHex, valueSats: '50000' }),
  })
}

const send = (payload: string | Buffer, headers: Record<string, string>) =>
  it.app.inject({ method: 'POST', url: BATCH, headers, payload })

async function answersTo(payload: string | Buffer, headers?: Record<string, string>) {
  const answer = await send(payload, headers ?? (await keyOf()))
  expect([answer.statusCode, answer.headers['content-type']], answer.body).toEqual([200, NDJSON])
  expect(answer.body.endsWith('\n')).toBe(true)
  return answer.body
    .trimEnd()
    .split('\n')
    .map((line) => BatchLine.parse(JSON.parse(line)))
}

const without = <T extends object>(value: T, name: string) => ({ ...value, [name]: undefined })

describe('a batch', () => {
  test('answers each line in order as a single import would, with its status', async () => {
    const lines = [
      ask(),
      '{"psbt":"x"}',
      '',
      'not JSON',
      '{"psbt":"a","psbt":"b"}',
      '{"psbt":1,"extra":2}',
      '[]',
      ask(),
    ]
    const answers = await answersTo(lines.join('\n'))
    expect(answers.map(({ line }) => line)).toEqual(lines.map((_, n) => n + 1))
    expect(answers.map(({ status }) => status)).toEqual([201, 400, 400, 400, 400, 400, 400, 201])
    for (const [n, line] of lines.entries()) {
      const headers = { 'content-type': 'application/json' }
      const alone = await it.app.inject({ method: 'POST', url: IMPORT, headers, payload: line })
      const { status, body } = answers[n]!
      expect(status, line).toBe(alone.statusCode)
      if (status === 201) expect(body).toMatchObject({ id: alone.json().id, side: 'ASK' })
      else expect(without(body, 'requestId')).toEqual(without(alone.json(), 'requestId'))
    }
  })

  test('takes lines of as many outputs with one key, and the same again as the same orders', async () => {
    const headers = await keyOf()
    const body = `${Array.from({ length: 48 }, ask).join('\n')}\n`
    const first = await answersTo(body, headers)
    expect(first.map(({ status }) => status)).toEqual(Array(48).fill(201))
    const idsOf = (all: typeof first) => all.map((one) => 'id' in one.body && one.body.id)
    expect(new Set(idsOf(first)).size).toBe(48)
    expect(idsOf(await answersTo(body, headers))).toEqual(idsOf(first))
  }, 240_000)

  test('has up to 256 lines', async () => {
    const answers = await answersTo('{}\n'.repeat(256))
    expect(answers.map(({ line, status }) => [line, status])).toEqual(
      Array.from({ length: 256 }, (_, n) => [n + 1, 400]),
    )
  })

  test('counts each line by the tier of the key, and the lines say when to try again', async () => {
    const headers = await keyOf('small')
    const answers = await answersTo(Array.from({ length: 6 }, ask).join('\n'), headers)
    const statuses = answers.map(({ status }) => status)
    // The request is one of the four.
    expect(statuses).toEqual([201, 201, 201, 429, 429, 429])
    const refused = answers.filter(({ status }) => status === 429)
    for (const { body, retryAfterSeconds } of refused) {
      expect(body).toMatchObject({ code: 'MARKET_RATE_LIMITED', statusCode: 429 })
      expect(retryAfterSeconds).toBeGreaterThan(0)
    }
    expect((await send(ask(), headers)).statusCode).toBe(429)
    const metrics = await it.registry.metrics()
    expect(metrics).toContain('market_customer_lines_total{tier="small",result="taken"} 3')
    expect(metrics).toContain('market_customer_lines_total{tier="small",result="refused"} 3')
  })

  test('has lines that end as text does anywhere', async () => {
    const answers = await answersTo(`${ask()}\r\n${ask()}\n`)
    expect(answers.map(({ status }) => status)).toEqual([201, 201])
  })
})

describe('refuses', () => {
  test('whoever is no customer, before it reads the body', async () => {
    for (const authorization of [undefined, `Bearer ${TOKEN}`, 'Basic x']) {
      const headers = { 'content-type': NDJSON, ...(authorization && { authorization }) }
      const answer = await send(ask(), headers)
      expect(answer.json()).toMatchObject({ statusCode: 401, code: 'UNAUTHORIZED' })
    }
  })

  test.each([
    ['257 lines', '\n'.repeat(257), 413, 'PAYLOAD_TOO_LARGE'],
    ['more than 4 MiB', 'x'.repeat(4_194_305), 413, 'PAYLOAD_TOO_LARGE'],
    ['nothing', '', 400, 'VALIDATION_FAILED'],
  ])('%s as a whole', async (_what, payload, statusCode, code) => {
    const before = await it.gateway.log.end('orders.inbox', 0)
    const answer = await send(payload, await keyOf())
    expect(answer.json()).toMatchObject({ statusCode, code })
    expect(await it.gateway.log.end('orders.inbox', 0)).toBe(before)
  })

  test('another type, and its own type elsewhere', async () => {
    const headers = await keyOf()
    for (const type of ['application/json', 'text/plain', `${NDJSON}; charset=latin1`]) {
      const answer = await send(ask(), { ...headers, 'content-type': type })
      expect(answer.json(), type).toMatchObject({ statusCode: 415 })
    }
    const single = await it.app.inject({ method: 'POST', url: IMPORT, headers, payload: ask() })
    expect(single.json()).toMatchObject({ statusCode: 415, code: 'UNSUPPORTED_MEDIA_TYPE' })
  })

  test('a line that no import may have, and takes those beside it', async () => {
    const long = JSON.stringify({ psbt: 'A'.repeat(262_144) })
    const deep = `{"psbt":${'['.repeat(5_000)}${']'.repeat(5_000)}}`
    const answers = await answersTo([ask(), long, deep, ask()].join('\n'))
    expect(answers.map(({ status }) => status)).toEqual([201, 413, 400, 201])
  })

  test('bytes that are no UTF-8, in their line alone', async () => {
    const line = Buffer.concat([Buffer.from('{"psbt":"'), Buffer.of(0xff, 0xfe), Buffer.from('"}')])
    const answers = await answersTo(Buffer.concat([line, Buffer.from(`\n${ask()}`)]))
    expect(answers.map(({ status }) => status)).toEqual([400, 201])
  })
})

describe('on a socket', () => {
  /** For a busy machine. */
  const SOON = { timeout: 60_000 }

  /** Sends a batch, and reads nothing of its answer. */
  function begin(port: number, headers: Record<string, string>, body: string) {
    const socket = connect(port, '127.0.0.1')
    const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
    socket.write(
      `POST ${BATCH} HTTP/1.1\r\nhost: market\r\n${head.join('')}content-length: ${body.length}\r\n\r\n${body}`,
    )
    return socket
  }

  test('a fifth batch of one key waits; a client that leaves frees its place, and has no further line begun', async () => {
    const silent = await openTestApp({
      tiers: [{ name: 'maker', requests: 9_999, storedKib: 999, streams: 1, webhooks: 1 }],
      http: { operators, rateLimits: { operator: 9_999 } },
    })
    const own = { authorization: `Bearer ${TOKEN}` }
    const made = await silent.post('/api/market/admin/keys', { name: 'acme', tier: 'maker' }, own)
    const headers = { authorization: `Bearer ${made.json().key}`, 'content-type': NDJSON }
    const port = await silent.listen()
    // No actor decides: each is in progress until its client leaves.
    const sockets = []
    const body = Array(40).fill(ask()).join('\n')
    for (let n = 0; n < 4; n += 1) sockets.push(begin(port, headers, body))
    const url = `http://127.0.0.1:${port}${BATCH}`
    const another = async (body: string) => {
      const answer = await fetch(url, { method: 'POST', headers, body })
      return { status: answer.status, text: await answer.text() }
    }
    await silent.commands.next()
    await expect.poll(async () => (await another('{}')).status, SOON).toBe(429)
    const refused = await another('{}')
    expect(refused.status).toBe(429)
    expect(refused.text).toContain('at most 4 batches at a time with a key')
    for (const socket of sockets) socket.destroy()
    await expect.poll(async () => (await another('{}')).status, SOON).toBe(200)
    // 32 of the 160 lines were in progress at once.
    const metrics = await silent.registry.metrics()
    const answered = [...metrics.matchAll(/^market_customer_lines_total\{.*\} (\d+)$/gm)]
    expect(answered.reduce((sum, [, count]) => sum + Number(count), 0)).toBeLessThan(60)
    await silent.close()
  }, 120_000)
})
