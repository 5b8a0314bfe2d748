import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { newPrivateKey, publicKeyOf } from '../domain/script/schnorr.ts'
import {
  checkShape,
  MAX_ENVELOPE_BYTES,
  MalformedEnvelopeError,
  parseEnvelope,
  parseTuple,
} from '../pairing/agreement/envelope.ts'
import { openSigner } from '../pairing/agreement/signing.ts'
import { distrustOf, rememberingVerify } from '../pairing/agreement/trust.ts'
import { signingOf } from '../roles/parts/pairing.ts'
import type { AgreementEnvelope } from '../schemas/api/pairing.ts'
import { type Config, trustedKeysOf } from '../schemas/config/config.ts'
import { ArgumentError } from './log/place.ts'

/** One byte more than an envelope may have: enough to detect one that is too large. */
export const MAX_READ_BYTES = MAX_ENVELOPE_BYTES + 1

const KEY_ID = /^[A-Za-z0-9._-]{1,64}$/

export interface NewKey {
  keyId: string
  /** x-only, lowercase hex: the format of the trusted maps. */
  publicKey: string
}

/**
 * Creates a key pair. The private key is written only to a new file that only its owner may read.
 * Throws `ArgumentError` if the file exists, or for an invalid id.
 */
export function makeKey(path: string, keyId?: string): NewKey {
  if (keyId !== undefined && !KEY_ID.test(keyId)) {
    throw new ArgumentError('a key id is 1 to 64 letters, digits, dots, dashes or underscores')
  }
  const privateKey = newPrivateKey()
  const publicKey = Buffer.from(publicKeyOf(privateKey) ?? []).toString('hex')
  try {
    const text = `${Buffer.from(privateKey).toString('hex')}\n`
    writeFileSync(path, text, { flag: 'wx', mode: 0o600 })
  } catch (error) {
    throw new ArgumentError(whyNotWritten(path, error))
  }
  return { keyId: keyId ?? idOf(publicKey), publicKey }
}

/** Signs the nine fields of a file as the configured pipeline. Throws `ArgumentError`. */
export function signTuple(config: Config, bytes: Uint8Array): AgreementEnvelope {
  const signer = openSigner(config.PAIRING_PIPELINE, signingOf(config))
  if (!signer) {
    throw new ArgumentError('no signing key: set PAIRING_KEY_ID and PAIRING_PRIVATE_KEY_FILE')
  }
  return understood('not a checkpoint tuple', () => checkShape(signer.seal(parseTuple(bytes))))
}

/** What an envelope proves: `problem` is null if it is signed with a trusted key. */
export interface Verification {
  /** Null: it cannot be read. */
  envelope: AgreementEnvelope | null
  problem: string | null
}

/** Is an envelope signed with a key of PAIRING_TRUSTED_A or PAIRING_TRUSTED_B? */
export function verifyEnvelope(config: Config, bytes: Uint8Array): Verification {
  const trusted = {
    A: trustedKeysOf(config.PAIRING_TRUSTED_A),
    B: trustedKeysOf(config.PAIRING_TRUSTED_B),
  }
  let envelope: AgreementEnvelope
  try {
    envelope = parseEnvelope(bytes)
  } catch (error) {
    if (error instanceof MalformedEnvelopeError)
      return { envelope: null, problem: `not an envelope: ${error.message}` }
    throw error
  }
  const { pipeline, keyId } = envelope
  const distrust = distrustOf(envelope, pipeline, trusted, rememberingVerify())
  const problem = {
    wrong_pipeline: `the envelope is not from pipeline ${pipeline}`,
    unknown_key: `PAIRING_TRUSTED_${pipeline} has no key ${keyId}`,
    invalid_signature: `the signature is not valid for key ${keyId} and this content`,
  }
  return { envelope, problem: distrust && problem[distrust] }
}

function understood<T>(what: string, read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (error instanceof MalformedEnvelopeError)
      throw new ArgumentError(`${what}: ${error.message}`)
    throw error
  }
}

/** Short, and derived only from the key. */
const idOf = (publicKey: string): string =>
  createHash('sha256').update(publicKey, 'hex').digest('hex').slice(0, 16)

function whyNotWritten(path: string, error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : null
  return code === 'EEXIST'
    ? `${path} exists already: keys are never overwritten`
    : `${path} cannot be written: ${error instanceof Error ? error.message : error}`
}
