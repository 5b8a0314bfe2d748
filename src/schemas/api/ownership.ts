import { z } from 'zod'
import { WithdrawalProof } from '../log.ts'
import { OrderId, Timestamp } from '../scalars.ts'

/** Gateway spec 2.2. `message` is what the owner of the offered output signs. */
export const OwnershipChallenge = z.strictObject({
  orderId: OrderId.describe('the order that the challenge is for'),
  address: z.string().describe('address of the offered output, whose key signs'),
  message: z.string().describe('the text to sign (BIP-322)'),
  windowStart: Timestamp.describe('from when the challenge is accepted'),
  expiresAt: Timestamp.describe('until when the challenge is accepted'),
})
export type OwnershipChallenge = z.infer<typeof OwnershipChallenge>

/** Why an order was withdrawn: shown publicly with it. */
const WithdrawalReason = z
  .string()
  .min(1)
  .max(280)
  .regex(/^[^\p{C}\p{Zl}\p{Zp}]+$/u, 'must be printable Unicode')

const { address, signature } = WithdrawalProof.shape

/**
 * Gateway spec 2.2. `signature` is a BIP-322 proof, by the script of the offered output: an address
 * that is left out is that one.
 */
export const OwnershipProof = z.strictObject({
  address: address.exactOptional(),
  signature,
  reason: WithdrawalReason.exactOptional().describe(
    'why it is withdrawn: shown to all with the order',
  ),
})
export type OwnershipProof = z.infer<typeof OwnershipProof>

/**
 * Gateway spec 4.2, Admin withdraw: no body, or one with a reason; other fields are an operator's
 * own.
 */
export const OperatorWithdrawal = z
  .object({
    reason: WithdrawalReason.exactOptional().describe(
      'why it is withdrawn: shown to all with the order',
    ),
  })
  .nullish()
export type OperatorWithdrawal = z.infer<typeof OperatorWithdrawal>

/** No body, or one with a reason, which only operators see. */
export const OperatorModeration = z
  .strictObject({ reason: WithdrawalReason.exactOptional().describe('why, for operators alone') })
  .nullish()
export type OperatorModeration = z.infer<typeof OperatorModeration>
