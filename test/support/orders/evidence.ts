import { createHash } from 'node:crypto'
import type { MarketRules } from '../../../src/domain/assets/asset-verdict.ts'
import { parseOutpoint } from '../../../src/domain/chain/outpoint.ts'
import type {
  Evidence,
  IndexEvidence,
  NodeEvidence,
  OutputEvidence,
  SignatureEvidence,
  Spend,
} from '../../../src/schemas/evidence.ts'
import type { AssetClaim, PsbtInspection } from '../../../src/schemas/order.ts'
import type { IndexProof, Offer, OfferClaim } from '../../../src/schemas/order-record.ts'
import type { BlockRef, TxOut } from '../../../src/schemas/scalars.ts'
import { type AnyHash, toAnyHash, toOutpointText } from '../ids.ts'

// Possible answers of the authorities about one offered output, each complete; a test changes only
// the detail that it is about.

export const hash = (name: string): AnyHash =>
  toAnyHash(createHash('sha256').update(name).digest('hex'))
export const blockAt = (height: number, branch = 'main'): BlockRef => ({
  height,
  hash: hash(`block ${height} ${branch}`),
})

export const AT = '2030-01-01T00:00:00.000Z'
export const OUTPOINT = toOutpointText(`${hash('offered transaction')}:0`)
export const SELLER = `5120${hash('seller')}`
export const BUYER = `0014${hash('buyer').slice(0, 40)}`
export const PREVOUT: TxOut = { valueSats: '10000', scriptHex: SELLER }
export const PAYOUT: TxOut = { valueSats: '500000', scriptHex: SELLER }
export const INSCRIPTION = `${hash('reveal')}i0`
export const TIP_HEIGHT = 1_000
export const MEDIAN_TIME = 1_800_000_000
export const OUTPUT_BLOCK = blockAt(900)

export const NO_MARKET: MarketRules = { assetRequirement: 'NONE', sellsRunes: false }
export const INSCRIPTIONS: MarketRules = { assetRequirement: 'INSCRIPTION', sellsRunes: false }
export const RUNES: MarketRules = { assetRequirement: 'OUTPOINT', sellsRunes: true }

export const assetClaim = (outpoint = OUTPOINT, inscriptionId = INSCRIPTION): AssetClaim => ({
  inscriptionId,
  outpoint: parseOutpoint(outpoint),
})

export interface ClaimChanges {
  /** Another wrapper of the same authorisation. */
  wrapper?: string
  offer?: Partial<Offer>
  inspection?: Partial<PsbtInspection>
  source?: Partial<OfferClaim['source']>
  claimedInscription?: NonNullable<OfferClaim['claimedInscription']>
  claimedPrevout?: TxOut | null
  protocolId?: string
  token?: string
  notes?: string[]
}

/** An ask of one input and one output, as a stranger sends it. */
export function askClaim(changes: ClaimChanges = {}): OfferClaim {
  const { wrapper = 'wrapper', offer = {}, inspection = {}, source = {}, ...rest } = changes
  const outpoint = offer.outpoint ?? OUTPOINT
  return {
    artifact: Buffer.from(wrapper).toString('base64'),
    inspection: {
      psbtVersion: 0,
      unsignedTxid: hash(`unsigned ${outpoint}`),
      digest: hash(wrapper),
      inputCount: 1,
      outputCount: 1,
      inputOutpoints: [parseOutpoint(outpoint)],
      inputWitnessUtxos: [PREVOUT],
      outputValuesSats: [PAYOUT.valueSats],
      outputScriptsHex: [PAYOUT.scriptHex],
      hasProprietaryFields: false,
      hasUnknownFields: false,
      signatureStatus: 'UNAVAILABLE',
      orderClass: 'ASK_ANYONECANPAY',
      safety: 'PUBLIC_RACEABLE',
      reasons: [],
      ...inspection,
    },
    offer: {
      side: 'ASK',
      sellerIndex: 0,
      outpoint,
      version: 2,
      locktime: 0,
      sequences: [0xfffffffd],
      payouts: [PAYOUT],
      funding: [],
      unsignedTxid: hash(`unsigned ${outpoint}`),
      ...offer,
    },
    claimedPrevout: PREVOUT,
    source: { source: 'direct-import', sourceId: wrapper, observedAt: AT, ...source },
    notes: [],
    ...rest,
  }
}

