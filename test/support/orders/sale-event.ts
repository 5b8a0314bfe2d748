import { finalizeEvent, generateSecretKey } from 'nostr-tools/pure'
import { NostrEvent } from '../../../src/schemas/wire/nostr.ts'

/** A signed kind 802 event of an unknown key, as publishers in the wild make them. */
export function saleEvent(
  content: string,
  tags: string[][],
  { kind = 802, createdAt = 1_700_000_000 }: { kind?: number; createdAt?: number } = {},
): NostrEvent {
  const template = { kind, created_at: createdAt, tags, content }
  return NostrEvent.parse(finalizeEvent(template, generateSecretKey()))
}
