import { z } from 'zod'
import { WithdrawalProof } from '../log.ts'
import { OrderId, Timestamp } from '../scalars.ts'

/** Gateway spec 2.2. `message` is what the owner of the offered output signs. */
export const OwnershipChallenge = z.strictObject({
  orderId: OrderId,
  address: z.string(),
  message: z.string(),
  windowStart: Timestamp,
  expiresAt: Timestamp,
})
export type OwnershipChallenge = z.infer<typeof OwnershipChallenge>

/** Why an order was withdrawn: shown publicly with it. */
const WithdrawalReason = z
  .string()
  .min(1)
  .max(280)
  .regex(/^[^\p{C}\p{Zl}\p{Zp}]+$/u, 'must be printable Unicode')

/** Gateway spec 2.2. `signature` is a BIP-322 proof. */
export const OwnershipProof = z.strictObject({
  ...WithdrawalProof.pick({ address: true, signature: true }).shape,
  reason: WithdrawalReason.exactOptional(),
})
export type OwnershipProof = z.infer<typeof OwnershipProof>

/**
 * Gateway spec 4.2, Admin withdraw: no body, or one with a reason; other fields are an operator's
 * own.
 */
export const OperatorWithdrawal = z.object({ reason: WithdrawalReason.exactOptional() }).nullish()
export type OperatorWithdrawal = z.infer<typeof OperatorWithdrawal>

/** No body, or one with a reason, which only operators see. */
export const OperatorModeration = z
  .strictObject({ reason: WithdrawalReason.exactOptional() })
  .nullish()
export type OperatorModeration = z.infer<typeof OperatorModeration>
