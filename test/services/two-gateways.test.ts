import { setTimeout as delay } from 'node:timers/promises'
import * as ecc from 'tiny-secp256k1'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { verifyBundle } from '../../src/domain/dispute/verify-bundle.ts'
import type { InspectResult } from '../../src/schemas/api/inspection.ts'
import type { ProtocolContract } from '../../src/schemas/api/protocol.ts'
import { DisputeBundle } from '../../src/schemas/dispute/bundle.ts'
import type { ActivityPage, OrderPage, OrderSummary } from '../../src/schemas/order.ts'
import { type Bundle, bundleService } from '../support/bundle.ts'
import { inscribe } from '../support/chain/inscriptions.ts'
import { walletOf } from '../support/chain/keys.ts'
import { askFor, fundSellers, type SellerCoin } from '../support/chain/seller-coins.ts'
import { spend } from '../support/chain/spend.ts'
import { openWallet, txOut, type Wallet } from '../support/chain/wallet.ts'
import { openStream } from '../support/http/stream-client.ts'
import { fetchUnlessShed } from '../support/market/fetch-unless-shed.ts'
import { makeAsk } from '../support/orders/psbt-orders.ts'
import { saleEvent } from '../support/orders/sale-event.ts'
import { waitUntil } from '../support/services/programs.ts'
import { runMarket } from '../support/services/service-process.ts'
import { Stack } from '../support/services/stack.ts'

// Two gateways behind one address, each a process of its own, on the same Kafka, Redis and
// ClickHouse: each request of a client may reach either.

const LIMIT = 4
const IN_THE_BOOK = 8
const COINS = 28
/** Kills of a client that follows a stream. */
/** Six of each way: at each of three gateways, after each of 17 times. */
const KILLS = 6 * 3 * 17
const STREAMED = 10
let bundle: Bundle
let stack: Stack
/** Their addresses. */
let one: string
let two: string
let miner: Wallet
let coins: SellerCoin[]
let asks: string[]

beforeAll(async () => {
  bundle = await bundleService()
  stack = await Stack.start({
    program: bundle,
    variables: {
      RATE_LIMIT_WITHDRAW: String(LIMIT),
      RATE_LIMIT_READ: '100000',
      RATE_LIMIT_STREAM: '100000',
      LOG_LEVEL: 'warn',
    },
  })
  await stack.startAll()
  one = stack.role('gateway').address
  two = (await stack.startRole('gateway', 'gateway-2')).address
  miner = await openWallet(stack.chain, 3)
  coins = await fundSellers(stack.chain, miner, COINS)
  asks = coins.map(askFor)
  for (let n = 0; n < IN_THE_BOOK; n += 1) {
    const { status } = await post(n % 2 === 0 ? one : two, 'orders/import', { psbt: newAsk() })
    expect(status).toBe(201)
  }
})
afterAll(async () => {
  await stack?.end()
  bundle?.drop()
})

/** An ask that is not imported yet. */
function newAsk(): string {
  const psbt = asks.pop()
  if (psbt === undefined) throw new Error('more coins are needed')
  return psbt
}

const api = (address: string, path: string) => `${address}/api/market/${path}`
const ask = async (url: string, init: RequestInit = {}) => {
  const answer = await fetchUnlessShed(url, init)
  const { status, headers } = answer
  return { status, headers, text: await answer.text() }
}
const post = (address: string, path: string, body: object, key?: string) =>
  ask(api(address, path), {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(key && { 'idempotency-key': key }) },
    body: JSON.stringify(body),
  })
const PATIENT = { timeout: 20_000, interval: 200 }
const get = async <T>(address: string, path: string) => {
  const { status, text } = await ask(api(address, path))
  return { status, body: JSON.parse(text) as T }
}

