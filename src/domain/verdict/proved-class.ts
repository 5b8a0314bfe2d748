import type { Evidence } from '../../schemas/evidence.ts'
import type { PsbtInspection } from '../../schemas/order.ts'
import type { InspectionReason } from '../reasons/inspection-reasons.ts'

const NO_ASK: InspectionReason = 'sighash_not_single_anyonecanpay'

/** What the authorities say of the signature of this wrapper; null if they were not asked. */
export const signatureIn = ({ node }: Pick<Evidence, 'node'>, digest: string) =>
  (node.status === 'ready' && node.signatures.find((one) => one.digest === digest)) || null

/**
 * The inspection with what the node's output proved of its signature. A taproot signature of 64
 * bytes reads as an ask that lacks its byte until it is found to sign all inputs and outputs: then
 * the wrapper is no ask, which is a fact of its class and not of its signature.
 */
export function provedInspection(inspection: PsbtInspection, evidence: Evidence): PsbtInspection {
  const found = signatureIn(evidence, inspection.digest)
  if (!found) return inspection
  const proved = { ...inspection, signatureStatus: found.status }
  const isNoAsk = found.reason === NO_ASK && found.status !== 'INVALID'
  if (!isNoAsk || inspection.orderClass === 'UNSUPPORTED') return proved
  return {
    ...proved,
    orderClass: 'UNSUPPORTED',
    safety: 'UNSUPPORTED',
    reasons: [NO_ASK, ...inspection.reasons],
  }
}
