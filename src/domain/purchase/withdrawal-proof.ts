import type { WithdrawalProof } from '../../schemas/log.ts'
import type { OrderRecord } from '../../schemas/order-record.ts'
import { Timestamp } from '../../schemas/scalars.ts'
import type { ProofAnswer, ProofQuestion } from '../bip322/judge-proof.ts'
import { addressOfScript } from '../script/address.ts'
import { challengeText } from './ownership-challenge.ts'

/** What only the challenge itself says. */
const CHALLENGE = /\norigin: (.+)\n(?:.+\n)+windowStart: (.+)\nexpiresAt: (.+)$/

/** What a withdrawal is of. */
export type Withdrawn = Pick<OrderRecord, 'id' | 'network' | 'outpoint' | 'sellerScriptHex'>

/**
 * The signature that a withdrawal needs (gateway spec 5 rule 1), or why this proof is none,
 * whatever was signed. By the order and the proof alone, so that it can be checked at any later time.
 */
export function withdrawalQuestion(
  { id: orderId, network, outpoint, sellerScriptHex: scriptHex }: Withdrawn,
  { address, message, signature, provedAt }: WithdrawalProof,
): ProofQuestion | { reason: string } {
  if (scriptHex === undefined) return refused('the script of the offered output is not known')
  if (address !== addressOfScript(scriptHex, network))
    return refused('its address is not that of the offered output')
  // The origin is this service's as the gateway knew it: a configuration may change, a record not.
  const [, origin = '', windowStart = '', expiresAt = ''] = CHALLENGE.exec(message) ?? []
  const facts = { origin, network, orderId, outpoint, address, windowStart, expiresAt }
  if (message !== challengeText(facts))
    return refused('its message is not a challenge of this order')
  const isInTime = isMoment(windowStart) && windowStart <= provedAt && provedAt < expiresAt
  if (!isInTime || !isMoment(expiresAt))
    return refused('its challenge had expired, or had not begun')
  return { message, scriptHex, proof: signature }
}

/** Why the signature of a withdrawal is not one; null: it is, if a script runs as a node was asked. */
export const signatureFault = (answer: ProofAnswer): string | null =>
  answer.status === 'valid' || answer.status === 'ask-node' ? null : answer.reason

const refused = (reason: string): { reason: string } => ({ reason })

/** Times of one format are in order as texts. */
const isMoment = (text: string): boolean => Timestamp.safeParse(text).success
