import { LRUCache } from 'lru-cache'
import { isPublicKey, verifies } from '../../domain/script/schnorr.ts'
import type { AgreementEnvelope } from '../../schemas/api/pairing.ts'
import { digestOf } from './envelope.ts'
import type { Pipeline, Signer } from './signing.ts'

/** x-only public keys in lowercase hex, by key id; several per pipeline during key rotation. */
export type TrustedKeys = Readonly<Record<Pipeline, ReadonlyMap<string, string>>>

/** Why an envelope proves nothing. */
export type Distrust = 'wrong_pipeline' | 'unknown_key' | 'invalid_signature'

/** Verifies a signature; results are memoised. */
export type Verify = (digest: Uint8Array, publicKey: string, signature: string) => boolean

const REMEMBERED_SIGNATURES = 1_024

/** Memoises by the full digest, key and signature; a bounded number is remembered. */
export function rememberingVerify(): Verify {
  const known = new LRUCache<string, boolean>({ max: REMEMBERED_SIGNATURES })
  return (digest, publicKey, signature) => {
    const key = `${Buffer.from(digest).toString('hex')} ${publicKey} ${signature}`
    const remembered = known.get(key)
    if (remembered !== undefined) return remembered
    const isValid = verifies(digest, bytes(publicKey), bytes(signature))
    known.set(key, isValid)
    return isValid
  }
}

/** Null if the envelope is that of this pipeline and signed with a key trusted for it. */
export function distrustOf(
  envelope: AgreementEnvelope,
  pipeline: Pipeline,
  trusted: TrustedKeys,
  verify: Verify,
): Distrust | null {
  if (envelope.pipeline !== pipeline) return 'wrong_pipeline'
  const publicKey = trusted[pipeline].get(envelope.keyId)
  if (publicKey === undefined) return 'unknown_key'
  return verify(digestOf(envelope), publicKey, envelope.signature) ? null : 'invalid_signature'
}

/** What is wrong with the configured keys, one line each: a service with such keys is not ready. */
export function keyProblems(trusted: TrustedKeys, signer: Signer | null): string[] {
  const problems = (['A', 'B'] as const).flatMap((pipeline) =>
    [...trusted[pipeline]]
      .filter(
        ([, publicKey]) => !/^[0-9a-f]{64}$/.test(publicKey) || !isPublicKey(bytes(publicKey)),
      )
      .map(
        ([keyId]) => `the trusted key ${keyId} of pipeline ${pipeline} is not an x-only public key`,
      ),
  )
  const own = signer && trusted[signer.pipeline].get(signer.keyId)
  if (signer && own !== undefined && own !== signer.publicKey)
    problems.push(`the private key is not that of the trusted key ${signer.keyId}`)
  const other = signer?.pipeline === 'A' ? 'B' : 'A'
  for (const [keyId, publicKey] of signer ? trusted[other] : []) {
    if (publicKey !== signer?.publicKey) continue
    problems.push(
      `the own key is trusted as ${keyId} of pipeline ${other}: the two pipelines need different keys`,
    )
  }
  return problems
}

const bytes = (hex: string): Uint8Array => Buffer.from(hex, 'hex')
