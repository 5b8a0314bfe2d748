import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { accountOf } from '../../src/devnet/people/wallet.ts'
import { orderIdOf } from '../../src/domain/order/order-id.ts'
import { inspectPsbt } from '../../src/domain/verdict/inspect.ts'
import { DEFAULT_HTTP_SETTINGS } from '../../src/http/app.ts'
import type { Clock } from '../../src/runtime/clock.ts'
import type { ErrorCode } from '../../src/schemas/api/errors.ts'
import { OrderSummary } from '../../src/schemas/order.ts'
import type { OrderRecord } from '../../src/schemas/order-record.ts'
import { historyWith, openTestApp, type TestApp, withoutPatience } from '../support/http/http.ts'
import { toTxid } from '../support/ids.ts'
import { orderFrom } from '../support/log/inbox-player.ts'
import { systemClock } from '../support/system-clock.ts'

const IMPORT = '/api/market/orders/import'

let it: TestApp
beforeAll(async () => {
  it = await openTestApp({
    http: { rateLimits: { artifact: 999, revalidate: 999, import: 999, portableEvent: 999 } },
  })
})
afterAll(() => it.close())

const seller = accountOf('seller', 'p2wpkh')
const TXID = toTxid('ab'.repeat(32))
const INSCRIPTION = `${'cd'.repeat(32)}i0`
let vout = 0

/** A signed ask for a coin that no other test offers. */
function ask(priceSats = '50000') {
  vout += 1
  const coin = { outpoint: { txid: TXID, vout }, valueSats: '546', scriptHex: seller.scriptHex }
  const psbt = seller.ask(coin, { scriptHex: seller.scriptHex, valueSats: priceSats })
  return {
    psbt,
    outpoint: `${TXID}:${vout}`,
    asset: { inscriptionId: INSCRIPTION, outpoint: coin.outpoint },
  }
}

/** Imports while an actor makes a new order of it. */
async function imported(body: object, changes: Partial<OrderRecord> = {}) {
  const response = it.post(IMPORT, body)
  const command = await it.commands.next()
  await it.commands.finish(command, orderFrom(command, 'regtest', changes))
  return { command, response: await response }
}

