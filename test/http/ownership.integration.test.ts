import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { addressOfScript } from '../../src/domain/script/address.ts'
import { NodeUnavailableError } from '../../src/ports/authorities/authority-errors.ts'
import { OwnershipChallenge } from '../../src/schemas/api/ownership.ts'
import { CommandRecord } from '../../src/schemas/log.ts'
import { OrderSummary } from '../../src/schemas/order.ts'
import type { OrderRecord } from '../../src/schemas/order-record.ts'
import { walletOf } from '../support/chain/keys.ts'
import { nodeWith } from '../support/chain/scripted-authorities.ts'
import { openTestApp, type TestApp } from '../support/http/http.ts'
import { toOrderId } from '../support/ids.ts'
import { ManualClock } from '../support/manual-clock.ts'
import { proveOwnership } from '../support/orders/ownership-proof.ts'
import { viewsOf } from '../support/orders/view-orders.ts'

const WINDOW_MS = 600_000
const clock = new ManualClock(Date.UTC(2030, 0, 1, 12))

let it: TestApp
beforeAll(async () => {
  it = await openTestApp({ ports: { clock }, http: { rateLimits: { withdraw: 9_999 } } })
})
afterAll(() => it.close())

const seller = walletOf('p2wpkh', 'seller')
const address = addressOfScript(seller.scriptHex, 'regtest') ?? ''
const url = ({ id }: { id: string }, action: string) => `/api/market/orders/${id}/${action}`
const seed = (changes: Partial<OrderRecord> = {}) =>
  it.seed({ sellerScriptHex: seller.scriptHex, ...changes })
const challengeOf = async (order: { id: string }): Promise<OwnershipChallenge> =>
  OwnershipChallenge.parse((await it.get(url(order, 'ownership-challenge'))).json())
const withdraw = (order: { id: string }, body?: object) => it.post(url(order, 'withdraw'), body)
const proofOf = (message: string) => proveOwnership(seller, message).text

/** The actor's part: the order withdrawn as requested. */
async function withdrawn(order: OrderRecord, asked: ReturnType<typeof withdraw>) {
  const command = await it.commands.doNext({
    ...order,
    state: 'WITHDRAWN',
    reason: 'withdrawn_by_seller',
    withdrawal: { withdrawnAt: order.updatedAt },
  })
  return { command: CommandRecord.parse(command), response: await asked }
}

describe('GET /orders/{id}/ownership-challenge', () => {
  test('names the order, its output, its address and this service [spec 2.2 OwnershipChallenge] [spec 5 rule 4]', async () => {
    const order = await seed()
    const challenge = await challengeOf(order)
    expect(challenge).toMatchObject({
      orderId: order.id,
      address,
      windowStart: '2030-01-01T12:00:00.000Z',
      expiresAt: '2030-01-01T12:20:00.000Z',
    })
    expect(challenge.message.split('\n')).toEqual([
      'service: market',
      'origin: https://market.example',
      'purpose: withdraw this order',
      'network: regtest',
      `order: ${order.id}`,
      `outpoint: ${order.outpoint}`,
      `address: ${address}`,
      `windowStart: ${challenge.windowStart}`,
      `expiresAt: ${challenge.expiresAt}`,
    ])
  })

  test('404 for an order that does not exist, and for a malformed id', async () => {
    for (const id of ['0'.repeat(64), 'x']) {
      const response = await it.get(url({ id }, 'ownership-challenge'))
      expect(response.statusCode).toBe(404)
      expect(response.json()).toMatchObject({ code: 'ORDER_NOT_FOUND' })
    }
  })

  test('400 while no node has named the output’s owner; 400 for a script without an address', async () => {
    const { sellerScriptHex: _known, ...untold } = {
      ...(await seed()),
      id: toOrderId('a'.repeat(64)),
    }
    await viewsOf(it.gateway.views).put(untold)
    const bare = await seed({ sellerScriptHex: '51' })
    const reasons = [
      [untold, 'the full node has not given the script of the offered output yet'],
      [bare, 'the script of the offered output has no address'],
    ] as const
    for (const [one, reason] of reasons) {
      for (const response of [
        await it.get(url(one, 'ownership-challenge')),
        await withdraw(one, { address, signature: 'x' }),
      ]) {
        expect(response.statusCode).toBe(400)
        expect(response.json()).toMatchObject({
          code: 'ORDER_NOT_WITHDRAWABLE',
          message: `ownership of this order cannot be proved: ${reason}`,
        })
      }
    }
  })
})

