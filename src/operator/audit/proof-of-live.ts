import { inscriptionClaim } from '../../domain/assets/claimed-assets.ts'
import { marketRules } from '../../domain/catalog/market-rules.ts'
import type { Evidence } from '../../schemas/evidence.ts'
import type { ChangeRecord } from '../../schemas/log.ts'
import type { OrderRecord } from '../../schemas/order-record.ts'

/**
 * The proof missing from a change to LIVE, in words; null if none is. Independent of the verdict:
 * each gate is checked in the evidence itself.
 */
export function lackOfProof({ evidence }: ChangeRecord, order: OrderRecord): string | null {
  if (evidence === null) return 'evidence of any authority'
  const { node } = evidence
  if (node.status !== 'ready') return "the node's evidence"
  const { output } = node
  if (output.status !== 'unspent' || output.block === null) {
    return 'an unspent output in a block'
  }
  if (output.block.hash !== order.outputBlock?.hash) return "its output's block on the chain"
  const { digest } = order.kept.inspection
  if (node.signatures.find((signature) => signature.digest === digest)?.status !== 'VALID') {
    return 'a valid signature'
  }
  if (node.funding.some((funding) => funding.output.status !== 'unspent')) return 'unspent funding'
  return lackOfAssets(evidence, order)
}

function lackOfAssets({ node, index }: Evidence, order: OrderRecord): string | null {
  const { kept, indexProof, validation } = order
  const claim = inscriptionClaim(kept)
  const isNamed =
    claim !== undefined || marketRules(kept.protocolId).assetRequirement === 'INSCRIPTION'
  if (!indexProof?.indexed) {
    const isSaid = validation.reasons.includes('assets_not_examined')
    return !isNamed && isSaid ? null : "the index's evidence"
  }
  const held = (indexProof.inscriptions ?? []).map(({ id }) => id)
  if (isNamed && (claim ? !held.includes(claim.inscriptionId) : held.length === 0)) {
    return 'its inscription'
  }
  const isOneChain =
    node.status !== 'ready' ||
    index.status !== 'ready' ||
    index.at.height !== node.tip.height ||
    index.at.hash === node.tip.hash
  return isOneChain ? null : 'node and index on the same chain'
}
