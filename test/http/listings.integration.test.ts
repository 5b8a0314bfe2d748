import { Psbt } from 'bitcoinjs-lib'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { OfferExaminer } from '../../src/authorities/offer-examiner.ts'
import { inspectPsbt } from '../../src/domain/verdict/inspect.ts'
import { BlockUnavailableError } from '../../src/ports/authorities/authority-errors.ts'
import { StorageUnavailableError } from '../../src/ports/log/storage-errors.ts'
import type { Clock } from '../../src/runtime/clock.ts'
import type { Evidence } from '../../src/schemas/evidence.ts'
import type { CommandRecord } from '../../src/schemas/log.ts'
import type { OrderRecord } from '../../src/schemas/order-record.ts'
import type { TxOut } from '../../src/schemas/scalars.ts'
import { walletOf } from '../support/chain/keys.ts'
import { indexWith, nodeWith } from '../support/chain/scripted-authorities.ts'
import { openTestApp, type TestApp } from '../support/http/http.ts'
import { toBlockHash } from '../support/ids.ts'
import { orderFrom } from '../support/log/inbox-player.ts'
import { addressOf, listingOf, signedByBitcoinjs } from '../support/market/listing.ts'
import {
  evidenceOf,
  indexAway,
  indexSays,
  inscriptionAt,
  nodeAway,
  nodeSays,
  signatureOf,
  unspent,
} from '../support/orders/evidence.ts'
import { makeAsk, outpointOf } from '../support/orders/psbt-orders.ts'
import { systemClock } from '../support/system-clock.ts'

const BUILD = '/api/market/orders/build'
const PUBLISH = '/api/market/orders/publish'
const WAIT_MS = 4_000

const owner = walletOf('p2tr', 'seller')
const nested = walletOf('p2wpkh', 'seller')
const outpoint = outpointOf('asset')
const asset = { inscriptionId: `${'ab'.repeat(32)}i0`, outpoint }
const request = listingOf(asset, owner)
const text = `${outpoint.txid}:${outpoint.vout}`

/** Both authorities prove that the output of this script exists, with the inscription. */
const proved =
  (scriptHex: string): OfferExaminer['examine'] =>
  async (_outpoint, claims) =>
    evidenceOf({
      node: nodeSays({
        output: unspent({ output: { valueSats: '10000', scriptHex } satisfies TxOut }),
        signatures: claims.map((claim) => signatureOf(claim)),
      }),
      index: indexSays({ inscriptions: [inscriptionAt(asset.inscriptionId)] }),
    })
const never: OfferExaminer['examine'] = () => new Promise(() => undefined)

let it: TestApp
let examine: OfferExaminer['examine']
const opened = (clock: Clock = systemClock, verdictWaitMs = WAIT_MS) =>
  openTestApp({
    settings: { verdictWaitMs },
    http: { rateLimits: { build: 999, publish: 999 } },
    ports: {
      clock,
      node: nodeWith(),
      index: indexWith(),
      offers: {
        examine: (...asked) => examine(...asked),
        examineProof: (...asked) => examine(...asked),
      },
    },
  })
beforeEach(async () => {
  examine = proved(owner.scriptHex)
  it = await opened()
})
afterEach(() => it.close())

test('four builds are made at once, 256 wait, and one more is 503; each reads its PSBT twice', async () => {
  await it.close()
  // No wait is too long, however slow the machine.
  it = await opened({ ...systemClock, monotonic: () => 0 }, 60_000)
  let [asked, read] = [0, 0]
  let letGo = () => {}
  const gate = new Promise<void>((resolve) => {
    letGo = resolve
  })
  examine = async (...given) => {
    asked += 1
    await gate
    return proved(owner.scriptHex)(...given)
  }
  const { artifacts } = it.gateway
  it.gateway.artifacts = {
    ...artifacts,
    inspect: (psbt) => {
      read += 1
      return artifacts.inspect(psbt)
    },
  }
  const all = Array.from({ length: 261 }, () => it.post(BUILD, request))
  const refused = await Promise.race(all)
  expect(refused.json()).toMatchObject({ statusCode: 503, code: 'OVERLOADED' })
  expect(refused.headers['retry-after']).toBe('1')
  expect(asked).toBe(4)
  letGo()
  const statuses = (await Promise.all(all)).map(({ statusCode }) => statusCode)
  expect(statuses.filter((status) => status === 201)).toHaveLength(260)
  // Once as its seller will have signed it, once as it is answered.
  expect([asked, read]).toEqual([260, 520])
})

