import type { SignatureAnswer, SignatureQuestion } from '../../domain/verdict/signatures.ts'

export type { SignatureAnswer, SignatureQuestion }

/**
 * Checks an input's signature against the prevout that the node named, off the event loop.
 * The rules are the domain's (`domain/signatures`); this port only says where they run.
 */
export interface SignatureChecker {
  check(question: SignatureQuestion): Promise<SignatureAnswer>
  close(): Promise<void>
}
