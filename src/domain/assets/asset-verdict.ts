import type { IndexEvidence } from '../../schemas/evidence.ts'
import type { AssetClaim } from '../../schemas/order.ts'
import type { AssetStatus, BlockRef, OutpointText } from '../../schemas/scalars.ts'
import { parseOutpoint } from '../chain/outpoint.ts'
import type { ReasonOf, Remark } from '../reasons/reasons.ts'
import { type InscriptionClaim, isClaimedElsewhere } from './claimed-assets.ts'

/** What a market requires of the offered output, from the catalog. */
export interface MarketRules {
  assetRequirement: 'INSCRIPTION' | 'OUTPOINT' | 'NONE'
  /** In a runes market, the runes in the output are what is sold. */
  sellsRunes: boolean
}

export interface AssetQuestion {
  outpoint: OutpointText
  /** The block of the offered output; null while unconfirmed. */
  outputBlock: BlockRef | null
  claim: InscriptionClaim | undefined
  market: MarketRules
  index: IndexEvidence
}

/** An output with more inscriptions makes no readable offer, and each of them costs a lookup. */
export const MAX_INSCRIPTIONS = 25

type AssetRefusal =
  | 'too_many_inscriptions'
  | 'asset_mismatch'
  | 'asset_missing'
  | 'undeclared_assets'
type Pending = ReasonOf<'PENDING_ASSET'>

export type AssetVerdict =
  | { outcome: 'proved'; status: AssetStatus; assets: AssetClaim[]; remarks: Remark[] }
  | { outcome: 'pending'; status: AssetStatus; reason: Pending }
  | { outcome: 'refused'; status: AssetStatus; reason: AssetRefusal; assets: AssetClaim[] }

/**
 * What the index proves about the offered output (the last rows of the verdict table): where the
 * claimed inscription is, whether one is there at all, and which undeclared assets are there.
 */
export function judgeAssets(question: AssetQuestion): AssetVerdict {
  const { claim, market, index, outputBlock } = question
  const requested = claim !== undefined || market.assetRequirement === 'INSCRIPTION'
  const isUnconfigured =
    index.status === 'unavailable' && index.reason === 'asset_index_unconfigured'
  const pending = pendingReason(question)
  if (pending === null) return judgeExamined(question, requested)
  if (isUnconfigured && !requested && outputBlock !== null) {
    const remarks: Remark[] = ['assets_not_examined']
    return { outcome: 'proved', status: 'NOT_REQUESTED', assets: [], remarks }
  }
  const unknown = isUnconfigured ? 'UNCONFIGURED' : 'UNAVAILABLE'
  return { outcome: 'pending', status: requested ? unknown : 'NOT_REQUESTED', reason: pending }
}

function pendingReason({ outputBlock, index }: AssetQuestion): Pending | null {
  if (outputBlock === null) return 'output_unconfirmed'
  if (index.status === 'unavailable') return index.reason
  if (index.at.height < outputBlock.height) return 'asset_index_behind'
  return index.indexed ? null : 'output_not_indexed'
}

function judgeExamined(
  { outpoint, claim, market, index }: AssetQuestion,
  requested: boolean,
): AssetVerdict {
  if (index.status !== 'ready') throw new Error('an unavailable index has no examined output')
  const { inscriptions } = index
  const claimed = inscriptions?.find(({ id }) => id === claim?.inscriptionId)
  // The inscription sold comes first: quotes and envelopes name it, whatever else is on its sat.
  const claimedFirst = new Set([...(claimed ? [claimed] : []), ...(inscriptions ?? [])])
  const assets = [...claimedFirst].map((inscription) => ({
    inscriptionId: inscription.id,
    outpoint: parseOutpoint(outpoint),
    inscriptionNumber: inscription.number,
  }))
  const refuse = (reason: AssetRefusal) => ({
    outcome: 'refused' as const,
    status: requested ? ('MISMATCH' as const) : ('NOT_REQUESTED' as const),
    reason,
    assets,
  })

  if (inscriptions === null) return refuse('too_many_inscriptions')
  if (claim && (!claimed || isClaimedElsewhere(claim, outpoint))) return refuse('asset_mismatch')
  const [first] = inscriptions
  if (market.assetRequirement === 'INSCRIPTION' && !first) return refuse('asset_missing')

  // One sat may carry a stack of inscriptions; any on a second sat are undeclared assets.
  const declaredOffset = (claimed ?? first)?.offset
  const hasForeignSat = inscriptions.some(({ offset }) => offset !== declaredOffset)
  const hasForeignRunes = !market.sellsRunes && (index.runes?.length ?? 0) > 0
  if (hasForeignSat || hasForeignRunes) return refuse('undeclared_assets')

  const holdsNone = market.sellsRunes && index.runes?.length === 0
  const remarks: Remark[] = [
    ...(index.runes === null ? ['runes_not_examined' as const] : []),
    ...(holdsNone ? ['holds_no_runes' as const] : []),
  ]
  return { outcome: 'proved', status: requested ? 'VERIFIED' : 'NOT_REQUESTED', assets, remarks }
}
