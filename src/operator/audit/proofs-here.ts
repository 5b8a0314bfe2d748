import { judgeProof } from '../../domain/bip322/judge-proof.ts'
import { loadSecp256k1 } from '../../domain/script/secp256k1.ts'
import type { ProofChecker } from '../../ports/authorities/proof-checker.ts'

/** In this thread: a command has nothing else to do. */
export const proofsHere: ProofChecker = {
  judge: async (question) => judgeProof(question, await loadSecp256k1()),
}
