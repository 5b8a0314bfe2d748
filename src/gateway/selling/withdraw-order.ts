import { acceptedChallenges } from '../../domain/purchase/ownership-challenge.ts'
import { scriptOfAddress } from '../../domain/script/address.ts'
import type { NodeQuestion } from '../../domain/verdict/node-question.ts'
import type { OwnershipProof } from '../../schemas/api/ownership.ts'
import type { WithdrawalProof } from '../../schemas/log.ts'
import type { OrderSummary } from '../../schemas/order.ts'
import type { OrderRecord } from '../../schemas/order-record.ts'
import { submitWithdrawal } from '../commands/submit-withdrawal.ts'
import type { CommandParts, Gateway } from '../gateway.ts'
import { inLog } from '../intake/take-claim.ts'
import { findAny, orderOf } from '../order/read-order.ts'
import { summarise } from '../order/summarise.ts'
import { askWithinBounds } from '../purchase/bounded-authorities.ts'
import { RefusalError } from '../refusal.ts'
import { challengeTerms } from './ownership-challenge.ts'

/**
 * Takes an order off this service's book for its seller (gateway spec 4.2, Withdraw). The signature
 * remains valid: only spending the offered output makes the artifact unusable.
 *
 * @throws RefusalError ORDER_NOT_FOUND, ORDER_NOT_WITHDRAWABLE, INVALID_PROOF, UNSUPPORTED_PROOF,
 *   NODE_UNAVAILABLE, STORAGE_UNAVAILABLE, STILL_BEING_VERIFIED; MARKET_RATE_LIMITED, OVERLOADED
 *   if it is not in the log yet, and `client` may not have it stored
 */
export async function withdrawOrder(
  gateway: CommandParts & Pick<Gateway, 'proofs' | 'pool' | 'stored' | 'node'>,
  id: string,
  asked: OwnershipProof,
  client: string,
  signal: AbortSignal,
): Promise<OrderSummary> {
  const found = await findAny(gateway, id)
  const proof = await ownersProof(gateway, orderOf(found), asked, signal)
  const stored = await inLog(gateway, found, client, signal)
  const { reason } = asked
  const withdrawn = await submitWithdrawal(gateway, stored, { by: 'seller', proof, reason }, signal)
  return summarise(gateway, withdrawn).summary
}

/**
 * The proof as the log keeps it, with the challenge that was signed.
 *
 * @throws RefusalError unless it is by the offered output's script, for a current challenge
 */
async function ownersProof(
  gateway: Pick<Gateway, 'proofs' | 'node' | 'clock' | 'settings'>,
  order: OrderRecord,
  { address: given, signature }: OwnershipProof,
  signal: AbortSignal,
): Promise<WithdrawalProof> {
  const { scriptHex, ...terms } = challengeTerms(gateway, order)
  if (given !== undefined && scriptOfAddress(given, order.network) !== scriptHex) {
    throw new RefusalError('INVALID_PROOF', 'address: must be that of the offered output')
  }
  const now = gateway.clock.now()
  const { address } = terms
  const judged = await Promise.all(
    acceptedChallenges(terms, now).map(async ({ message }) => ({
      proof: { address, message, signature, provedAt: new Date(now).toISOString() },
      answer: await gateway.proofs.judge({ message, scriptHex, proof: signature }),
    })),
  )
  const valid = judged.find(({ answer }) => answer.status === 'valid')
  if (valid) return valid.proof
  const reasons: string[] = []
  for (const { proof, answer } of judged) {
    if (answer.status === 'inconclusive') {
      throw new RefusalError('UNSUPPORTED_PROOF', `signature: ${answer.reason}`)
    }
    if (answer.status === 'ask-node' && (await isFinal(gateway, answer, signal))) return proof
    reasons.push(answer.status === 'invalid' ? answer.reason : 'the node finds it invalid')
  }
  throw new RefusalError(
    'INVALID_PROOF',
    `signature: ${reasons[0]}; what must be signed is the message of a challenge that is not expired`,
  )
}

/**
 * Does the script evaluate to true? The node that judges orders with such scripts also judges their
 * owners' proofs.
 */
async function isFinal(
  gateway: Pick<Gateway, 'node' | 'clock' | 'settings'>,
  { psbt, inputIndex }: NodeQuestion,
  signal: AbortSignal,
): Promise<boolean> {
  const { node } = gateway
  if (node)
    return askWithinBounds(gateway, node, signal, (asked) => asked.inputIsFinal(psbt, inputIndex))
  throw new RefusalError(
    'NODE_UNAVAILABLE',
    'only a full node can judge this script: none is configured',
  )
}
