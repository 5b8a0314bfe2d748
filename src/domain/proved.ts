import type { OrderRecord } from '../schemas/order-record.ts'
import type { ReasonOf } from './reasons.ts'
import type { Verdict } from './verdict.ts'

const RECOVERABLE: ReasonOf<'REJECTED'> = 'sighash_byte_missing_recoverable'

/**
 * Does this verdict prove that whoever owns the output signed the order? An ask's signature verified
 * against the node's prevout, if only with the byte 83 appended; a bid's on every funding input.
 */
export const isProvedBy = ({ signature, reason }: Pick<Verdict, 'signature' | 'reason'>): boolean =>
  signature === 'VALID' || reason === RECOVERABLE

/**
 * Was it ever proved? What became of its output since, or of its node, takes nothing from that. Records
 * of before the field say so by having been LIVE, by the signature of the wrapper kept, or by the reason.
 */
export const isProved = ({
  proved,
  metadataFixed,
  kept,
  reason,
}: Pick<OrderRecord, 'proved' | 'metadataFixed' | 'kept' | 'reason'>): boolean =>
  proved === true ||
  metadataFixed ||
  isProvedBy({ signature: kept.inspection.signatureStatus, reason })
