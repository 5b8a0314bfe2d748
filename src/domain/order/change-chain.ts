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
