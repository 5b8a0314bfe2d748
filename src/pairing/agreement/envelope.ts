import canonicalize from 'canonicalize'
import { z } from 'zod'
import { taggedHash } from '../../domain/script/tagged-hash.ts'
import { AgreementEnvelope, CheckpointTuple } from '../../schemas/api/pairing.ts'
import { JsonRefusedError, parseJson } from '../../schemas/json.ts'
import { BlockHash, Hash } from '../../schemas/scalars.ts'

/** A longer body is not an envelope (pairing spec 8). */
export const MAX_ENVELOPE_BYTES = 65_536
/** Longer than any text of an envelope. */
const MAX_TEXT = 256

const TAG = 'pairing/agreement'

const Text = z.string().min(1).max(MAX_TEXT)
export const TupleShape = z.strictObject({
  ...CheckpointTuple.shape,
  deployment: Text,
  network: Text,
  height: z.string().regex(/^(?:0|[1-9][0-9]{0,15})$/, 'must be a height in decimal'),
  blockHash: BlockHash,
  previousCheckpointHash: Hash,
  objectsRoot: Hash,
  carriersRoot: Hash,
  eventsRoot: Hash,
  checkpointHash: Hash,
})

/** The closed shape of an envelope: every leaf is a string, and hex is lowercase. */
export const EnvelopeShape = z.strictObject({
  ...AgreementEnvelope.shape,
  keyId: Text,
  tuple: TupleShape,
  release: z.strictObject({ name: Text, version: Text, commit: Text, digest: Text }),
  signature: z.string().regex(/^[0-9a-f]{128}$/, 'must be 64 bytes in lowercase hex'),
})

export type UnsignedEnvelope = Omit<AgreementEnvelope, 'signature'>

/** The bytes are not an envelope; the message says what is wrong. */
export class MalformedEnvelopeError extends Error {
  override name = 'MalformedEnvelopeError'
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/**
 * Parses an envelope from untrusted bytes: the length is checked first, then they are read as
 * strictly as any untrusted JSON. Does not check the signature.
 *
 * @throws MalformedEnvelopeError
 */
export function parseEnvelope(bytes: Uint8Array): AgreementEnvelope {
  if (bytes.length > MAX_ENVELOPE_BYTES)
    throw new MalformedEnvelopeError(`the envelope is larger than ${MAX_ENVELOPE_BYTES} bytes`)
  return shaped(EnvelopeShape, jsonOf(bytes))
}

/** Parses the nine fields alone, just as strictly. @throws MalformedEnvelopeError */
export function parseTuple(bytes: Uint8Array): CheckpointTuple {
  if (bytes.length > MAX_ENVELOPE_BYTES)
    throw new MalformedEnvelopeError(`the tuple is larger than ${MAX_ENVELOPE_BYTES} bytes`)
  return shaped(TupleShape, jsonOf(bytes))
}

/** Checks this service's own envelope against the same shape. @throws MalformedEnvelopeError */
export const checkShape = (envelope: AgreementEnvelope): AgreementEnvelope =>
  shaped(EnvelopeShape, envelope)

/** The signed digest: tagged hash of the RFC 8785 form of all but the signature. 32 bytes. */
export function digestOf({ pipeline, keyId, tuple, release }: UnsignedEnvelope): Uint8Array {
  const text = canonicalize({ pipeline, keyId, tuple, release })
  if (text === undefined) throw new Error('the envelope has no canonical form')
  return taggedHash(TAG, Buffer.from(text))
}

/** @throws MalformedEnvelopeError */
export function jsonOf(bytes: Uint8Array): unknown {
  try {
    return parseJson(utf8.decode(bytes))
  } catch (error) {
    const reason =
      error instanceof JsonRefusedError ? error.message : 'the bytes are not valid UTF-8'
    throw new MalformedEnvelopeError(reason)
  }
}

/** @throws MalformedEnvelopeError that names the first place that is wrong */
export function shaped<T>(schema: z.ZodType<T>, value: unknown): T {
  const read = schema.safeParse(value)
  if (read.success) return read.data
  const [issue] = read.error.issues
  throw new MalformedEnvelopeError(`${issue?.path.join('.') || 'the envelope'}: ${issue?.message}`)
}
