import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { publicKeyOf, sign } from '../../domain/script/schnorr.ts'
import type { StoredSignature } from '../../ports/folds/pairing-store.ts'
import type { AgreementEnvelope, CheckpointTuple } from '../../schemas/api/pairing.ts'
import { digestOf } from './envelope.ts'

export type Pipeline = AgreementEnvelope['pipeline']

/** As configured: a missing or empty value counts as not configured. */
export interface SigningSettings {
  keyId?: string | undefined
  /** 32 bytes in hex. A secret: used only by the signer. */
  privateKey?: string | undefined
  release: { [name in keyof AgreementEnvelope['release']]?: string | undefined }
}

/** Signs for one pipeline. The private key is in its closure: no property, log or error has it. */
export interface Signer {
  readonly pipeline: Pipeline
  readonly keyId: string
  /** x-only, lowercase hex. */
  readonly publicKey: string
  /** The signature to store with a checkpoint. */
  sign(tuple: CheckpointTuple): StoredSignature
  /**
   * The signed envelope of a checkpoint: always the same one. It is signed again only if the stored
   * signature is of another key or release, or missing.
   */
  seal(tuple: CheckpointTuple, stored?: StoredSignature | null): AgreementEnvelope
}

/** Signatures remembered for checkpoints signed by another key: the most recently used. */
const CACHED_ENVELOPES = 256

/**
 * The signing boundary (pairing spec 7 rule 11): a key id, a private key of 32 bytes and four release
 * identity values. Null if any of them is not configured.
 */
export function openSigner(pipeline: Pipeline, settings: SigningSettings): Signer | null {
  const { keyId } = settings
  const { name, version, commit, digest } = settings.release
  const privateKey = bytesOfHex(settings.privateKey)
  const publicKey = privateKey && publicKeyOf(privateKey)
  if (!privateKey || !publicKey || !keyId || !name || !version || !commit || !digest) return null

  const release = { name, version, commit, digest }
  const signedAgain = new LRUCache<string, string>({ max: CACHED_ENVELOPES })
  const statementOf = (tuple: CheckpointTuple) => {
    const statement = { pipeline, keyId, tuple, release }
    const digest = digestOf(statement)
    // A statement has only the id of its key, and another key may take over the id.
    const byKey = createHash('sha256').update(digest).update(publicKey).digest('hex')
    return { statement, digest, byKey }
  }
  const signatureOf = (digest: Uint8Array): string =>
    Buffer.from(sign(digest, privateKey)).toString('hex')
  return {
    pipeline,
    keyId,
    publicKey: Buffer.from(publicKey).toString('hex'),
    sign(tuple) {
      const { digest, byKey } = statementOf(tuple)
      return { digest: byKey, signature: signatureOf(digest) }
    },
    seal(tuple, stored = null) {
      const { statement, digest, byKey } = statementOf(tuple)
      if (stored?.digest === byKey) return { ...statement, signature: stored.signature }
      const signature = signedAgain.get(byKey) ?? signatureOf(digest)
      signedAgain.set(byKey, signature)
      return { ...statement, signature }
    },
  }
}

const KEY = /^[0-9a-f]{64}$/i

const bytesOfHex = (hex: string | undefined): Uint8Array | null =>
  hex !== undefined && KEY.test(hex) ? Buffer.from(hex, 'hex') : null
