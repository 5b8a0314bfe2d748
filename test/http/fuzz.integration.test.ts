import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { offerJudge } from '../../src/actors/judge-unproved.ts'
import { accountOf } from '../../src/devnet/people/wallet.ts'
import { marketRules } from '../../src/domain/catalog/market-rules.ts'
import { addressOfScript } from '../../src/domain/script/address.ts'
import { ErrorResponse } from '../../src/schemas/api/errors.ts'
import { OrderSummary } from '../../src/schemas/order.ts'
import { walletOf } from '../support/chain/keys.ts'
import { openTestApp, type TestApp } from '../support/http/http.ts'
import { toTxid } from '../support/ids.ts'
import { evidenceOf, nodeAway } from '../support/orders/evidence.ts'
import { proveOwnership } from '../support/orders/ownership-proof.ts'

// Any bytes at any route: an answer of the contract, and no failure of ours.

const RUNS = Number(process.env['FUZZ_RUNS'] ?? 300)
const UNLIMITED = {
  artifact: 1e9,
  revalidate: 1e9,
  build: 1e9,
  publish: 1e9,
  withdraw: 1e9,
  operator: 1e9,
  import: 1e9,
  portableEvent: 1e9,
}

let it: TestApp
let id: string
beforeAll(async () => {
  const evidence = evidenceOf({ node: nodeAway() })
  const offers = {
    examineProof: async () => evidence,
    examineOrder: async () => ({ isSigned: false, evidence }),
  }
  // Nothing imported is proved: its owner's signature is never checked.
  const judge = offerJudge({
    offers: { incoming: offers, again: offers },
    network: 'regtest',
    marketOf: marketRules,
  })
  it = await openTestApp({
    http: { rateLimits: UNLIMITED },
    settings: { verdictWaitMs: 3_000 },
    ports: { judge },
  })
  id = (await it.seed()).id
})
afterAll(() => it.close())

const path = fc.constantFrom(
  '/health',
  '/protocol',
  '/catalog',
  '/orders',
  '/orders/{id}',
  '/orders/{id}/artifact',
  '/orders/{id}/nostr-envelope',
  '/orders/{id}/revalidate',
  '/orders/{id}/ownership-challenge',
  '/orders/{id}/withdraw',
  '/admin/orders/{id}/withdraw',
  '/orders/import',
  '/orders/build',
  '/orders/publish',
  '/orders/portable-event',
  '/orders/inspect',
  '/activity',
)
const method = fc.constantFrom('GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS')
const text = fc.string({ unit: 'binary', maxLength: 80 })
const orderId = fc.oneof(fc.constant(null), text.map(encodeURIComponent), fc.webPath())
const contentType = fc.oneof(
  { weight: 4, arbitrary: fc.constant('application/json') },
  fc.constantFrom('text/plain', 'application/json;', 'multipart/form-data; boundary=a', ''),
)

const FIELDS = [
  'psbt',
  'transaction',
  'event',
  'source',
  'sourceId',
  'asset',
  'inscriptionId',
  'outpoint',
  'txid',
  'vout',
  'token',
  'side',
  'claimedPriceSats',
  'quotedPriceSats',
  'sellerPaymentAddress',
  'protocolId',
  'id',
  'pubkey',
  'created_at',
  'kind',
  'address',
  'signature',
  'reason',
  'tags',
  'content',
  'sig',
]
const VALUES = [
  'cHNidP8=',
  '70736274ff',
  'ASK',
  '-1',
  '0',
  '802',
  'a'.repeat(64),
  '\u0000',
  '𝔘',
  '__proto__',
]
const leaf = fc.oneof(
  fc.constantFrom<unknown>(...VALUES),
  fc.string({ unit: 'grapheme' }),
  fc.double(),
  fc.maxSafeInteger(),
  fc.boolean(),
  fc.constant(null),
)
const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
  tree: fc.oneof(
    { depthSize: 'medium' },
    leaf,
    fc.array(tie('tree'), { maxLength: 4 }),
    fc.dictionary(fc.constantFrom(...FIELDS), tie('tree'), { maxKeys: 8 }),
  ),
}))
const body = fc.oneof(
  tree.map((value) => JSON.stringify(value) ?? ''),
  fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
  text,
)
const query = fc.oneof(
  text.map(encodeURIComponent),
  fc.webQueryParameters(),
  fc
    .dictionary(
      fc.constantFrom(
        'limit',
        'cursor',
        'sort',
        'state',
        'seller',
        'search',
        'token',
        'orderId',
        'protocols',
        'group',
        'assetOutpoint',
      ),
      fc.oneof(text, fc.constantFrom('1', '200', 'newest', 'LIVE', '')),
    )
    .map((pairs) => new URLSearchParams(pairs).toString()),
)
const header = fc.string({ maxLength: 60 })

