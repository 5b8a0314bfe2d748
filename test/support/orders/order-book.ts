import { createHash } from 'node:crypto'
import type { Spend } from '../../../src/schemas/evidence.ts'
import type { OrderRecord } from '../../../src/schemas/order-record.ts'
import type { OrderState, Source, Txid } from '../../../src/schemas/scalars.ts'
import { type AnyHash, toAnyHash, toBlockHash, toOutpointText, toTxid } from '../ids.ts'

/** Deterministic choices from a seed. */
export interface Dice {
  below(n: number): number
  of<T>(values: readonly T[]): T
  hex(bytes: number): string
  chance(share: number): boolean
}

export function dice(seed: number): Dice {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return (t ^ (t >>> 14)) >>> 0
  }
  const below = (n: number) => next() % n
  return {
    below,
    of: (values) => values[below(values.length)]!,
    hex: (bytes) =>
      Array.from({ length: Math.ceil(bytes / 4) }, () => next().toString(16).padStart(8, '0'))
        .join('')
        .slice(0, bytes * 2),
    chance: (share) => below(1_000_000) < share * 1_000_000,
  }
}

export const STATES: readonly OrderState[] = [
  'LIVE',
  'PENDING_NODE',
  'PENDING_ASSET',
  'MEMPOOL_CONFLICTED',
  'SPENT',
  'SETTLED',
  'REJECTED',
  'WITHDRAWN',
]
export const SOURCES: readonly Source[] = ['portable-nostr802', 'asset-offers', 'direct-import']
export const PROTOCOLS = ['bitcoin-inscriptions', 'bitcoin-brc20', 'bitcoin-runes', 'Rare-Sats']
export const TOKENS = ['ORDI', 'ordi', 'Rare Punk', 'punk #12', 'été', '𝔘nicode', 'Zebra', 'sats']
const START = Date.parse('2026-01-01T00:00:00.000Z')

const hash = (text: string): AnyHash => toAnyHash(createHash('sha256').update(text).digest('hex'))
const time = (roll: Dice, spreadMs: number) => new Date(START + roll.below(spreadMs)).toISOString()

/** An order as the actors make it, of a real one's size; ties and absent fields are frequent. */
export function orderOf(roll: Dice, index: number): OrderRecord {
  const id = hash(`order ${index} ${roll.hex(4)}`)
  const txid = roll.chance(0.9) ? hash(`tx ${index}`) : hash(`tx ${index % 7}`)
  const vout = roll.below(3)
  const bid = roll.chance(0.1)
  const seller = roll.chance(0.5) ? roll.hex(20) : hash(`seller ${roll.below(50)}`).slice(0, 40)
  const script = `0014${seller}`
  const createdAt = time(roll, 30 * 86_400_000)
  const price = roll.chance(0.9)
    ? String(roll.chance(0.5) ? roll.below(50) : roll.below(2 ** 31))
    : null
  const state = roll.chance(0.6) ? 'LIVE' : roll.of(STATES)
  const source = {
    source: roll.of(SOURCES),
    sourceId: roll.hex(8),
    observedAt: createdAt,
    eventId: roll.hex(32),
    eventPubkey: roll.hex(32),
    signatureVerified: true,
  }
  const assets = Array.from(
    { length: roll.chance(0.03) ? 2 : roll.of([0, 1, 1, 1, 1]) },
    (_, n) => ({
      inscriptionId: `${hash(`inscription ${index} ${n}`)}i${roll.below(3)}`,
      outpoint: roll.chance(0.98) ? { txid, vout } : { txid: toTxid(roll.hex(32)), vout: 0 },
      ...(roll.chance(0.9) ? { inscriptionNumber: roll.below(90_000_000) - 500_000 } : {}),
    }),
  )
  const verifiedAt = roll.chance(0.85) ? time(roll, 3_600_000) : null
  const tip = { height: 900_000, hash: hash('tip') }
  return {
    id,
    network: 'regtest',
    outpoint: toOutpointText(`${txid}:${vout}`),
    state,
    reason: 'verified',
    seq: 1,
    hash: hash(`change ${index}`),
    kept: {
      artifact: Buffer.from(roll.hex(bid ? 700 : 330), 'hex').toString('base64'),
      inspection: {
        psbtVersion: 0,
        unsignedTxid: hash(`unsigned ${index}`),
        digest: hash(`digest ${index}`),
        inputCount: 1,
        outputCount: 1,
        inputOutpoints: [{ txid, vout }],
        inputWitnessUtxos: [{ valueSats: '546', scriptHex: script }],
        outputValuesSats: [price ?? '1000'],
        outputScriptsHex: [script],
        hasProprietaryFields: false,
        hasUnknownFields: false,
        signatureStatus: roll.of(['VALID', 'VALID', 'VALID', 'INVALID', 'NONE', 'UNAVAILABLE']),
        orderClass: bid
          ? 'BID_FULLY_FUNDED'
          : roll.chance(0.95)
            ? 'ASK_ANYONECANPAY'
            : 'UNSUPPORTED',
        safety: bid
          ? 'TARGETED_REVIEW'
          : roll.of(['PUBLIC_RACEABLE', 'PUBLIC_RACEABLE', 'UNSUPPORTED']),
        reasons: [],
      },
      offer: {
        side: bid ? 'BID' : 'ASK',
        sellerIndex: 0,
        outpoint: toOutpointText(`${txid}:${vout}`),
        version: 2,
        locktime: 0,
        sequences: [0xfffffffd],
        payouts: [{ valueSats: price ?? '1000', scriptHex: script }],
        funding: bid ? paymentsOf(index) : [],
        unsignedTxid: hash(`unsigned ${index}`),
      },
      claimedPrevout: { valueSats: '546', scriptHex: script },
      source,
      notes: [],
    },
    claims: [],
    sources: roll.chance(0.1) ? [source, { ...source, source: roll.of(SOURCES) }] : [source],
    sourcesDropped: 0,
    notes: [],
    assets,
    validation: {
      checkedAt: verifiedAt ?? createdAt,
      nodeStatus: 'READY',
      assetStatus: 'VERIFIED',
      nodeTip: tip,
      reasons: [],
    },
    anchor: {
      tip,
      mempoolSequence: 12,
      index: { ...tip, version: 'ord 0.27.1' },
      watermark: { epoch: 1, n: 5 },
    },
    verifiedAt,
    proved: true,
    metadataFixed: true,
    ...(roll.chance(0.8) ? { protocolId: roll.of(PROTOCOLS) } : {}),
    ...(roll.chance(0.7) ? { token: roll.of(TOKENS) } : {}),
    ...(roll.chance(0.95) ? { side: bid ? ('BID' as const) : ('ASK' as const) } : {}),
    ...(price === null ? {} : { quotedPriceSats: price }),
    ...(roll.chance(0.95) ? { sellerScriptHex: script } : {}),
    outputBlock: { height: 899_000 + roll.below(1000), hash: hash('block') },
    indexProof: null,
    spend: state === 'SPENT' || state === 'SETTLED' ? spendOf(index) : null,
    attempt: 1,
    pending: null,
    closedAt: null,
    createdAt,
    updatedAt: createdAt,
  }
}

