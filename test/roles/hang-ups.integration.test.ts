import { connect, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { Psbt } from 'bitcoinjs-lib'
import * as ecc from 'tiny-secp256k1'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { orderCheck } from '../../src/actors/check-order.ts'
import { systemClock } from '../../src/adapters/embedded/system-clock.ts'
import { offerExaminer } from '../../src/authorities/gather-evidence.ts'
import { type Devnet, openDevnet } from '../../src/devnet/devnet.ts'
import { accountOf } from '../../src/devnet/people/wallet.ts'
import { marketRules } from '../../src/domain/catalog/market-rules.ts'
import { judgeSignature } from '../../src/domain/verdict/signatures.ts'
import type { NewRecord } from '../../src/ports/log/event-log.ts'
import type { Quote } from '../../src/schemas/api/purchase.ts'
import { CommandRecord } from '../../src/schemas/log.ts'
import type { OrderSummary } from '../../src/schemas/order.ts'
import { type HeldCalls, holdCalls } from '../support/chain/held-calls.ts'
import { openTestApp, type TestApp } from '../support/http/http.ts'
import { type Market, openMarket } from '../support/market/market.ts'
import { coinOf, type Listing, listInscription, signQuote } from '../support/market/trader.ts'

// A client that leaves ends its request (docs/abuse.md): on the actors, the log and the devnet of a
// service, with a separate gateway, whose calls and commands are told apart from theirs.

const buyer = accountOf('leaving buyer', 'p2wpkh')
const receiver = accountOf('leaving receiver', 'p2tr')

let devnet: Devnet
/** What the actors ask about outputs. */
let actors: HeldCalls
let market: Market
let listing: Listing
let bodies: { quote: object; preflight: object }
/** What the gateway asks of node and index. */
let asked: HeldCalls
/** Reads of the views, and of a purchase. */
let reads: HeldCalls
/** Commands of the gateway. */
let commands: string[]
let it: TestApp
let port: number

beforeAll(async () => {
  devnet = openDevnet({ dataDir: null, clock: systemClock, network: 'regtest' })
  actors = holdCalls()
  const node = actors.watch(devnet.node, ['output', 'outputs', 'outputAtTip'])
  market = await openMarket(
    {},
    { authorities: { node, index: devnet.index, blocks: devnet.node, devnet } },
  )
  listing = await listInscription(market)
  const paddings = [coinOf(market, buyer, 600n), coinOf(market, buyer, 600n)]
  const funding = coinOf(market, buyer, 200_000n)
  const quote = {
    assetReceiveAddress: receiver.address,
    paymentAddress: buyer.address,
    paddingUtxos: paddings.map(({ outpoint }) => outpoint),
    fundingUtxos: [funding.outpoint],
  }
  const answer = await market.post(`orders/${listing.order.id}/quote`, quote)
  expect(answer.status, JSON.stringify(answer.body)).toBe(201)
  const signed = signQuote(answer.body as Quote, buyer, [...paddings, funding])
  bodies = { quote, preflight: { signedPsbt: signed.toBase64() } }
})
afterAll(async () => {
  await market.end()
  await devnet.close()
})

beforeEach(async () => {
  asked = holdCalls()
  reads = holdCalls()
  commands = []
  const { log } = market.gateway
  const append = async (records: readonly NewRecord[]) => {
    commands.push(...records.map(({ value }) => CommandRecord.parse(value).command))
    await log.append(records)
  }
  it = await openTestApp({
    http: { rateLimits: { quote: 1_000, preflight: 1_000, artifact: 1_000, withdraw: 1_000 } },
    settings: { verdictWaitMs: 15_000 },
    ports: {
      log: new Proxy(log, {
        get: (of, name) => (name === 'append' ? append : Reflect.get(of, name)),
      }),
      views: reads.watch(market.gateway.views, ['order']),
      node: asked.watch(devnet.node),
      index: asked.watch(devnet.index),
    },
  })
  it.gateway.pool = market.gateway.pool
  it.gateway.purchases = reads.watch(market.gateway.purchases)
  it.gateway.inspections = examiner()
  port = await it.listen()
})

/** Asks as the gateway does, and is watched. */
const examiner = () =>
  offerExaminer({
    node: asked.watch(devnet.node),
    index: asked.watch(devnet.index),
    signatures: { check: async (question) => judgeSignature(question, ecc) },
    clock: systemClock,
  })
afterEach(async () => {
  actors.release()
  asked.release()
  reads.release()
  await it.close()
})

const until = async (holds: () => Promise<boolean>) => {
  while (!(await holds())) await delay(5)
}
const connections = () =>
  new Promise<number>((resolve, reject) => {
    it.app.server.getConnections((error, count) => (error ? reject(error) : resolve(count)))
  })

interface Request {
  method: 'GET' | 'POST'
  path: string
  body?: object
}

/** Sends it over a connection of its own. */
function send({ method, path, body }: Request): Socket {
  const text = body ? JSON.stringify(body) : ''
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => undefined)
  socket.resume()
  const type = body ? 'content-type: application/json\r\n' : ''
  socket.write(
    `${method} ${path} HTTP/1.1\r\nhost: x\r\n${type}content-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`,
  )
  return socket
}

