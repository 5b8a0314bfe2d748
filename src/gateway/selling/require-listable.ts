import { marketRules } from '../../domain/catalog/market-rules.ts'
import { REASONS, type ReasonCode } from '../../domain/reasons/reasons.ts'
import { judge } from '../../domain/verdict/verdict.ts'
import type { ErrorCode } from '../../schemas/api/errors.ts'
import { type Evidence, IndexTrouble, NodeTrouble } from '../../schemas/evidence.ts'
import type { OfferClaim, OrderRecord } from '../../schemas/order-record.ts'
import { RefusalError } from '../refusal.ts'

/**
 * The verdict on an offer that is not an order yet.
 *
 * @throws RefusalError `code` unless it would be LIVE, and in its market; NODE_UNAVAILABLE,
 *   ASSET_INDEX_UNAVAILABLE if an authority is unavailable
 */
export function requireListable(code: ErrorCode, claim: OfferClaim, evidence: Evidence): void {
  const market = marketRules(claim.protocolId)
  const { outpoint } = claim.offer
  const verdict = judge({ claim, evidence, market, indexProof: null })
  requireLive(code, { ...verdict, outpoint })
  const [inscription] = verdict.assets
  if (market.assetRequirement !== 'OUTPOINT' || !inscription) return
  const held = `${outpoint}: holds the inscription ${inscription.inscriptionId}`
  throw new RefusalError(code, `${held}: list it in a market of inscriptions`)
}

/** @throws RefusalError as `requireListable` */
export function requireLive(
  code: ErrorCode,
  { state, reason, outpoint }: Pick<OrderRecord, 'state' | 'reason' | 'outpoint'>,
): void {
  if (state === 'LIVE') return
  if (NodeTrouble.safeParse(reason).success) {
    throw new RefusalError('NODE_UNAVAILABLE', `the node gives no answer: ${reason}`)
  }
  if (IndexTrouble.safeParse(reason).success) {
    throw new RefusalError('ASSET_INDEX_UNAVAILABLE', `the index gives no answer: ${reason}`)
  }
  if (reason === NOT_EXAMINED) {
    throw new RefusalError('ASSET_INDEX_UNAVAILABLE', `the index has not examined ${outpoint} yet`)
  }
  throw new RefusalError(code, `${outpoint}: ${explained(reason)}`)
}

const NOT_EXAMINED: ReasonCode = 'output_not_indexed'

/** A verdict's reason with its meaning: `code detail: words`. */
function explained(reason: string): string {
  const [code = ''] = reason.split(' ')
  return isReason(code) ? `${reason}: ${REASONS[code].says}` : reason
}

const isReason = (code: string): code is ReasonCode => Object.hasOwn(REASONS, code)
