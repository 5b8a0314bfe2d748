import { randomBytes } from 'node:crypto'
import { publicKeyOf } from '../../src/domain/script/schnorr.ts'
import type { Pipeline } from '../../src/pairing/agreement/signing.ts'

/** The variables of two pairing pipelines that are each other's peers. */
export function pipelineVariables(
  addresses: Readonly<Record<Pipeline, string>>,
): Record<Pipeline, Record<string, string>> {
  const keys = { A: randomBytes(32), B: randomBytes(32) }
  const trusted = (pipeline: Pipeline) => {
    const publicKey = Buffer.from(publicKeyOf(keys[pipeline]) ?? [])
    return `${keyIdOf(pipeline)}:${publicKey.toString('hex')}`
  }
  const variables = (pipeline: Pipeline, peer: Pipeline) => ({
    PAIRING_PIPELINE: pipeline,
    PAIRING_KEY_ID: keyIdOf(pipeline),
    PAIRING_PRIVATE_KEY: keys[pipeline].toString('hex'),
    PAIRING_RELEASE_NAME: 'market',
    PAIRING_RELEASE_VERSION: 'demo',
    PAIRING_RELEASE_COMMIT: 'demo',
    PAIRING_RELEASE_DIGEST: 'demo',
    PAIRING_TRUSTED_A: trusted('A'),
    PAIRING_TRUSTED_B: trusted('B'),
    PAIRING_B_URL: addresses[peer],
  })
  return { A: variables('A', 'B'), B: variables('B', 'A') }
}

const keyIdOf = (pipeline: Pipeline): string => `demo-${pipeline.toLowerCase()}`
