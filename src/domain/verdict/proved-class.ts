import type { Evidence } from '../../schemas/evidence.ts'
import type { PsbtInspection } from '../../schemas/order.ts'
import type { InspectionReason } from '../reasons/inspection-reasons.ts'
import type { ReasonOf } from '../reasons/reasons.ts'

/** A valid signature with this reason signs all inputs and outputs: a transaction, and no ask. */
export const NO_ASK: InspectionReason & ReasonOf<'REJECTED'> = 'sighash_not_single_anyonecanpay'
const LACKS_BYTE: InspectionReason = 'sighash_default'

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

/**
 * The inspection before that proof: the order's id was made of its class. No wrapper that is refused by
 * its form has both reasons.
 */
export function unprovedInspection(inspection: PsbtInspection): PsbtInspection {
  const { orderClass, reasons } = inspection
  const isReclassed =
    orderClass === 'UNSUPPORTED' && reasons[0] === NO_ASK && reasons.includes(LACKS_BYTE)
  return isReclassed ? { ...inspection, orderClass: 'ASK_ANYONECANPAY' } : inspection
}