/** Some transactions spend the outputs of several orders. */
const spendOf = (index: number) => spendBy(toTxid(hash(`spend ${index % 97}`)))

/** In the mempool. */
export const spendBy = (txid: Txid): Spend => ({
  ...{ txid, inputIndex: 0, unsignedTxid: txid },
  ...{ pairedOutput: null, block: null },
})

/** Outputs that pay for bids: some for several. */
const paymentsOf = (index: number) =>
  [0, 1, 2].map((n) => toOutpointText(`${hash(`payment ${index % 7}`)}:${n}`))

export const bookOf = (size: number, seed: number): OrderRecord[] => {
  const roll = dice(seed)
  return Array.from({ length: size }, (_, index) => orderOf(roll, index))
}

const BLOCK = { height: 899_990, hash: toBlockHash('cc'.repeat(32)), time: 1_795_000_000 }
const TXID = toTxid('dd'.repeat(32))
const AT = '2026-01-02T03:04:05.678Z'

/**
 * What some orders have besides what every order has; includes texts that need an escape in JSON.
 */
const VARIANTS: readonly Partial<OrderRecord>[] = [
  {},
  { hidden: { hiddenAt: AT, reason: 'reported "as" stolen' } },
  { state: 'WITHDRAWN', withdrawal: { withdrawnAt: AT, reason: 'changed \\ my mind' } },
  { state: 'WITHDRAWN', withdrawal: { withdrawnAt: AT }, hidden: { hiddenAt: AT } },
  {
    state: 'SETTLED',
    settlement: { txid: TXID, observedAt: AT, confirmations: 3, confirmedAt: AT },
    spend: { txid: TXID, inputIndex: 0, unsignedTxid: TXID, pairedOutput: null, block: BLOCK },
  },
  {
    state: 'SPENT',
    settlement: { txid: TXID, observedAt: AT, confirmations: 0 },
    spend: { txid: TXID, inputIndex: 1, unsignedTxid: TXID, pairedOutput: null, block: null },
  },
  { token: '{"actionability":"HANDOFF_READY"}', protocolId: 'é 𝔘 \u2028 "quoted"' },
  { anchor: null, verifiedAt: null, notes: ['utxo_without_vout'] },
  { state: 'LIVE', side: 'ASK', metadataFixed: false },
]

/** Orders of every state, with and without optional fields. */
export function* orderKinds(): Generator<OrderRecord> {
  const roll = dice(73)
  for (let index = 0; index < 40; index += 1) {
    for (const variant of VARIANTS) {
      const order = { ...orderOf(roll, index), ...variant }
      const { anchor } = order
      yield index % 4 === 0 && anchor
        ? { ...order, anchor: { ...anchor, ahead: true, watermark: { epoch: 1, n: index } } }
        : order
    }
  }
}