export const FUNDING: TxOut = { valueSats: '700000', scriptHex: BUYER }
export const FUNDING_OUTPOINT = toOutpointText(`${hash('funding')}:1`)

/** A bid as `ord wallet offer create` makes it: the offered input first, then the funding. */
export function bidClaim(changes: ClaimChanges = {}): OfferClaim {
  const payouts = [
    { valueSats: PREVOUT.valueSats, scriptHex: BUYER },
    { valueSats: '510000', scriptHex: SELLER },
    { valueSats: '189000', scriptHex: BUYER },
  ]
  return askClaim({
    ...changes,
    offer: {
      side: 'BID',
      sequences: [0xfffffffd, 0xfffffffd],
      payouts,
      funding: [FUNDING_OUTPOINT],
      ...changes.offer,
    },
    inspection: {
      orderClass: 'BID_FULLY_FUNDED',
      safety: 'TARGETED_REVIEW',
      signatureStatus: 'NONE',
      inputCount: 2,
      outputCount: 3,
      inputOutpoints: [parseOutpoint(OUTPOINT), parseOutpoint(FUNDING_OUTPOINT)],
      inputWitnessUtxos: [PREVOUT, FUNDING],
      ...changes.inspection,
    },
  })
}

export const unspent = (
  changes: Partial<Extract<OutputEvidence, { status: 'unspent' }>> = {},
): OutputEvidence => ({
  status: 'unspent',
  output: PREVOUT,
  coinbase: false,
  block: OUTPUT_BLOCK,
  priorMedianTime: null,
  ...changes,
})

/** A spend by a transaction of this name; it carries the exact payout unless said otherwise. */
export const spendBy = (name: string, changes: Partial<Spend> = {}): Spend => ({
  txid: hash(name),
  inputIndex: 2,
  unsignedTxid: hash(name),
  pairedOutput: PAYOUT,
  block: null,
  ...changes,
})

export const spendBlock = (height = TIP_HEIGHT, branch = 'main') => ({
  ...blockAt(height, branch),
  time: MEDIAN_TIME,
})

export const spentBy = (by: Spend | null, confirmed = by?.block != null): OutputEvidence => ({
  status: 'spent',
  confirmed,
  output: PREVOUT,
  block: confirmed ? null : OUTPUT_BLOCK,
  by,
})

export const MISSING: OutputEvidence = { status: 'missing' }

export const signatureOf = (
  claim: OfferClaim,
  status: SignatureEvidence['status'] = 'VALID',
  reason: SignatureEvidence['reason'] = status === 'VALID' ? null : 'signature_invalid',
): SignatureEvidence => ({ digest: claim.inspection.digest, status, reason, by: 'local' })

type Ready = Extract<NodeEvidence, { status: 'ready' }>

export const nodeSays = (changes: Partial<Omit<Ready, 'status'>> = {}): Ready => ({
  status: 'ready',
  tip: { ...blockAt(TIP_HEIGHT), medianTime: MEDIAN_TIME },
  output: unspent(),
  funding: [],
  signatures: [signatureOf(askClaim())],
  ...changes,
})

export const nodeAway = (
  reason: Extract<NodeEvidence, { status: 'unavailable' }>['reason'] = 'node_unavailable',
): NodeEvidence => ({ status: 'unavailable', reason })

type Answered = Extract<IndexEvidence, { status: 'ready' }>

export const inscriptionAt = (id = INSCRIPTION, offset = '0', number = 7) => ({
  id,
  number,
  offset,
})

export const indexSays = (changes: Partial<Omit<Answered, 'status'>> = {}): Answered => ({
  status: 'ready',
  at: { ...blockAt(TIP_HEIGHT), version: 'ord 1' },
  indexed: true,
  inscriptions: [],
  runes: [],
  ...changes,
})

/** An answer as an order stores it, requested under the first watermark. */
export const proved = (answer: Answered = indexSays()): IndexProof => ({
  ...answer,
  begunAt: { epoch: 1, n: 0 },
})

export const indexAway = (
  reason: Extract<IndexEvidence, { status: 'unavailable' }>['reason'] = 'asset_index_unreachable',
): IndexEvidence => ({ status: 'unavailable', reason })

export const evidenceOf = (changes: Partial<Evidence> = {}): Evidence => ({
  begunAt: { epoch: 1, n: 0 },
  mempoolSequence: 1,
  askedAt: AT,
  answeredAt: AT,
  node: nodeSays(),
  index: indexSays(),
  ...changes,
})