/** Its client leaves, and the gateway has noticed. */
async function leave(socket: Socket): Promise<void> {
  socket.destroy()
  await until(async () => (await connections()) === 0)
}

/** An order is being verified by the actors, and the gateway has sent a command. */
async function underWay(made: Promise<void>): Promise<void> {
  await made
  await until(async () => commands.length > 0)
}

/**
 * The same request of a client that waits: everything the previous one started is finished by then.
 */
async function whole({ method, path, body }: Request): Promise<number> {
  const { statusCode } = await (method === 'GET' ? it.get(path) : it.post(path, body))
  return statusCode
}

const routeOf = (name: 'quote' | 'preflight'): Request => ({
  method: 'POST',
  path: `/api/market/orders/${listing.order.id}/${name}`,
  body: bodies[name],
})

/** An order that is older than the gateway allows: its artifact is released after a recheck. */
function staleRoute(name: 'artifact' | 'nostr-envelope'): Request {
  it.gateway.settings.maxVerificationAgeSeconds = 0
  return { method: 'GET', path: `/api/market/orders/${listing.order.id}/${name}` }
}

describe.each(['quote', 'preflight'] as const)(
  'a client of a %s of an order that the log rechecks leaves',
  (name) => {
    test('at any call to node or index: it is the last', async () => {
      expect(await whole(routeOf(name))).toBe(201)
      const calls = [...asked.calls]
      expect(calls.length).toBeGreaterThan(5)
      for (let nth = 1; nth <= calls.length; nth += 1) {
        asked.calls.length = 0
        commands.length = 0
        const made = asked.hold(nth)
        const socket = send(routeOf(name))
        await made
        await leave(socket)
        asked.release()
        expect(await whole(routeOf(name))).toBe(201)
        expect(asked.calls, `left at call ${nth}`).toEqual([...calls.slice(0, nth), ...calls])
        expect(commands).toEqual(['revalidate', 'revalidate'])
      }
    })

    test('while the order is rechecked: the log finishes that, and nothing is asked after it', async () => {
      expect(await whole(routeOf(name))).toBe(201)
      const calls = asked.calls.splice(0)
      commands.length = 0
      const before = (await market.order(listing.order.id)).validation.checkedAt
      const made = actors.hold(1)
      const socket = send(routeOf(name))
      await underWay(made)
      await leave(socket)
      actors.release()
      await market.orderUntil(listing.order.id, ({ validation }) => validation.checkedAt > before)
      expect(await whole(routeOf(name))).toBe(201)
      expect(asked.calls).toEqual(calls)
      expect(commands).toEqual(['revalidate', 'revalidate'])
    })
  },
)

/** A request whose client leaves at each of its calls in turn; it changes nothing. */
async function leftAtAnyCall(request: Request, status: number): Promise<void> {
  expect(await whole(request)).toBe(status)
  const calls = asked.calls.length
  expect(calls).toBeGreaterThan(4)
  for (let nth = 1; nth <= calls; nth += 1) {
    asked.calls.length = 0
    const made = asked.hold(nth)
    const socket = send(request)
    await made
    await leave(socket)
    // Some are called together with the one that is held.
    const together = asked.calls.length
    asked.release()
    expect(await whole(request)).toBe(status)
    expect(asked.calls.length - together, `left at call ${nth}`).toBe(calls)
  }
  expect(commands).toEqual([])
}

test('a client of an inspection leaves at any call to node or index: it is the last', async () => {
  const owner = accountOf('inspected', 'p2tr')
  const psbt = owner.ask(coinOf(market, owner, 10_000n), {
    scriptHex: owner.scriptHex,
    valueSats: '20000',
  })
  const path = '/api/market/orders/inspect'
  await leftAtAnyCall({ method: 'POST', path, body: { psbt } }, 200)
})

test.each(['quote', 'preflight'] as const)(
  'a client of a %s of an order that stays LIVE leaves at any call: it is the last',
  async (name) => {
    it.gateway.checks = orderCheck({ examiner: examiner(), marketOf: marketRules })
    await leftAtAnyCall(routeOf(name), 201)
  },
)

