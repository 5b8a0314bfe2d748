import type { SignatureStatus } from '../schemas/scalars.ts'

const RECOVERABLE = 'sighash_byte_missing_recoverable'

/**
 * Was a signature of the offered output's owner verified against the node's prevout (design: Proved and
 * unproved)? Of a bid: those of every funding input. A 64-byte taproot signature that holds as 0x83
 * proves its owner too, though it cannot be used as it is.
 */
export const isProvedBy = ({
  signature,
  reason,
}: {
  signature: SignatureStatus
  reason: string
}): boolean => signature === 'VALID' || reason === RECOVERABLE

/** The same of an order as it stands. */
export const isProved = ({
  kept,
  reason,
}: {
  kept: { inspection: { signatureStatus: SignatureStatus } }
  reason: string
}): boolean => isProvedBy({ signature: kept.inspection.signatureStatus, reason })
