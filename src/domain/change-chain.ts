import { createHash } from 'node:crypto'
import canonicalize from 'canonicalize'
import type { ChangeRecord } from '../schemas/log.ts'

/** SHA-256 of the RFC 8785 form of a change without its own hash: what the next change names as prevHash. */
export function changeHash(change: Omit<ChangeRecord, 'hash'>): string {
  const text = canonicalize(change)
  if (text === undefined) throw new Error('a change record has a canonical form')
  return createHash('sha256').update(text).digest('hex')
}

/** Completes a change with its hash. */
export const sealChange = (change: Omit<ChangeRecord, 'hash'>): ChangeRecord => ({
  ...change,
  hash: changeHash(change),
})

/** Does the record carry the hash of its own content? */
export function isSealed({ hash, ...content }: ChangeRecord): boolean {
  return changeHash(content) === hash
}