describe('cursors', () => {
  test('of each continue at the other: a walk that changes sides at every page is the whole list', async () => {
    const query = 'orders?limit=2&sort=price_asc&includeWithdrawn=true'
    const whole = await get<OrderPage>(one, 'orders?limit=200&sort=price_asc&includeWithdrawn=true')
    expect(whole.body.orders.length).toBeGreaterThan(5)
    const ids: string[] = []
    let sides = [one, two]
    for (let cursor = ''; ; ) {
      const [side = one] = sides
      sides = sides.reverse()
      const next = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`
      const { status, body } = await get<OrderPage>(side, `${query}${next}`)
      expect(status).toBe(200)
      expect(body.total).toBe(whole.body.total)
      ids.push(...body.orders.map(({ id }) => id))
      if (!body.hasMore) break
      cursor = body.nextCursor
    }
    expect(ids).toEqual(whole.body.orders.map(({ id }) => id))
  })
})

describe('an order', () => {
  test('that is imported at one is answered with its verdict, and is found at the other', async () => {
    for (const [here, there] of [
      [one, two],
      [two, one],
    ]) {
      const psbt = newAsk()
      const { status, text } = await post(here ?? '', 'orders/import', { psbt })
      expect([status, text]).toEqual([201, expect.stringContaining('"state":"LIVE"')])
      const { id } = JSON.parse(text) as OrderSummary
      expect((await get<OrderSummary>(there ?? '', `orders/${id}`)).body).toMatchObject({
        id,
        state: 'LIVE',
      })
    }
  })
})

describe('an Idempotency-Key', () => {
  test('that was used at one is replayed by the other, to the byte', async () => {
    const psbt = newAsk()
    const first = await post(one, 'orders/import', { psbt }, 'key-1')
    expect(first.status).toBe(201)
    expect(first.headers.get('idempotent-replayed')).toBeNull()
    const again = await post(two, 'orders/import', { psbt }, 'key-1')
    expect([again.status, again.text]).toEqual([201, first.text])
    expect(again.headers.get('idempotent-replayed')).toBe('true')
    expect(again.headers.get('content-type')).toBe(first.headers.get('content-type'))
  })

  test('is refused by the other with another body, and kept for refusals too', async () => {
    const first = await post(two, 'orders/import', { psbt: 'no PSBT' }, 'key-2')
    expect(first.status).toBe(400)
    const other = await post(one, 'orders/import', { psbt: 'another' }, 'key-2')
    expect(other.status).toBe(400)
    expect(JSON.parse(other.text)).toMatchObject({ code: 'IDEMPOTENCY_KEY_REUSED' })
    expect((await post(one, 'orders/import', { psbt: 'no PSBT' }, 'key-2')).text).toBe(first.text)
  })

  test('that reaches both at once is processed by one of them', async () => {
    const psbt = newAsk()
    const answers = await Promise.all(
      [one, two, one, two].map((side) => post(side, 'orders/import', { psbt }, 'key-3')),
    )
    const made = answers.filter(
      ({ status, headers }) => status === 201 && !headers.has('idempotent-replayed'),
    )
    expect(made).toHaveLength(1)
    for (const answer of answers.filter((each) => each !== made[0])) {
      if (answer.status === 201) expect(answer.text).toBe(made[0]?.text)
      else {
        expect(answer.status).toBe(409)
        expect(JSON.parse(answer.text)).toMatchObject({ code: 'IDEMPOTENCY_KEY_IN_USE' })
        expect(answer.headers.get('retry-after')).toBe('1')
      }
    }
    const { body } = await get<OrderPage>(two, 'orders?limit=200')
    const { id } = JSON.parse(made[0]?.text ?? '{}') as OrderSummary
    expect(body.orders.filter((order) => order.id === id)).toHaveLength(1)
  })
})

describe('rate limits', () => {
  test('are counted together: the remainder goes down at either, and both refuse', async () => {
    const withdraw = (side: string) => post(side, `orders/${'0'.repeat(64)}/withdraw`, {})
    const left: (string | null)[] = []
    for (let n = 0; n < LIMIT; n += 1) {
      const answer = await withdraw(n % 2 === 0 ? one : two)
      expect(answer.status).not.toBe(429)
      left.push(answer.headers.get('ratelimit-remaining'))
    }
    expect(left).toEqual(['3', '2', '1', '0'])
    for (const side of [one, two]) {
      const answer = await withdraw(side)
      expect(answer.status).toBe(429)
      expect(JSON.parse(answer.text)).toMatchObject({
        code: 'MARKET_RATE_LIMITED',
        message: `at most ${LIMIT} requests a minute to this route`,
      })
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
    }
    const [key = ''] = await stack.redis.admin.keys('{market:c:*}:limit:*withdraw*')
    expect(await stack.redis.admin.pttl(key)).toBeLessThanOrEqual(60_000)
  })
})

describe('a stream of changes', () => {
  /** Everything received, by order: the ids of its entries, oldest first. */
  const received = new Map<string, string[]>()
  let id = ''

  /** A gateway that is behind on a busy machine says so, and is asked again. */
  async function streamOf(side: string): ReturnType<typeof openStream> {
    for (;;) {
      const stream = await openStream(api(side, 'activity/stream'), {
        ...(id !== '' && { 'last-event-id': id }),
      })
      if (stream.status !== 503) {
        expect(stream.status).toBe(200)
        return stream
      }
      stream.kill()
      await delay(100)
    }
  }

  /** Its id, once the gateway, which may be behind on a busy machine, has taken a new ask. */
  async function imported(side: string): Promise<string> {
    const psbt = newAsk()
    for (;;) {
      const { status, text } = await post(side, 'orders/import', { psbt })
      if (status !== 503) {
        expect(status, text).toBe(201)
        return (JSON.parse(text) as OrderSummary).id
      }
      await delay(100)
    }
  }

  /** Reads until the client or its gateway is killed, or `until` holds. */
  async function follow(
    side: string,
    until: () => boolean,
    killMs: number,
    onOpen = () => {},
  ): Promise<void> {
    const stream = await streamOf(side)
    onOpen()
    const timer = setTimeout(() => stream.kill(), killMs)
    try {
      while (!until()) {
        const event = await stream.next()
        if (event === null) break
        expect(event.event).not.toBe('resync-required')
        id = event.id
        if (event.event !== 'change' || !event.data.entry) continue
        const { entry } = event.data
        received.set(entry.orderId, [...(received.get(entry.orderId) ?? []), entry.id])
      }
    } catch {
      // Cut, as it was to be.
    }
    clearTimeout(timer)
    stream.kill()
  }

  test('is followed through hundreds of kills of its client and the kill of a gateway: nothing is missed or repeated', async () => {
    const third = await stack.startRole('gateway', 'gateway-3')
    await follow(one, () => id !== '', 10_000)
    const importing = (async () => {
      const ids: string[] = []
      for (let n = 0; n < STREAMED; n += 1) ids.push(await imported(n % 2 === 0 ? one : two))
      return ids
    })()
    for (let kill = 0; kill < KILLS; kill += 1) {
      await follow([one, two, third.address][kill % 3] ?? one, () => false, kill % 17)
    }
    const ids = await importing
    let killed: Promise<unknown> = Promise.resolve()
    await Promise.all([
      follow(
        third.address,
        () => false,
        60_000,
        () => {
          killed = third.end('SIGKILL')
        },
      ),
      imported(one).then((order) => ids.push(order)),
    ])
    await killed
    const wanted = await Promise.all(
      ids.map((order) =>
        // On a busy machine a store may be late once.
        vi.waitFor(async () => {
          const { status, body } = await get<ActivityPage>(one, `activity?orderId=${order}`)
          expect(status, JSON.stringify(body)).toBe(200)
          return body.entries.map((entry) => entry.id).reverse()
        }, PATIENT),
      ),
    )
    const isThere = () =>
      ids.every((order, at) => (received.get(order) ?? []).length >= (wanted[at]?.length ?? 0))
    await follow(two, isThere, 30_000)
    expect(ids.map((order) => received.get(order))).toEqual(wanted)
  })
})

describe('a seller whose kind 802 event is refused', () => {
  test('learns all four problems in one request, does what it says, and is LIVE', async () => {
    const seed = 'a seller in the wild'
    const { scriptHex } = walletOf('p2tr', seed)
    const { ids, coin } = await inscribe(stack.chain, miner, txOut(scriptHex, 10_000n))
    await stack.chain.mine(1)
    await stack.chain.syncIndex()
    const prevout = { ...coin.outpoint, valueSats: '10000' }
    const { psbt } = makeAsk({ seed, prevout, omitSighashByte: true })
    const { txid } = coin.outpoint
    const event = saleEvent(psbt, [
      ['n', 'mainnet'],
      ['t', 'sell'],
      ['i', ids[0] ?? ''],
      ['u', txid],
      ['s', '2500000000000'],
      ['x', 'nosft'],
    ])
    const refused = await post(one, 'orders/portable-event', event)
    expect([refused.status, JSON.parse(refused.text)]).toMatchObject([
      400,
      { code: 'WRONG_NETWORK' },
    ])

    const inspected = await post(one, 'orders/inspect', { event })
    expect(inspected.status, inspected.text).toBe(200)
    const { problems, repaired }: InspectResult = JSON.parse(inspected.text)
    expect(problems.map(({ code }) => code)).toEqual([
      'wrong_network',
      'sighash_byte_missing_recoverable',
      'utxo_without_vout',
      'price_claim_differs',
    ])
    expect(problems[3]?.details).toMatchObject({ factor: '100000000' })
    for (const { remedy } of problems) expect(remedy.length).toBeGreaterThan(20)

    const mended = await post(two, 'orders/portable-event', {
      ...saleEvent(repaired?.psbt ?? '', [
        ['n', 'regtest'],
        ['t', 'sell'],
        ['i', ids[0] ?? ''],
        ['u', `${txid}:${coin.outpoint.vout}`],
        ['s', '25000'],
        ['x', 'nosft'],
      ]),
    })
    expect([mended.status, JSON.parse(mended.text)]).toMatchObject([
      201,
      { id: repaired?.orderId, state: 'LIVE', validation: { reasons: [] } },
    ])
  })
})

describe('the bundle of an order', () => {
  const bundleAt = async (side: string, id: string) => {
    await waitUntil('the history has it', async () => {
      return (await fetchUnlessShed(api(side, `orders/${id}/bundle`))).status === 200
    })
    return (await ask(api(side, `orders/${id}/bundle`))).text
  }

  test('is the same at either, proves itself, and so does the one that an operator makes', async () => {
    const coin = coins[0] ?? expect.fail('there is no coin')
    const { text } = await post(one, 'orders/import', { psbt: askFor(coin) })
    const { id } = JSON.parse(text) as OrderSummary
    const live = await bundleAt(one, id)
    expect(await bundleAt(two, id)).toBe(live)
    const { safety } = (await get<ProtocolContract>(two, 'protocol')).body
    const bundleKey = safety.bundleKey ?? expect.fail('the gateway has no key')
    expect(verifyBundle(live, ecc, bundleKey)).toMatchObject({ failed: [], isSigned: true })
    const outputs = [{ scriptHex: coin.output.scriptHex, valueSats: '9000' }]
    await stack.chain.submit(spend({ inputs: [coin], outputs }))
    await stack.chain.mine(1)
    await stack.chain.syncIndex()
    await waitUntil('its output is spent', async () => {
      const { body } = await get<OrderSummary>(two, `orders/${id}`)
      return body.state === 'SPENT'
    })

    const spent = await bundleAt(two, id)
    const made = await runMarket(bundle, ['dispute', id], {
      ...stack.variables,
      DATA_DIR: `${bundle.market}.dispute`,
      LOG_LEVEL: 'silent',
    })
    expect([made.code, made.stderr]).toEqual([0, ''])
    for (const written of [spent, made.stdout]) {
      const { failed, proved, claimed } = verifyBundle(written, ecc, bundleKey)
      expect(failed).toEqual([])
      expect(
        [...proved, ...claimed].filter((fact) => fact.includes('spent the offered output')),
      ).toHaveLength(1)
    }
    const whole = DisputeBundle.parse(JSON.parse(made.stdout))
    expect(whole.changes.length).toBe(DisputeBundle.parse(JSON.parse(spent)).changes.length)
    expect(whole.changes.filter((change) => 'withheld' in change)).toEqual([])
  })
})

test('while Redis is unavailable both say so, count nothing, and continue when it is back', async () => {
  const psbt = newAsk()
  await stack.redis.halt()
  for (const side of [one, two]) {
    // Refused before any work: what cannot be counted is not admitted.
    const { status, text, headers } = await post(side, 'orders/import', { psbt })
    expect(status).toBe(503)
    expect(JSON.parse(text)).toMatchObject({ code: 'STORAGE_UNAVAILABLE' })
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
    expect((await fetchUnlessShed(`${side}/livez`)).status).toBe(200)
    const ready = await fetchUnlessShed(`${side}/readyz`)
    expect(ready.status).toBe(503)
    expect(await ready.text()).toContain('storage_unavailable')
  }
  await stack.redis.restart()
  for (const side of [one, two]) {
    await waitUntil(
      'it is ready again',
      async () => (await fetchUnlessShed(`${side}/readyz`)).status === 200,
    )
  }
  const { status } = await post(two, 'orders/import', { psbt })
  expect(status).toBe(201)
})