test('every route answers anything with its own shape or with the envelope, never with 500', async () => {
  const request = fc.record({
    path,
    method,
    orderId,
    contentType,
    body,
    query,
    key: header,
    match: header,
  })
  await fc.assert(
    fc.asyncProperty(request, async (sample) => {
      const url = `/api/market${sample.path.replace('{id}', sample.orderId ?? id)}?${sample.query}`
      const isRead = sample.method === 'GET' || sample.method === 'HEAD'
      const response = await it.app.inject({
        method: sample.method,
        url,
        headers: {
          'content-type': sample.contentType,
          'idempotency-key': sample.key,
          'if-none-match': sample.match,
          'x-request-id': sample.key,
        },
        ...(isRead ? {} : { payload: sample.body }),
      })
      const { statusCode } = response
      // A valid recheck whose verdict is not awaited, and a log that this test lacks.
      const isExpected = statusCode === 504 || (statusCode === 503 && sample.path === '/activity')
      expect(statusCode < 500 || isExpected, `${sample.method} ${url}: ${response.body}`).toBe(true)
      expect(response.headers['x-request-id']).toMatch(/^[A-Za-z0-9._:-]{1,128}$/)
      if (statusCode < 400 || sample.method === 'HEAD') return
      const envelope = ErrorResponse.parse(response.json())
      expect(envelope).toMatchObject({ statusCode, requestId: response.headers['x-request-id'] })
      expect(envelope.code).toBeDefined()
      expect(response.body).not.toMatch(/ {4}at |node_modules|\.ts:/)
    }),
    { numRuns: RUNS },
  )
}, 120_000)

/** A length that announces more parts of a witness than an order may have. */
const TOO_MANY_PARTS = { at: 152, byte: 253, cut: false }
/** No node knows the output: the wrappers of one ask wait for it, and few may. */
const REASONS = ['INVALID_PSBT', 'PSBT_TOO_LARGE', 'TOO_MANY_CLAIMS']

test('a PSBT with any bytes changed is accepted as an order or refused with its reason', async () => {
  const seller = accountOf('seller', 'p2tr')
  const { scriptHex } = seller
  const coin = { outpoint: { txid: toTxid('ab'.repeat(32)), vout: 0 }, valueSats: '546', scriptHex }
  const good = Buffer.from(seller.ask(coin, { scriptHex, valueSats: '50000' }), 'base64')
  const edit = fc.record({ at: fc.nat(good.length - 1), byte: fc.nat(255), cut: fc.boolean() })
  await fc.assert(
    fc.asyncProperty(fc.array(edit, { maxLength: 4 }), async (edits) => {
      let bytes = Buffer.from(good)
      for (const { at, byte, cut } of edits) {
        if (cut && at % 8 === 0) bytes = bytes.subarray(0, at)
        else if (at < bytes.length) bytes[at] = byte
      }
      const response = await it.post('/api/market/orders/import', {
        psbt: bytes.toString('base64'),
      })
      if (response.statusCode === 201) OrderSummary.parse(response.json())
      else expect(REASONS).toContain(ErrorResponse.parse(response.json()).code)
    }),
    { numRuns: RUNS, examples: [[[TOO_MANY_PARTS]]] },
  )
}, 120_000)

test('any address and any signature withdraw nothing: 400 with the reason', async () => {
  const wallet = walletOf('p2wpkh', 'seller')
  const order = await it.seed({ sellerScriptHex: wallet.scriptHex })
  const own = addressOfScript(wallet.scriptHex, 'regtest') ?? ''
  const proof = Buffer.from(proveOwnership(wallet, 'another message').text, 'base64')
  const signature = fc.oneof(
    text,
    fc.base64String({ maxLength: 300 }),
    fc
      .tuple(fc.constantFrom('', 'smp', 'ful', 'pof'), fc.nat(proof.length - 1), fc.nat(255))
      .map(([prefix, at, byte]) => {
        const changed = Buffer.from(proof)
        changed[at] = byte
        return prefix + changed.toString('base64')
      }),
  )
  const address = fc.oneof({ weight: 3, arbitrary: fc.constant(own) }, text)
  await fc.assert(
    fc.asyncProperty(fc.record({ address, signature }), async (sample) => {
      const response = await it.post(`/api/market/orders/${order.id}/withdraw`, sample)
      expect(response.statusCode, response.body).toBe(400)
      // A lone surrogate is not JSON that every reader understands alike.
      expect(ErrorResponse.parse(response.json()).code).toMatch(
        /^(INVALID_PROOF|UNSUPPORTED_PROOF|BAD_REQUEST|VALIDATION_FAILED)$/,
      )
    }),
    { numRuns: RUNS },
  )
}, 120_000)

test('none of it left a failure in the log', () => {
  const failed = it.logLines.map((line) => JSON.parse(line)).filter(({ level }) => level >= 50)
  expect(failed.filter(({ msg }) => !String(msg).startsWith('the activity log'))).toEqual([])
})
