import type { ClaimNote } from '../../domain/reasons/claim-notes.ts'
import type { Inspected } from '../../domain/verdict/inspect.ts'
import type { ImportRequest } from '../../schemas/api/api.ts'
import type { AssetClaim, OrderSummary, SourceEvidence } from '../../schemas/order.ts'
import type { OrderSide } from '../../schemas/scalars.ts'
import type { CommandParts, Gateway } from '../gateway.ts'
import { summarise } from '../order/summarise.ts'
import { inspectArtifact } from './inspect-artifact.ts'
import type { Claim, Claimant, SourceStatement } from './submit-claim.ts'
import { submitOrPool } from './take-claim.ts'

/**
 * Takes a signed artifact from any source and has it verified (gateway spec 4.2, Import). The
 * request's claims travel as evidence; what proves nothing is REJECTED, and forgotten after a day.
 * `client` is the one whose share of the pool it uses until then.
 *
 * @throws RefusalError INVALID_PSBT, PSBT_TOO_LARGE, TOO_MANY_CLAIMS, STORAGE_UNAVAILABLE,
 *   STILL_BEING_VERIFIED
 */
export async function importOrder(
  gateway: CommandParts &
    Pick<Gateway, 'artifacts' | 'judge' | 'lastWatermark' | 'pool' | 'stored'>,
  request: ImportRequest,
  client: string,
  signal: AbortSignal,
): Promise<OrderSummary> {
  const stored = await submitOrPool(gateway, await claimOfImport(gateway, request), client, signal)
  return summarise(gateway, stored).summary
}

/**
 * The artifact of a request, and the request's claims about it.
 *
 * @throws RefusalError INVALID_PSBT, PSBT_TOO_LARGE
 */
export async function claimOfImport(
  claimant: Pick<Claimant, 'artifacts' | 'clock'>,
  request: ImportRequest,
): Promise<Claim> {
  const inspected = await inspectArtifact(claimant, 'psbt', request.psbt)
  return { inspected, saying: statementOfImport(claimant, request, inspected) }
}

/** What a request says about an artifact, besides the artifact. */
export type ImportClaims = Omit<ImportRequest, 'psbt'>

export function statementOfImport(
  { clock }: Pick<Claimant, 'clock'>,
  claims: ImportClaims,
  { digest, offer }: Inspected,
): SourceStatement {
  const { protocolId, token } = claims
  return {
    source: sourceOf(claims, digest, new Date(clock.now()).toISOString()),
    ...(protocolId !== undefined && { protocolId }),
    ...(token !== undefined && { token }),
    notes: sideNotes(claims.side ?? null, offer.side),
  }
}

/** The side is read from the signatures; a source that names the other side is only noted. */
export const sideNotes = (claimed: OrderSide | null, signed: OrderSide): ClaimNote[] =>
  claimed === null || claimed === signed ? [] : ['side_claim_differs']

/** An import that names no source id is identified by its bytes. */
function sourceOf(request: ImportClaims, digest: string, observedAt: string): SourceEvidence {
  const claimedPriceSats = request.claimedPriceSats ?? request.quotedPriceSats
  return {
    source: request.source ?? 'direct-import',
    sourceId: request.sourceId ?? digest,
    observedAt,
    ...(claimedPriceSats !== undefined && { claimedPriceSats }),
    ...(request.asset && { claimedAsset: withoutNumber(request.asset) }),
  }
}

/** The number is read from the index, never from a claim (gateway spec 2.2). */
const withoutNumber = ({ inscriptionId, outpoint }: AssetClaim): AssetClaim => ({
  inscriptionId,
  outpoint,
})
