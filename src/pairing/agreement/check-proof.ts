import canonicalize from 'canonicalize'
import { z } from 'zod'
import {
  PairingCarrier,
  PairingEvent,
  PairingObject,
  PairingProof,
} from '../../schemas/api/pairing.ts'
import { checkpointHashOf, eventsRootOf, nextRoot } from './checkpoint.ts'
import { EnvelopeShape, jsonOf, MalformedEnvelopeError, shaped, TupleShape } from './envelope.ts'

/** Larger than any proof. */
export const MAX_PROOF_BYTES = 1_048_576

const Proof = z.strictObject({
  ...PairingProof.shape,
  checkpoint: TupleShape,
  envelope: EnvelopeShape.nullable(),
})

const RECORDS = {
  object: z.array(PairingObject),
  carrier: z.array(PairingCarrier),
  event: z.array(PairingEvent),
} as const

/**
 * Parses a proof from untrusted bytes: the length is checked first, then they are read as strictly
 * as an envelope.
 *
 * @throws MalformedEnvelopeError
 */
export function parseProof(bytes: Uint8Array): PairingProof {
  if (bytes.length > MAX_PROOF_BYTES)
    throw new MalformedEnvelopeError(`the proof is larger than ${MAX_PROOF_BYTES} bytes`)
  return shaped(Proof, jsonOf(bytes))
}

/**
 * Why the record is not proved to be in its checkpoint; null if it is. The signature is not checked
 * here: the envelope is only compared with the checkpoint.
 */
export function faultOfProof(proof: PairingProof): string | null {
  const { kind, record, records, position, checkpoint, envelope } = proof
  const shape = RECORDS[kind].safeParse(records)
  if (!shape.success) return `records: not all of them are of kind ${kind}`
  const named = records[position]
  if (named === undefined || !isSame(named, record)) return 'record: is not the one at position'
  const root = rootOf(proof)
  if (root === null) return 'previousRoot: objects and carriers have one, events have none'
  if (root !== checkpoint[ROOTS[kind]]) return `records: their hash is not the ${ROOTS[kind]}`
  const { checkpointHash, ...content } = checkpoint
  if (checkpointHashOf(content) !== checkpointHash)
    return 'checkpoint: its hash is not that of the other eight fields'
  if (envelope && !isSame(envelope.tuple, checkpoint)) return 'envelope: is for another checkpoint'
  return null
}

const ROOTS = { object: 'objectsRoot', carrier: 'carriersRoot', event: 'eventsRoot' } as const

/** Null if the proof lacks the root of the block below, or has one that it must not have. */
function rootOf({ kind, records, previousRoot }: PairingProof): string | null {
  if (kind !== 'event') return previousRoot === null ? null : nextRoot(previousRoot, records)
  return previousRoot === null ? eventsRootOf(records as PairingEvent[]) : null
}

const isSame = (one: unknown, other: unknown): boolean => canonicalize(one) === canonicalize(other)
