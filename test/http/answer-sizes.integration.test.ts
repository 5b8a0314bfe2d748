import { Psbt, Transaction } from 'bitcoinjs-lib'
import { afterEach, describe, expect, test } from 'vitest'
import { ORDER_LIMITS } from '../../src/domain/psbt/psbt-limits.ts'
import { REASONS } from '../../src/domain/reasons/reasons.ts'
import { bytesOf } from '../../src/domain/script/script-template.ts'
import { inspectPsbt } from '../../src/domain/verdict/inspect.ts'
import { witnessBytes } from '../../src/domain/verdict/node-question.ts'
import type { InscriptionAt } from '../../src/schemas/evidence.ts'
import type { ActivityEntry } from '../../src/schemas/order.ts'
import type { OrderRecord } from '../../src/schemas/order-record.ts'
import { OrderState, type OutpointText, Source } from '../../src/schemas/scalars.ts'
import { walletOf } from '../support/chain/keys.ts'
import {
  assetsOf,
  contentsOf,
  indexStatus,
  indexWith,
  nodeWith,
  unspentAnswer,
} from '../support/chain/scripted-authorities.ts'
import { historyWith, openTestApp, type TestApp } from '../support/http/http.ts'
import { toOrderId, toOutpointText, toTxid } from '../support/ids.ts'
import { addressOf } from '../support/market/listing.ts'
import { blockAt, TIP_HEIGHT } from '../support/orders/evidence.ts'
import { makeAsk } from '../support/orders/psbt-orders.ts'
import {
  addressOf as carrierAddressOf,
  hash,
  openPipelines,
} from '../support/pairing/pairing-pipeline.ts'

// One request causes at most 1 MiB of answer (docs/abuse.md): each at its largest.

const MEBIBYTE = 1_048_576
const PAGE = 200

let it: TestApp
afterEach(() => it?.close())

describe('the largest possible quote', () => {
  const P2PKH = `76a914${'55'.repeat(20)}88ac`
  const P2WSH = `0020${'66'.repeat(32)}`
  const OUTPUTS = 64
  const LEGACY = 16
  const MAX_PREVIOUS_BYTES = 262_144
  const ask = makeAsk()

  /** A transaction of this many bytes, without a witness. */
  function previous(bytes: number): string {
    const made = (filling: number) => {
      const transaction = new Transaction()
      transaction.addInput(new Uint8Array(32).fill(7), 0, 1, new Uint8Array(filling))
      transaction.addOutput(bytesOf(P2PKH), 50_000n)
      return transaction
    }
    return made(bytes - (made(1_000).byteLength() - 1_000)).toHex()
  }

  /** The ask with as much of a witness as an order may have. */
  function fattest(): string {
    const psbt = Psbt.fromBase64(ask.psbt)
    const [input] = psbt.data.inputs
    if (!input) throw new Error('an ask has one input')
    const spare = ORDER_LIMITS.bytes - Buffer.from(ask.psbt, 'base64').length - 16
    input.finalScriptWitness = witnessBytes([new Uint8Array(64), new Uint8Array(spare)])
    const { length } = psbt.toBuffer()
    expect(length).toBeGreaterThan(ORDER_LIMITS.bytes - 128)
    expect(length).toBeLessThanOrEqual(ORDER_LIMITS.bytes)
    return psbt.toBase64()
  }

  async function quote(bytesOfPrevious: number) {
    const places: InscriptionAt[] = Array.from({ length: 25 }, (_, n) => ({
      id: `${'ab'.repeat(32)}i${4_294_967_270 + n}`,
      number: 100_000_000 + n,
      offset: String(n),
    }))
    const runes = Array.from({ length: 100 }, (_, n) => ({
      name: `${'ABCDEFGHIJKLMNOPQRSTUVWXYZ'}${n}`.split('').join('•'),
      amount: '9'.repeat(39),
    }))
    const text = ({ txid, vout }: { txid: string; vout: number }) =>
      toOutpointText(`${txid}:${vout}`)
    const offered = text(ask.outpoint)
    const named = Array.from({ length: OUTPUTS }, (_, n) => ({ txid: hash(`coin ${n}`), vout: n }))
    const legacy = new Set(named.slice(2, 2 + LEGACY).map(text))
    const each = Math.floor(bytesOfPrevious / LEGACY)
    const sizes = new Map(
      [...legacy].map((one, n) => [one, n === 0 ? bytesOfPrevious - each * (LEGACY - 1) : each]),
    )
    const scriptOf = (one: OutpointText) => (legacy.has(one) ? P2PKH : P2WSH)
    it = await openTestApp({
      ports: {
        node: nodeWith({
          outputs: async (outpoints) =>
            outpoints.map((one) =>
              unspentAnswer({
                output:
                  text(one) === offered
                    ? ask.prevout
                    : { scriptHex: scriptOf(text(one)), valueSats: '50000' },
              }),
            ),
          minimumFeeRate: async () => '1',
          transaction: async (txid) => {
            const [, bytes = 0] = [...sizes].find(([one]) => one.startsWith(txid)) ?? []
            return { txid, hex: previous(bytes), blockHash: blockAt(TIP_HEIGHT).hash }
          },
        }),
        index: indexWith({
          status: async () => indexStatus(),
          output: async () => assetsOf({ inscriptions: places, runes }),
          contents: async (outpoints) =>
            outpoints.map((one) => contentsOf(text(one) === offered ? { runes } : {})),
        }),
      },
    })
    const { inspection, offer, claimedPrevout } = inspectPsbt(ask.psbt)
    const order: OrderRecord = await it.seed({ outpoint: offered })
    const kept = { ...order.kept, artifact: fattest(), inspection, offer, claimedPrevout }
    const live: OrderRecord = {
      ...order,
      sellerScriptHex: ask.prevout.scriptHex,
      assets: [{ inscriptionId: places[0]?.id ?? '', outpoint: ask.outpoint }],
      kept: { ...kept, inspection: { ...inspection, safety: 'PUBLIC_RACEABLE' } },
    }
    const [padding, other, ...funding] = named
    const asked = it.post(`/api/market/orders/${order.id}/quote`, {
      assetReceiveAddress: addressOf(walletOf('p2tr', 'receiver')),
      paymentAddress: addressOf(walletOf('p2wpkh', 'buyer')),
      paddingUtxos: [padding, other],
      fundingUtxos: funding,
      feeRateSatsPerVb: '1',
    })
    await it.commands.doNext({ ...live, seq: order.seq })
    return asked
  }

  test('is below 0.5 MiB', async () => {
    const response = await quote(MAX_PREVIOUS_BYTES)
    expect(response.statusCode, response.body.slice(0, 300)).toBe(201)
    const { inputOutpoints, psbt, notices } = response.json()
    expect(inputOutpoints).toHaveLength(OUTPUTS + 1)
    const bytes = Buffer.from(psbt, 'base64').length
    expect(bytes).toBeGreaterThan(MAX_PREVIOUS_BYTES + ORDER_LIMITS.bytes - 512)
    expect(notices.length).toBeGreaterThan(25 + OUTPUTS - LEGACY)
    expect(response.rawPayload.length).toBeLessThan(MEBIBYTE / 2)
  })

  test('is refused with a byte more of previous transactions', async () => {
    const response = await quote(MAX_PREVIOUS_BYTES + 1)
    expect(response.json()).toMatchObject({
      statusCode: 400,
      code: 'QUOTE_REFUSED',
      message: expect.stringContaining(`larger than ${MAX_PREVIOUS_BYTES} bytes`),
    })
  })
})

