import { createHash } from 'node:crypto'
import canonicalize from 'canonicalize'
import { CircleSnapshot } from '../schemas/api/circles.ts'
import { checkGraph } from './check-graph.ts'
import { type Fault, fault } from './fault.ts'
import { duplicatedKey, pointerAt, pointerOf } from './json-places.ts'

export type SnapshotVerification =
  | { ok: true; stateHash: string; snapshot: CircleSnapshot }
  | { ok: false; fault: Fault }

/**
 * Are these exactly the bytes of a snapshot? Checked in this order: JSON without duplicate keys,
 * the schema, the canonical form (RFC 8785), the order of the arrays, and all that follows from the
 * circles.
 */
export function verifySnapshot(bytes: Uint8Array): SnapshotVerification {
  const read = readSnapshot(bytes)
  if ('message' in read) return { ok: false, fault: read }
  const { text, snapshot } = read
  const found = canonicalFault(text, snapshot) ?? checkGraph(snapshot)
  if (found) return { ok: false, fault: found }
  return { ok: true, stateHash: createHash('sha256').update(bytes).digest('hex'), snapshot }
}

/** Checks only the schema; the text need not be canonical. */
export function readSnapshot(
  bytes: Uint8Array,
): { text: string; snapshot: CircleSnapshot } | Fault {
  const text = textOf(bytes)
  if (text === null) return fault('', 'must be UTF-8')
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return fault('', 'must be JSON')
  }
  const twice = duplicatedKey(text)
  if (twice !== null) return fault(twice, 'is there twice')
  const parsed = CircleSnapshot.safeParse(value)
  if (parsed.success) return { text, snapshot: parsed.data }
  const [issue] = parsed.error.issues
  const unknown = issue?.code === 'unrecognized_keys' ? issue.keys.slice(0, 1) : []
  return fault(
    pointerOf([...(issue?.path ?? []), ...unknown]),
    issue?.message ?? 'is outside the schema',
  )
}

function textOf(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return null
  }
}

function canonicalFault(text: string, snapshot: CircleSnapshot): Fault | null {
  const canonical = canonicalize(snapshot) ?? ''
  if (text === canonical) return null
  let at = 0
  while (at < text.length && text[at] === canonical[at]) at += 1
  return fault(pointerAt(text, at), 'must be in canonical form (RFC 8785)')
}
