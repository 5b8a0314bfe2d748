import { signatureFault, withdrawalQuestion } from '../../domain/purchase/withdrawal-proof.ts'
import type { ProofChecker } from '../../ports/authorities/proof-checker.ts'
import type { WithdrawCommand } from '../../schemas/log.ts'
import type { OrderRecord } from '../../schemas/order-record.ts'

/**
 * Why a withdrawal is not applied; null: it is. A writer of the inbox is not for that the seller: the
 * proof is verified again, from the record and the order alone
 * (docs/adr/0106-a-withdrawal-keeps-its-proof.md).
 */
export async function objectionTo(
  order: OrderRecord,
  command: WithdrawCommand,
  proofs: ProofChecker,
): Promise<string | null> {
  if (command.by === 'operator') return null
  const question = withdrawalQuestion(order, command.proof)
  const fault =
    'reason' in question ? question.reason : signatureFault(await proofs.judge(question))
  return fault === null ? null : `the proof of ownership is refused: ${fault}`
}