async function signedBuild(): Promise<string> {
  const response = await it.post(BUILD, request)
  expect(response.statusCode, response.body).toBe(201)
  return signedByBitcoinjs(response.json().psbt, owner)
}

type ImportOf = Extract<CommandRecord, { command: 'import' }>

/** The inbox record of the published PSBT, and the answer. */
async function published(psbt: string, outcome: Partial<OrderRecord>) {
  const answer = it.post(PUBLISH, { psbt })
  const command = await it.commands.next()
  await it.commands.finish(command, orderFrom(command, 'regtest', outcome))
  return { command: command as ImportOf, response: await answer }
}

describe('a published build', () => {
  test('goes into the inbox as an import with the build’s terms', async () => {
    const psbt = await signedBuild()
    const { command, response } = await published(psbt, { state: 'LIVE', reason: 'verified' })
    expect(response.statusCode).toBe(201)
    const { digest } = inspectPsbt(psbt)
    expect(command).toMatchObject({
      command: 'import',
      outpoint: text,
      claim: {
        artifact: psbt,
        protocolId: 'inscriptions',
        token: 'PUNK',
        published: true,
        source: {
          source: 'direct-import',
          sourceId: digest,
          claimedPriceSats: '50000',
          claimedAsset: asset,
        },
        notes: [],
      },
    })
  })

  test('carries what node and index said, and the watermark that was shown before they were asked', async () => {
    const psbt = await signedBuild()
    const begun = (n: number) => ({ begunAt: { epoch: 1, n }, mempoolSequence: n })
    it.gateway.lastWatermark = async () => begun(3)
    examine = async (...asked) => {
      it.gateway.lastWatermark = async () => begun(4)
      return { ...(await proved(owner.scriptHex)(...asked)), ...asked[3] }
    }
    const { command } = await published(psbt, { state: 'LIVE', reason: 'verified' })
    expect(command.evidence).toEqual(
      expect.objectContaining({ ...begun(3), index: expect.objectContaining({ status: 'ready' }) }),
    )
  })

  test('carries none where no watermark is known', async () => {
    const { command } = await published(await signedBuild(), { state: 'LIVE', reason: 'verified' })
    expect(command).not.toHaveProperty('evidence')
  })

  test('that was never built here carries none of it', async () => {
    const { psbt } = makeAsk()
    const { command } = await published(psbt, { state: 'LIVE', reason: 'verified' })
    expect(command.claim).not.toHaveProperty('published')
    expect(command.claim).not.toHaveProperty('protocolId')
    expect(command.claim.source).toEqual({
      source: 'direct-import',
      sourceId: inspectPsbt(psbt).digest,
      observedAt: command.at,
    })
  })
})

