import type { OrderRecord } from '../../schemas/order-record.ts'
import type { ReasonOf } from '../reasons/reasons.ts'
import type { Verdict } from '../verdict/verdict.ts'

const RECOVERABLE: ReasonOf<'REJECTED'> = 'sighash_byte_missing_recoverable'

/**
 * Does this verdict prove that the output's owner signed the order? An ask's signature verified
 * against the node's prevout, even if only with the byte 83 appended; a bid's on every funding
 * input.
 */
export const isProvedBy = ({ signature, reason }: Pick<Verdict, 'signature' | 'reason'>): boolean =>
  signature === 'VALID' || reason === RECOVERABLE

/** Was it ever proved? Later changes to its output or its node do not undo that. */
export const isProved = ({ proved }: Pick<OrderRecord, 'proved'>): boolean => proved === true