describe('POST /orders/import', () => {
  test('201 with the order that the signature authorises', async () => {
    const { psbt, outpoint } = ask()
    const { response, command } = await imported({ psbt }, { state: 'LIVE', reason: 'verified' })
    expect(response.statusCode).toBe(201)
    const summary = OrderSummary.parse(response.json())
    const inspected = inspectPsbt(psbt)
    expect(summary).toMatchObject({
      id: orderIdOf('regtest', inspected),
      state: 'LIVE',
      side: 'ASK',
      quotedPriceSats: '50000',
      inspection: { digest: inspected.digest, orderClass: 'ASK_ANYONECANPAY' },
      sources: [{ source: 'direct-import', sourceId: inspected.digest }],
    })
    expect(command).toMatchObject({ orderId: summary.id, outpoint })
    expect(response.body).not.toContain(psbt)
    expect((await it.get(`/api/market/orders/${summary.id}`)).json()).toMatchObject({
      id: summary.id,
    })
  })

  test('what the request says is stored as evidence, except its number [spec 4.2 Import] [spec 1 rule 2] [spec 2.2 AssetClaim.inscriptionNumber]', async () => {
    const { psbt, asset } = ask()
    const { response, command } = await imported({
      psbt,
      source: 'asset-offers',
      sourceId: 'offer 17',
      asset: { ...asset, inscriptionNumber: 7 },
      claimedPriceSats: 4672,
      protocolId: 'inscriptions',
      token: 'Пункт № 1',
      side: 'BID',
    })
    expect(command).toMatchObject({
      claim: { protocolId: 'inscriptions', token: 'Пункт № 1', notes: ['side_claim_differs'] },
    })
    const summary = OrderSummary.parse(response.json())
    expect(summary).toMatchObject({
      protocolId: 'inscriptions',
      // The price is the signed one, and the side follows from the signatures.
      quotedPriceSats: '50000',
      side: 'ASK',
    })
    expect(summary.validation.reasons).toEqual(
      expect.arrayContaining(['price_claim_differs', 'side_claim_differs']),
    )
    expect(summary.sources).toEqual([
      {
        source: 'asset-offers',
        sourceId: 'offer 17',
        observedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        claimedPriceSats: '4672',
        claimedAsset: asset,
      },
    ])
  })

  test('a quoted price is a claim like the claimed one', async () => {
    const { psbt } = ask('50000')
    const { response } = await imported({ psbt, quotedPriceSats: '50000' })
    const summary = OrderSummary.parse(response.json())
    expect(summary.sources[0]?.claimedPriceSats).toBe('50000')
    expect(summary.validation.reasons).not.toContain('price_claim_differs')
  })

  test('hex and base64 of one PSBT are one order', async () => {
    const { psbt } = ask()
    const hex = Buffer.from(psbt, 'base64').toString('hex')
    const { command: first } = await imported({ psbt })
    const again = it.post(IMPORT, { psbt: hex })
    const second = await it.commands.next()
    expect(second).toMatchObject({ orderId: first.orderId, claim: { artifact: psbt } })
    await it.commands.refuseAll('BAD_REQUEST', 'seen')
    await again
  })

  test('what proves nothing is 201 and REJECTED', async () => {
    const { psbt } = ask()
    const { response } = await imported(
      { psbt },
      { state: 'REJECTED', reason: 'signature_invalid' },
    )
    expect(response.statusCode).toBe(201)
    expect(response.json()).toMatchObject({ state: 'REJECTED', actionability: 'BLOCKED' })
  })

  test.each<[string, string, ErrorCode, RegExp]>([
    ['nothing', '', 'INVALID_PSBT', /^psbt: the text is not a PSBT/],
    ['text', 'not a PSBT', 'INVALID_PSBT', /^psbt: the text is not a PSBT/],
    ['a raw transaction', '0200000001', 'INVALID_PSBT', /^psbt: the text is not a PSBT/],
    ['the magic alone', 'cHNidP8=', 'INVALID_PSBT', /^psbt: /],
    [
      'base64 with a newline',
      `${ask().psbt}\n`,
      'INVALID_PSBT',
      /^psbt: the PSBT is not canonical base64/,
    ],
    [
      'one byte less',
      Buffer.from(ask().psbt, 'base64').subarray(0, -1).toString('base64'),
      'INVALID_PSBT',
      /^psbt: /,
    ],
    ['odd hex', '70736274ff0', 'INVALID_PSBT', /^psbt: the PSBT is not valid hex/],
    [
      '64 kB and more',
      Buffer.concat([Buffer.from('70736274ff', 'hex'), Buffer.alloc(70_000)]).toString('base64'),
      'PSBT_TOO_LARGE',
      /^psbt: the PSBT is larger than 65536 bytes/,
    ],
  ])('%s is 400, before anything is stored', async (_name, psbt, code, message) => {
    const response = await it.post(IMPORT, { psbt })
    expect(response.json()).toMatchObject({ statusCode: 400, code })
    expect(response.json().message).toMatch(message)
  })

  test('the limit of an order is reported as such', async () => {
    const response = it.post(IMPORT, { psbt: ask().psbt })
    await it.commands.refuseNext('TOO_MANY_CLAIMS', 'as many as are kept')
    expect((await response).json()).toMatchObject({
      statusCode: 400,
      code: 'TOO_MANY_CLAIMS',
      message: 'as many as are kept',
    })
  })

  test('no verdict in time is 504 with the order id, and the command is in the log', async () => {
    const { psbt } = ask()
    const response = await withoutPatience(it, () => it.post(IMPORT, { psbt }))
    const command = await it.commands.next()
    expect(response.json()).toMatchObject({
      statusCode: 504,
      code: 'STILL_BEING_VERIFIED',
      message: `order ${command.orderId} is still being verified: read it later`,
    })
    expect(command.orderId).toBe(orderIdOf('regtest', inspectPsbt(psbt)))
  })

  test('a log that refuses writes is 503, and nothing is half-written', async () => {
    const { log } = it.gateway
    const { psbt } = ask()
    it.gateway.log = {
      ...log,
      partitions: log.partitions,
      append: async () => {
        throw new Error('ENOSPC: no space left on device')
      },
    }
    const response = await it.post(IMPORT, { psbt })
    it.gateway.log = log
    expect(response.json()).toMatchObject({ statusCode: 503, code: 'STORAGE_UNAVAILABLE' })
    expect(response.body).not.toContain('ENOSPC')
    expect(Number(response.headers['retry-after'])).toBeGreaterThan(0)
    const id = orderIdOf('regtest', inspectPsbt(psbt))
    expect((await it.get(`/api/market/orders/${id}`)).statusCode).toBe(404)
  })

  test('a log that hangs is 503 once the wait for a verdict is over', async () => {
    const { log } = it.gateway
    const append = () => new Promise<never>(() => undefined)
    it.gateway.log = { ...log, partitions: log.partitions, append }
    const response = await withoutPatience(it, () => it.post(IMPORT, { psbt: ask().psbt }))
    it.gateway.log = log
    expect(response.json()).toMatchObject({ statusCode: 503, code: 'STORAGE_UNAVAILABLE' })
    expect(response.headers['retry-after']).toBe('5')
  })
})

test('a route that never answers is 503 before its connection is closed', async () => {
  const timeouts = { ...DEFAULT_HTTP_SETTINGS.timeouts, answer: 200 }
  const silent = await openTestApp({
    http: { timeouts },
    ports: { history: historyWith(() => new Promise<never>(() => undefined)) },
  })
  const response = await silent.get('/api/market/activity')
  expect(response.json()).toMatchObject({ statusCode: 503, code: 'OVERLOADED' })
  expect(response.headers['retry-after']).toBe('5')
  await silent.close()
})

test('32 imports are in progress at once: the others wait, and none is refused', async () => {
  // No import leaves its place because it takes long, however slow the machine.
  const sleep: Clock['sleep'] = (_ms, signal) =>
    new Promise((resolve) => signal?.addEventListener('abort', () => resolve()))
  let begun = 0
  let letGo = () => {}
  const gate = new Promise<void>((resolve) => {
    letGo = resolve
  })
  const busy = await openTestApp({
    http: { rateLimits: { import: 999, portableEvent: 999, publish: 999 } },
    ports: { clock: { ...systemClock, sleep } },
  })
  const { artifacts } = busy.gateway
  busy.gateway.artifacts = {
    ...artifacts,
    inspect: async (psbt) => {
      begun += 1
      await gate
      return artifacts.inspect(psbt)
    },
  }
  // What is refused once it was read: a PSBT that is none.
  const all = Array.from({ length: 64 }, (_, n) => {
    const route = ['import', 'publish'][n % 2]
    return busy.post(`/api/market/orders/${route}`, { psbt: 'none' })
  })
  await expect.poll(() => begun, { timeout: 20_000 }).toBe(32)
  await new Promise((resolve) => setTimeout(resolve, 100))
  expect(begun).toBe(32)
  letGo()
  expect((await Promise.all(all)).map(({ statusCode }) => statusCode)).toEqual(Array(64).fill(400))
  expect(begun).toBe(64)
  await busy.close()
})