describe('the chain moves between the look and the verdict', () => {
  test.each<[Partial<OrderRecord>, object]>([
    [
      { state: 'MEMPOOL_CONFLICTED', reason: `mempool_conflict ${'cd'.repeat(32)}` },
      {
        statusCode: 400,
        code: 'PUBLISH_REFUSED',
        message: `${text}: mempool_conflict ${'cd'.repeat(32)}: a transaction of the mempool spends the offered output`,
      },
    ],
    [
      { state: 'WITHDRAWN', reason: 'withdrawn_by_seller' },
      { statusCode: 400, code: 'ORDER_WITHDRAWN' },
    ],
    [
      { state: 'PENDING_NODE', reason: 'node_unavailable' },
      {
        statusCode: 503,
        code: 'NODE_UNAVAILABLE',
        message: 'the node gives no answer: node_unavailable',
      },
    ],
    [
      { state: 'PENDING_ASSET', reason: 'asset_index_unreachable' },
      {
        statusCode: 503,
        code: 'ASSET_INDEX_UNAVAILABLE',
        message: 'the index gives no answer: asset_index_unreachable',
      },
    ],
    [
      { state: 'PENDING_ASSET', reason: 'output_not_indexed' },
      {
        statusCode: 503,
        code: 'ASSET_INDEX_UNAVAILABLE',
        message: `the index has not examined ${text} yet`,
      },
    ],
  ])('%o', async (outcome, error) => {
    const { response } = await published(makeAsk().psbt, outcome)
    expect(response.json()).toMatchObject(error)
  })

  test('the limit of an order is reported as such', async () => {
    const response = it.post(PUBLISH, { psbt: makeAsk().psbt })
    await it.commands.refuseNext('TOO_MANY_CLAIMS', 'as many as are kept')
    expect((await response).json()).toMatchObject({ statusCode: 400, code: 'TOO_MANY_CLAIMS' })
  })
})

describe('an unavailable authority is 503, for both routes', () => {
  test.each<[string, string, (known: Evidence) => Evidence]>([
    ['NODE_UNAVAILABLE', 'node_in_ibd', () => evidenceOf({ node: nodeAway('node_in_ibd') })],
    [
      'ASSET_INDEX_UNAVAILABLE',
      'asset_index_reorged',
      (known) => ({ ...known, index: indexAway('asset_index_reorged') }),
    ],
    [
      'ASSET_INDEX_UNAVAILABLE',
      'has not examined',
      (known) => ({ ...known, index: indexSays({ indexed: false }) }),
    ],
  ])('%s: %s', async (code, reason, changed) => {
    const psbt = await signedBuild()
    examine = async (...asked) => changed(await proved(owner.scriptHex)(...asked))
    for (const response of [await it.post(BUILD, request), await it.post(PUBLISH, { psbt })]) {
      expect(response.json()).toMatchObject({ statusCode: 503, code })
      expect(response.json().message).toContain(reason)
      expect(Number(response.headers['retry-after'])).toBeGreaterThan(0)
    }
  })

  test('and so is a store that refuses writes', async () => {
    const psbt = await signedBuild()
    const { builds, log } = it.gateway
    it.gateway.builds = {
      find: (...asked) => builds.find(...asked),
      remember: async () => {
        throw new StorageUnavailableError('full', 'no space left on device')
      },
    }
    it.gateway.log = {
      ...log,
      partitions: log.partitions,
      append: async () => {
        throw new StorageUnavailableError('full', 'no space left on device')
      },
    }
    for (const response of [await it.post(BUILD, request), await it.post(PUBLISH, { psbt })]) {
      expect(response.json()).toMatchObject({ statusCode: 503, code: 'STORAGE_UNAVAILABLE' })
      expect(response.body).not.toContain('device')
    }
  })
})

describe('a request waits no longer than it may', () => {
  test('for silent authorities: 504, and nothing is stored', async () => {
    const psbt = await signedBuild()
    examine = never
    for (const [url, body] of [
      [BUILD, request],
      [PUBLISH, { psbt }],
    ] as const) {
      const begun = performance.now()
      const response = await it.post(url, body)
      expect(performance.now() - begun).toBeLessThan(WAIT_MS + 30_000)
      expect(response.json()).toMatchObject({
        statusCode: 504,
        code: 'STILL_BEING_VERIFIED',
        message: `${text} is still being verified: nothing was stored, try again`,
      })
    }
  })

  test('for authorities that fail after that: no harm is done', async () => {
    examine = () =>
      new Promise((_resolve, reject) => setTimeout(() => reject(new Error('late')), WAIT_MS * 1.5))
    expect((await it.post(BUILD, request)).statusCode).toBe(504)
    await new Promise((resolve) => setTimeout(resolve, WAIT_MS))
    examine = proved(owner.scriptHex)
    expect((await it.post(BUILD, request)).statusCode).toBe(201)
  })

  test('for a verdict: 504 names the order, and the command is in the log', async () => {
    const response = await it.post(PUBLISH, { psbt: makeAsk().psbt })
    const { orderId } = await it.commands.next()
    expect(response.json()).toMatchObject({
      statusCode: 504,
      code: 'STILL_BEING_VERIFIED',
      message: `order ${orderId} is still being verified: read it later`,
    })
  })
})

