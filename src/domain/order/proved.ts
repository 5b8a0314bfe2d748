import type { OrderRecord } from '../../schemas/order-record.ts'
import type { ReasonOf } from '../reasons/reasons.ts'
import { NO_ASK } from '../verdict/proved-class.ts'
import { refusalOf, type Verdict } from '../verdict/verdict.ts'

/** An ask is refused for them, although its owner has signed it: others can complete it. */
const SIGNED_ALL_THE_SAME: readonly string[] = [
  'sighash_byte_missing_recoverable',
  'script_sig_missing',
  'witness_not_standard',
] satisfies ReasonOf<'REJECTED'>[]

/**
 * Does this verdict prove that the output's owner signed the order? An ask's signature verified
 * against the node's prevout, even if only with the byte 83 or the scriptSig added, or in a witness
 * that no node relays; a bid's on every funding input. A valid signature of all inputs and outputs
 * is of another transaction than an ask's.
 */
export const isProvedBy = ({ signature, reason }: Pick<Verdict, 'signature' | 'reason'>): boolean =>
  (signature === 'VALID' && reason !== NO_ASK) || SIGNED_ALL_THE_SAME.includes(reason)

/**
 * Was it ever proved? Later changes to its output or its node do not undo that. Earlier releases
 * took a valid signature of all inputs and outputs for a proof: the kept wrapper then offers nothing.
 */
export const isProved = ({ proved, kept }: Pick<OrderRecord, 'proved' | 'kept'>): boolean =>
  proved === true && refusalOf(kept.inspection) === null