const longest = (texts: readonly string[]): string =>
  texts.reduce((one, other) => (other.length > one.length ? other : one))

test('200 entries of activity, each with the longest words there are, have 500 bytes each', async () => {
  const orderId = toOrderId('ab'.repeat(32))
  const detailed = Object.entries(REASONS).map(([code, meaning]) =>
    'detail' in meaning ? `${code} ${'f'.repeat(64)}` : code,
  )
  const state = longest(OrderState.options) as OrderState
  const entry: ActivityEntry = {
    id: `${orderId}:${Number.MAX_SAFE_INTEGER}`,
    orderId,
    fromState: state,
    toState: state,
    reason: longest(detailed),
    actor: `import:${longest(Source.options)}`,
    observedAt: '2030-01-01T00:00:00.000Z',
  }
  const entries = Array.from({ length: PAGE }, () => entry)
  const next = { observedAt: entry.observedAt, orderId, seq: Number.MAX_SAFE_INTEGER }
  it = await openTestApp({ ports: { history: historyWith(async () => ({ entries, next })) } })
  const response = await it.get(`/api/market/activity?limit=${PAGE}`)
  expect(response.json().entries).toHaveLength(PAGE)
  expect(response.rawPayload.length).toBeLessThan(PAGE * 500)
})

test('lists of pairing have no pages: 200 of the largest records have 700 bytes each', async () => {
  const world = await openPipelines({ settings: { network: 'regtest' } })
  const { records } = world.views
  const many = <T>(one: T | undefined, changes: Partial<T>): T[] => {
    if (!one) throw new Error('the pipeline has one of each')
    return Array.from({ length: PAGE }, () => ({ ...one, ...changes }))
  }
  const txid = toTxid('f'.repeat(64))
  const height = 4_294_967_295
  records.objects = many(records.objects[0], {
    label: 'W'.repeat(32),
    carrier: toOutpointText(`${txid}:${height}`),
    pairId: txid,
    pairedWith: txid,
    createdHeight: height,
    eventCount: height,
  })
  records.carriers = many(records.carriers[0], {
    vout: height,
    valueSats: '2100000000000000',
    createdHeight: height,
    spentByTxid: txid,
    spentHeight: height,
  })
  const address = carrierAddressOf('carrier')
  for (const [path, list] of [
    ['/objects', 'items'],
    ['/carriers', 'items'],
    ['/checkpoints', 'items'],
    [`/verified/addresses/${address}`, 'carriers'],
    ['/verified/search?q=WWW', 'results'],
  ] as const) {
    const response = await world.get(
      `/pairing${path}${path.includes('?') ? '&' : '?'}limit=${PAGE}`,
    )
    expect(response.statusCode, path).toBe(200)
    const answer = response.json()
    expect((answer.data ?? answer)[list].length, path).toBeGreaterThan(0)
    expect(response.rawPayload.length, path).toBeLessThan((PAGE + 1) * 700)
  }
  await world.close()
})