describe('a build', () => {
  test.each([
    [
      'gone with its block',
      async () => Promise.reject(new BlockUnavailableError(toBlockHash('00'.repeat(32)))),
    ],
    ['unknown', async () => null],
  ])('goes without a previous transaction that is %s', async (_why, transaction) => {
    it.gateway.node = nodeWith({ transaction })
    examine = proved(nested.scriptHex)
    const response = await it.post(BUILD, listingOf(asset, nested))
    expect(response.statusCode, response.body).toBe(201)
    expect(response.json().inspection.inputWitnessUtxos).toEqual([
      { valueSats: '10000', scriptHex: nested.scriptHex },
    ])
    const { data } = Psbt.fromBase64(response.json().psbt)
    expect(data.inputs[0]).not.toHaveProperty('nonWitnessUtxo')
  })

  test('does not need the previous transaction of a taproot output', async () => {
    it.gateway.node = nodeWith({
      transaction: async () => {
        throw new Error('asked')
      },
    })
    expect((await it.post(BUILD, request)).statusCode).toBe(201)
  })

  test.each([
    ['below what the output holds', '9999', ['payout_below_input']],
    ['of as much', '10000', []],
  ])('for a payout %s: its reasons say so', async (_, quotedPriceSats, reasons) => {
    const response = await it.post(BUILD, { ...request, quotedPriceSats })
    expect(response.statusCode, response.body).toBe(201)
    expect(response.json().inspection).toMatchObject({ orderClass: 'ASK_ANYONECANPAY', reasons })
  })

  test('is refused when every authorisation that it could be is taken', async () => {
    const { builds } = it.gateway
    it.gateway.builds = { find: builds.find, remember: async () => false }
    expect((await it.post(BUILD, request)).json()).toMatchObject({
      statusCode: 400,
      code: 'BUILD_REFUSED',
      message: `${text}: there are already 256 listings at this price`,
    })
  })

  test('takes a price as a number, an alias for its market, and an address of any kind', async () => {
    for (const protocolId of ['ordinals', 'domains']) {
      const sellerPaymentAddress = addressOf(walletOf('p2sh-p2wpkh', 'payout'))
      const changes = { protocolId, sellerPaymentAddress }
      const body = { ...listingOf(asset, owner, changes), quotedPriceSats: 60_000 }
      const response = await it.post(BUILD, body)
      expect(response.json()).toMatchObject({
        protocolId,
        builderProfile: 'OPEN_ASK',
        inspection: { outputValuesSats: ['60000'] },
      })
    }
  })

  test('is replayed under its Idempotency-Key, and so is a refused publish', async () => {
    for (const [url, body] of [
      [BUILD, request],
      [PUBLISH, { psbt: 'no PSBT' }],
    ] as const) {
      const first = await it.post(url, body, { 'idempotency-key': 'k' })
      const again = await it.post(url, body, { 'idempotency-key': 'k' })
      expect(again.headers['idempotent-replayed']).toBe('true')
      expect(again.rawPayload.equals(first.rawPayload)).toBe(true)
    }
  })
})

test.each([
  ['build', BUILD],
  ['publish', PUBLISH],
] as const)('%s has a rate limit of its own', async (name, url) => {
  const limited = await openTestApp({ http: { rateLimits: { [name]: 2 } } })
  const statuses = []
  for (let n = 0; n < 3; n += 1) statuses.push((await limited.post(url, {})).statusCode)
  const other = await limited.post(url === BUILD ? PUBLISH : BUILD, {})
  await limited.close()
  expect(statuses).toEqual([400, 400, 429])
  expect(other.statusCode).toBe(400)
})
