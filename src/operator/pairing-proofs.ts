import { faultOfProof, MAX_PROOF_BYTES, parseProof } from '../pairing/agreement/check-proof.ts'
import { MalformedEnvelopeError } from '../pairing/agreement/envelope.ts'
import type { PairingProof } from '../schemas/api/pairing.ts'
import type { Config } from '../schemas/config/config.ts'
import { ArgumentError } from './log/place.ts'
import { verifyEnvelope } from './pairing-keys.ts'

/** One byte more than a proof may have: enough to detect one that is too large. */
export const MAX_PROOF_FILE_BYTES = MAX_PROOF_BYTES + 1

const HASH = /^[0-9a-f]{64}$/

/** What a proof shows: `problem` is null if a trusted key or hash vouches for its checkpoint. */
export interface ProofVerification {
  /** Null: it cannot be read. */
  proof: PairingProof | null
  problem: string | null
}

/**
 * Is a record in a checkpoint that is signed with a key of PAIRING_TRUSTED_A or PAIRING_TRUSTED_B,
 * or that is known by its hash? Needs no network. Throws `ArgumentError` for a malformed hash.
 */
export function verifyProof(
  config: Config,
  bytes: Uint8Array,
  checkpointHash?: string,
): ProofVerification {
  if (checkpointHash !== undefined && !HASH.test(checkpointHash)) {
    throw new ArgumentError('a checkpoint hash is 64 lowercase hex digits')
  }
  let proof: PairingProof
  try {
    proof = parseProof(bytes)
  } catch (error) {
    if (error instanceof MalformedEnvelopeError)
      return { proof: null, problem: `not a proof: ${error.message}` }
    throw error
  }
  return { proof, problem: faultOfProof(proof) ?? distrustOf(config, proof, checkpointHash) }
}

/** Why the checkpoint is not trusted; null if it is. */
function distrustOf(
  config: Config,
  { checkpoint, envelope }: PairingProof,
  wanted: string | undefined,
): string | null {
  if (wanted !== undefined) {
    return wanted === checkpoint.checkpointHash
      ? null
      : `the checkpoint is another one: ${checkpoint.checkpointHash}`
  }
  if (!envelope)
    return 'the checkpoint is not signed: name the one that you trust with --checkpoint'
  return verifyEnvelope(config, Buffer.from(JSON.stringify(envelope))).problem
}
