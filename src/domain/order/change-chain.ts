import { hash } from 'node:crypto'
import type { ChangeRecord } from '../../schemas/log.ts'
import { canonicalJson } from '../json/canonical-json.ts'

/** SHA-256 of the RFC 8785 form of a change without its own hash: the next change's prevHash. */
export const changeHash = (change: Omit<ChangeRecord, 'hash'>): string =>
  hash('sha256', canonicalJson(change))

/** Completes a change with its hash. */
export const sealChange = (change: Omit<ChangeRecord, 'hash'>): ChangeRecord => ({
  ...change,
  hash: changeHash(change),
})

/** Does the record carry the hash of its own content? */
export function isSealed({ hash: told, ...content }: ChangeRecord): boolean {
  return changeHash(content) === told
}

/** What an order's chain has come to; null: it has no change yet. */
export type ChainEnd = { seq: number; hash: string | null } | null

/** What is wrong with the content of a change; null: nothing. */
export const faultOf = (change: ChangeRecord): string | null =>
  isSealed(change) ? null : 'has a hash that does not match its content'

/**
 * Why a change is not the one that follows, or the one that is already there; null: it is, or it is of another
 * place in the chain.
 */
export function breakOf(end: ChainEnd, { seq, hash, prevHash }: ChangeRecord): string | null {
  const last = end?.seq ?? 0
  if (seq === last + 1 && prevHash !== (end?.hash ?? null))
    return 'does not name the hash of the change before it'
  return seq === last && hash !== end?.hash ? 'is another one than was read before' : null
}
