import { createHash } from 'node:crypto'
import { publicKeyOf } from '../../domain/script/schnorr.ts'
import type { Pipeline, SigningSettings } from '../../pairing/agreement/signing.ts'
import type { TrustedKeys } from '../../pairing/agreement/trust.ts'
import type { PairingService } from '../../pairing/pairing-service.ts'
import type { PeerAgreement } from '../../ports/folds/peer-agreement.ts'

/**
 * The keys of the two pipelines that one process runs on the devnet: the same on every devnet, and
 * public with this file. They protect only test coins, and no other network accepts them.
 */
const keyOf = (pipeline: Pipeline): Buffer =>
  createHash('sha256').update(`devnet pipeline ${pipeline}`).digest()

const keyIdOf = (pipeline: Pipeline): string => `devnet-${pipeline.toLowerCase()}`

const signingAs = (pipeline: Pipeline): SigningSettings => ({
  keyId: keyIdOf(pipeline),
  privateKey: keyOf(pipeline).toString('hex'),
  release: { name: 'market', version: 'devnet', commit: 'devnet', digest: 'devnet' },
})

const trustedAs = (pipeline: Pipeline): ReadonlyMap<string, string> => {
  const publicKey = publicKeyOf(keyOf(pipeline)) ?? new Uint8Array()
  return new Map([[keyIdOf(pipeline), Buffer.from(publicKey).toString('hex')]])
}

export const DEVNET_SIGNING: Readonly<Record<Pipeline, SigningSettings>> = {
  A: signingAs('A'),
  B: signingAs('B'),
}

export const DEVNET_TRUSTED: TrustedKeys = { A: trustedAs('A'), B: trustedAs('B') }

/** A pipeline of this process, queried like a remote one: it answers in bytes. */
export const peerOf = (service: PairingService): PeerAgreement => ({
  fetch: async (height) => {
    try {
      const envelope = service.agreementAt({ height: String(height) })
      return { did: 'answer', body: Buffer.from(JSON.stringify(envelope)) }
    } catch (error) {
      const detail = error instanceof Error ? error.message : String(error)
      return { did: 'fail', trouble: 'peer_status', detail }
    }
  },
})
