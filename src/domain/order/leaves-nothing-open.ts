import type { Evidence } from '../../schemas/evidence.ts'

/**
 * Does the evidence answer everything that a verdict on an ask needs? What was not answered is asked
 * for by the order itself (ADR 108).
 */
export function leavesNothingOpen({ node, index }: Evidence): boolean {
  if (node.status !== 'ready') return false
  const isInBlock = node.output.status === 'unspent' && node.output.block !== null
  const isAnswered = index.status === 'ready' || index.reason === 'asset_index_unconfigured'
  return isInBlock && isAnswered
}
