import type { ProofAnswer } from '../../domain/bip322/judge-proof.ts'
import { signatureFault, withdrawalQuestion } from '../../domain/purchase/withdrawal-proof.ts'
import { AuthorityUnavailableError } from '../../ports/authorities/authority-errors.ts'
import type { FullNode } from '../../ports/authorities/full-node.ts'
import type { ProofChecker } from '../../ports/authorities/proof-checker.ts'
import type { ChangeRecord } from '../../schemas/log.ts'
import type { OrderRecord } from '../../schemas/order-record.ts'
import type { AuditReport } from './report.ts'

export interface ProofJudges {
  proofs: ProofChecker
  /** Judges what needs its script interpreter; null: none is configured. */
  node: FullNode | null
}

/** Verifies again by whom orders were withdrawn. */
export class WithdrawalProofs {
  readonly #judges: ProofJudges
  /** Proofs that only a full node can judge, and none did. */
  #unjudged = 0

  constructor(judges: ProofJudges) {
    this.#judges = judges
  }

  /** The proof missing from a change to WITHDRAWN, in words; null if none is. */
  async lackOf(change: ChangeRecord, order: OrderRecord): Promise<string | null> {
    const { reason, proof, operator } = change
    if (reason === 'withdrawn_by_operator' && operator === undefined)
      return 'the name of the operator'
    if (reason !== 'withdrawn_by_seller') return null
    if (!proof) return 'the proof of its seller'
    const question = withdrawalQuestion(order, proof)
    if ('reason' in question) return `a good proof of its seller: ${question.reason}`
    const answer = await this.#judges.proofs.judge(question)
    const fault = signatureFault(answer) ?? (await this.#faultByNode(answer))
    return fault === null ? null : `a good proof of its seller: ${fault}`
  }

  report(report: AuditReport): void {
    if (this.#unjudged > 0)
      report.note(`no full node judged the proofs of ${this.#unjudged} withdrawals: only one can`)
  }

  async #faultByNode(answer: ProofAnswer): Promise<string | null> {
    if (answer.status !== 'ask-node') return null
    try {
      const isFinal = await this.#judges.node?.inputIsFinal(answer.psbt, answer.inputIndex)
      if (isFinal === undefined) this.#unjudged += 1
      return isFinal === false ? 'the node finds it invalid' : null
    } catch (error) {
      if (!(error instanceof AuthorityUnavailableError)) throw error
      this.#unjudged += 1
      return null
    }
  }
}
