import type { ProofAnswer, ProofQuestion } from '../../domain/bip322/judge-proof.ts'

export type { ProofAnswer, ProofQuestion }

/**
 * Judges proofs of ownership off the event loop. The rules are the domain's (`domain/bip322`); this
 * port only says where they run.
 */
export interface ProofChecker {
  judge(question: ProofQuestion): Promise<ProofAnswer>
}