const BEFORE: [name: string, request: () => Request, reads: number[]][] = [
  ['quote', () => routeOf('quote'), [1]],
  ['preflight', () => routeOf('preflight'), [1, 2, 3]],
  ['stale artifact', () => staleRoute('artifact'), [1]],
  ['stale envelope', () => staleRoute('nostr-envelope'), [1]],
]

test.each(BEFORE)(
  'a client of a %s leaves before a command was sent: none is',
  async (_name, request, at) => {
    for (const nth of at) {
      commands.length = 0
      const made = reads.hold(nth)
      const socket = send(request())
      await made
      await leave(socket)
      reads.release()
      await whole(request())
      expect(commands, `left at read ${nth}`).toEqual(['revalidate'])
    }
  },
)

test.each(['artifact', 'nostr-envelope'] as const)(
  'a client of a stale %s leaves while it is rechecked: the log finishes that, and nothing is asked',
  async (name) => {
    const before = (await market.order(listing.order.id)).validation.checkedAt
    const made = actors.hold(1)
    const socket = send(staleRoute(name))
    await underWay(made)
    await leave(socket)
    actors.release()
    await market.orderUntil(listing.order.id, ({ validation }) => validation.checkedAt > before)
    await whole(staleRoute(name))
    expect(asked.calls).toEqual([])
    expect(commands).toEqual(['revalidate', 'revalidate'])
  },
)

describe('a client of a withdrawal leaves', () => {
  const withdrawal = async (): Promise<Request> => {
    const path = `/api/market/orders/${listing.order.id}`
    const { address } = (await it.get(`${path}/ownership-challenge`)).json()
    return { method: 'POST', path: `${path}/withdraw`, body: { address, signature: 'AA==' } }
  }
  /** A script that only the node can judge; it gives the same answer for every proof. */
  function judgedByNode(isFinal: boolean): void {
    it.gateway.proofs = {
      judge: async () => ({ status: 'ask-node', psbt: 'a proof', inputIndex: 0 }),
    }
    it.gateway.node = asked.watch({ ...devnet.node, inputIsFinal: async () => isFinal })
  }

  test.each([
    ['good', true],
    ['bad', false],
  ])(
    'while the node judges the proof, which is %s: it is asked once, and no command is sent',
    async (_name, isFinal) => {
      judgedByNode(isFinal)
      const request = await withdrawal()
      const made = asked.hold(1)
      const socket = send(request)
      await made
      await leave(socket)
      asked.release()
      judgedByNode(false)
      expect(await whole(request)).toBe(400)
      // Of the complete one: the challenge of this window and of the previous one.
      expect(asked.calls).toEqual(['inputIsFinal', 'inputIsFinal', 'inputIsFinal'])
      expect(commands).toEqual([])
    },
  )

  test('while its order of the pool enters the log: it is not withdrawn', async () => {
    const { psbt, id } = await unprovedOrder()
    const { address } = (await it.get(`/api/market/orders/${id}/ownership-challenge`)).json()
    it.gateway.proofs = { judge: async () => ({ status: 'valid' }) }
    const body = { address, signature: 'AA==' }
    const path = `/api/market/orders/${id}/withdraw`
    const made = actors.hold(1)
    const socket = send({ method: 'POST', path, body })
    await underWay(made)
    await leave(socket)
    actors.release()
    const again = await market.post('orders/import', { psbt })
    expect([again.status, again.body]).toMatchObject([201, { id, state: 'REJECTED' }])
    expect(commands).toEqual(['import'])
  })
})

/** An ask that another key signed: its output is known, and nothing of it is proved. */
async function unprovedOrder(): Promise<{ psbt: string; id: string }> {
  const owner = accountOf('robbed', 'p2tr')
  const payout = (sats: string) => ({ scriptHex: owner.scriptHex, valueSats: sats })
  const coin = coinOf(market, owner, 10_000n)
  const honest = Psbt.fromBase64(owner.ask(coin, payout('20000')))
  const forged = Psbt.fromBase64(owner.ask(coin, payout('30000')))
  const [input] = forged.data.inputs
  const witness = honest.data.inputs[0]?.finalScriptWitness
  if (!input || !witness) throw new Error('an ask has one input, and its witness')
  input.finalScriptWitness = witness
  const psbt = forged.toBase64()
  const { body } = await market.post('orders/import', { psbt })
  const { id, state } = body as OrderSummary
  expect(state).toBe('REJECTED')
  return { psbt, id }
}