describe('POST /orders/{id}/withdraw', () => {
  test('a valid proof hands the withdrawal to the order’s actor', async () => {
    const order = await seed()
    const { message } = await challengeOf(order)
    const body = { address, signature: proofOf(message), reason: 'sold elsewhere' }
    const { command, response } = await withdrawn(order, withdraw(order, body))
    expect(command).toMatchObject({
      command: 'withdraw',
      by: 'seller',
      reason: 'sold elsewhere',
      orderId: order.id,
      outpoint: order.outpoint,
      proof: { address, message, signature: body.signature, provedAt: command.at },
    })
    expect(response.statusCode).toBe(201)
    expect(OrderSummary.parse(response.json())).toMatchObject({
      state: 'WITHDRAWN',
      actionability: 'BLOCKED',
    })
  })

  test('the address may be written in capitals; the message is the challenge’s', async () => {
    const order = await seed()
    const { message } = await challengeOf(order)
    const body = { address: address.toUpperCase(), signature: proofOf(message) }
    const { command, response } = await withdrawn(order, withdraw(order, body))
    expect(response.statusCode).toBe(201)
    expect(command).toHaveProperty('proof.address', address)
  })

  test('the current and the previous window are accepted, until expiresAt', async () => {
    const order = await seed()
    const { message } = await challengeOf(order)
    const body = { address, signature: proofOf(message) }
    clock.advance(2 * WINDOW_MS - 1)
    const { response } = await withdrawn(order, withdraw(order, body))
    expect(response.statusCode).toBe(201)
    clock.advance(1)
    const late = await withdraw(order, body)
    expect(late.statusCode).toBe(400)
    expect(late.json()).toMatchObject({
      code: 'INVALID_PROOF',
      message:
        'signature: the signature is not valid for this message and address; ' +
        'what must be signed is the message of a challenge that is not expired',
    })
  })

  test('what the actor refuses is the answer', async () => {
    const order = await seed({ state: 'SPENT' })
    const { message } = await challengeOf(order)
    const asked = withdraw(order, { address, signature: proofOf(message) })
    await it.commands.refuseNext('ORDER_NOT_WITHDRAWABLE', 'the offered output is spent')
    expect((await asked).json()).toMatchObject({ statusCode: 400, code: 'ORDER_NOT_WITHDRAWABLE' })
  })

  test('a missing signature is named', async () => {
    const order = await seed()
    const response = await withdraw(order, {})
    expect(response.statusCode).toBe(400)
    expect(response.json()).toMatchObject({
      code: 'VALIDATION_FAILED',
      message: 'signature: is required',
    })
    expect((await withdraw(order)).statusCode).toBe(400)
  })

  test.each([
    ['reason: longer than 280 characters', { reason: 'x'.repeat(281) }],
    ['reason: empty', { reason: '' }],
    ['reason: a new line', { reason: 'a\nb' }],
    ['reason: right-to-left override', { reason: 'a\u202eb' }],
    ['a field of no meaning', { orderId: 'x' }],
    ['address: a number', { address: 1 }],
    ['signature: longer than any proof', { signature: 'A'.repeat(16_385) }],
  ])('400 for %s', async (_name, change) => {
    const order = await seed()
    const { message } = await challengeOf(order)
    const response = await withdraw(order, { address, signature: proofOf(message), ...change })
    expect(response.statusCode).toBe(400)
    expect(response.json()).toMatchObject({ code: 'VALIDATION_FAILED' })
  })

  test('400 for another address: somebody else’s, another network’s, none at all [spec 4.2 Withdraw] [spec 5 rule 1]', async () => {
    const order = await seed()
    const { message } = await challengeOf(order)
    const { scriptHex } = walletOf('p2wpkh', 'attacker')
    for (const other of [
      addressOfScript(scriptHex, 'regtest'),
      addressOfScript(seller.scriptHex, 'mainnet'),
      seller.scriptHex,
      '',
      `${address} `,
    ]) {
      const response = await withdraw(order, { address: other, signature: proofOf(message) })
      expect(response.statusCode).toBe(400)
      expect(response.json()).toMatchObject({
        code: 'INVALID_PROOF',
        message: 'address: must be that of the offered output',
      })
    }
  })

  test('without an address the proof is judged by the script of the offered output [spec 2.2 OwnershipProof] [spec 5 rule 1]', async () => {
    const order = await seed()
    const { message } = await challengeOf(order)
    const { text } = proveOwnership(walletOf('p2wpkh', 'attacker'), message)
    expect((await withdraw(order, { signature: text })).json()).toMatchObject({
      statusCode: 400,
      code: 'INVALID_PROOF',
    })
    const answer = withdraw(order, { signature: proofOf(message) })
    const command = await it.commands.next()
    expect(command).toMatchObject({ command: 'withdraw', by: 'seller', proof: { address } })
    await it.commands.refuseAll('BAD_REQUEST', 'seen')
    await answer
  })

  test('fault 77: the seller’s address with an attacker’s key [spec 5 rule 1]', async () => {
    const order = await seed()
    const { message } = await challengeOf(order)
    const { text } = proveOwnership(walletOf('p2wpkh', 'attacker'), message)
    const response = await withdraw(order, { address, signature: text })
    expect(response.json()).toMatchObject({ statusCode: 400, code: 'INVALID_PROOF' })
  })

  test('a proof for one order withdraws no other of the same seller [spec 5 rule 1]', async () => {
    const [one, other] = [await seed(), await seed()]
    const { message } = await challengeOf(one)
    const response = await withdraw(other, { address, signature: proofOf(message) })
    expect(response.json()).toMatchObject({ statusCode: 400, code: 'INVALID_PROOF' })
  })

  test('what cannot be judged here is unsupported, not invalid', async () => {
    const bare = walletOf('tapscript', 'seller')
    const order = await seed({ sellerScriptHex: bare.scriptHex })
    const challenge = await challengeOf(order)
    const { text } = proveOwnership(bare, challenge.message, { format: 'full' })
    const body = { address: challenge.address, signature: `pof${text}` }
    const response = await withdraw(order, body)
    expect(response.statusCode).toBe(400)
    expect(response.json()).toMatchObject({
      code: 'UNSUPPORTED_PROOF',
      message: 'signature: unsupported: a proof of funds; sign a simple or a full proof',
    })
  })

  test.each([
    ['is final: it is withdrawn', async () => true, 201, undefined],
    ['is not: the proof is invalid', async () => false, 400, 'INVALID_PROOF'],
    [
      'nothing: 503, without a word on the proof',
      () => Promise.reject(new NodeUnavailableError('node_warming_up', 'starting')),
      503,
      'NODE_UNAVAILABLE',
    ],
  ])(
    'of a script that only the node can judge it says that it %s',
    async (_, answer, status, code) => {
      const bare = walletOf('tapscript', 'seller')
      const asked: string[] = []
      const inputIsFinal = async (psbt: string) => {
        asked.push(psbt)
        return answer()
      }
      const one = await openTestApp({ ports: { clock, node: nodeWith({ inputIsFinal }) } })
      try {
        const order = await one.seed({ sellerScriptHex: bare.scriptHex })
        const challenge = (await one.get(url(order, 'ownership-challenge'))).json()
        const signature = proveOwnership(bare, challenge.message).text
        const sent = one.post(url(order, 'withdraw'), { address: challenge.address, signature })
        if (status === 201) {
          const withdrawal = { withdrawnAt: order.updatedAt }
          await one.commands.doNext({ ...order, state: 'WITHDRAWN', withdrawal })
        }
        const response = await sent
        expect(response.statusCode, response.body).toBe(status)
        expect(response.json().code).toBe(code)
        expect(asked.length).toBeGreaterThan(0)
      } finally {
        await one.close()
      }
    },
  )

  test('fault 80: a BIP-137 signature is not a proof', async () => {
    const order = await seed()
    const signature = Buffer.concat([Buffer.of(39), Buffer.alloc(64, 7)]).toString('base64')
    const response = await withdraw(order, { address, signature })
    expect(response.json()).toMatchObject({ statusCode: 400, code: 'INVALID_PROOF' })
  })
})
