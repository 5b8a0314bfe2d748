import { LRUCache } from 'lru-cache'
import type { AgreementEnvelope, CheckpointTuple } from '../schemas/pairing.ts'
import { digestOf } from './envelope.ts'
import { publicKeyOf, sign } from './schnorr.ts'

export type Pipeline = AgreementEnvelope['pipeline']

/** As configured: what is missing or empty is not configured. */
export interface SigningSettings {
  keyId?: string | undefined
  /** 32 bytes in hex. A secret: it goes nowhere but into the signer. */
  privateKey?: string | undefined
  release: { [name in keyof AgreementEnvelope['release']]?: string | undefined }
}

/** Signs for one pipeline. The private key is in its closure: no property, log or error has it. */
export interface Signer {
  readonly pipeline: Pipeline
  readonly keyId: string
  /** x-only, lowercase hex. */
  readonly publicKey: string
  /** The signed envelope of a checkpoint: always the same one. */
  seal(tuple: CheckpointTuple): AgreementEnvelope
}

/** Tips, and what clients ask for again. */
const KEPT_ENVELOPES = 256

/**
 * The signing boundary (spec 7 rule 11): a key id, a private key of 32 bytes and four release
 * identity values. Null where any of them is not configured.
 */
export function openSigner(pipeline: Pipeline, settings: SigningSettings): Signer | null {
  const { keyId } = settings
  const { name, version, commit, digest } = settings.release
  const privateKey = bytesOfHex(settings.privateKey)
  const publicKey = privateKey && publicKeyOf(privateKey)
  if (!privateKey || !publicKey || !keyId || !name || !version || !commit || !digest) return null

  const release = { name, version, commit, digest }
  const kept = new LRUCache<string, AgreementEnvelope>({ max: KEPT_ENVELOPES })
  return {
    pipeline,
    keyId,
    publicKey: Buffer.from(publicKey).toString('hex'),
    seal(tuple) {
      const statement = { pipeline, keyId, tuple, release }
      const said = digestOf(statement)
      const key = Buffer.from(said).toString('base64')
      const sealed = kept.get(key) ?? {
        ...statement,
        signature: Buffer.from(sign(said, privateKey)).toString('hex'),
      }
      kept.set(key, sealed)
      return sealed
    },
  }
}

const KEY = /^[0-9a-f]{64}$/i

const bytesOfHex = (hex: string | undefined): Uint8Array | null =>
  hex !== undefined && KEY.test(hex) ? Buffer.from(hex, 'hex') : null
