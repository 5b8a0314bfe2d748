import { createReadStream } from 'node:fs'
import type { Command } from 'commander'
import { ArgumentError } from '../operator/log/place.ts'
import { addPlan } from './plan.ts'
import { readConfig } from './terminal/environment.ts'
import { printJson, printLine, printLines } from './terminal/output.ts'

/** Keys, envelopes, proofs and divergences of the pairing pipelines, and the cost of their start. */
export function addPairing(program: Command): void {
  const pairing = program
    .command('pairing')
    .description('keys, envelopes and divergences of the pairing pipelines')
  pairing
    .command('keygen <file>')
    .description('create a key pair; the private key is written to a new file only')
    .option('--id <keyId>', 'id of the key (default: a hash of the public key)')
    .option('--json', 'print as JSON')
    .action(async (file: string, { id, json }: { id?: string; json?: true }) => {
      const { makeKey } = await keys()
      const { keyId, publicKey } = makeKey(file, id)
      if (json) return await printJson({ keyId, publicKey, file })
      await printLines([
        `key id       ${keyId}`,
        `public key   ${publicKey}`,
        `private key  in ${file}: set PAIRING_PRIVATE_KEY_FILE to it`,
        `to trust it, set PAIRING_TRUSTED_A or PAIRING_TRUSTED_B: ${keyId}:${publicKey}`,
      ])
    })
  pairing
    .command('sign <file>')
    .description('sign the nine checkpoint fields in a JSON file (- for stdin) as this pipeline')
    .option('--json', 'print as JSON, as without it')
    .action(async (file: string) => {
      const { MAX_READ_BYTES, signTuple } = await keys()
      await printJson(signTuple(readConfig(), await readBounded(file, MAX_READ_BYTES)))
    })
  pairing
    .command('verify [file]')
    .description('check that an envelope (from a file, or stdin) is signed with a trusted key')
    .option('--json', 'print as JSON')
    .action(async (file: string | undefined, { json }: { json?: true }) => {
      const { MAX_READ_BYTES, verifyEnvelope } = await keys()
      const bytes = await readBounded(file ?? '-', MAX_READ_BYTES)
      const { envelope, problem } = verifyEnvelope(readConfig(), bytes)
      process.exitCode = problem ? 1 : 0
      if (json) return await printJson({ problem: problem ?? null, envelope: envelope ?? null })
      if (envelope) {
        const { pipeline, keyId, tuple, release } = envelope
        await printLines([
          `pipeline    ${pipeline}, key ${keyId}`,
          `release     ${release.name} ${release.version} ${release.commit} ${release.digest}`,
          ...Object.entries(tuple).map(([name, value]) => `${name.padEnd(22)} ${value}`),
        ])
      }
      await printLine(problem ?? 'the signature is valid, and the key is trusted')
    })
  pairing
    .command('verify-proof <file>')
    .description('check offline that a record (a proof in a file, - for stdin) is in a checkpoint')
    .option('--checkpoint <hash>', 'trust the checkpoint with this hash (default: a trusted key)')
    .option('--json', 'print as JSON')
    .action(async (file: string, { checkpoint, json }: { checkpoint?: string; json?: true }) => {
      const { MAX_PROOF_FILE_BYTES, verifyProof } = await import('../operator/pairing-proofs.ts')
      const bytes = await readBounded(file, MAX_PROOF_FILE_BYTES)
      const { proof, problem } = verifyProof(readConfig(), bytes, checkpoint)
      process.exitCode = problem ? 1 : 0
      if (json) return await printJson({ problem: problem ?? null, proof: proof ?? null })
      if (proof) {
        const { height, blockHash, checkpointHash } = proof.checkpoint
        await printLines([
          `${proof.kind.padEnd(12)} ${JSON.stringify(proof.record)}`,
          `block        ${height} ${blockHash}`,
          `checkpoint   ${checkpointHash}`,
          `signed by    ${proof.envelope ? `${proof.envelope.pipeline} ${proof.envelope.keyId}` : 'nobody'}`,
        ])
      }
      await printLine(problem ?? 'the record was in the index after this block')
    })
  pairing
    .command('divergence')
    .description('list checkpoints that the two pipelines signed differently, newest first')
    .option('--json', 'print one JSON line per divergence, with both envelopes')
    .action(async ({ json }: { json?: true }) => {
      const { divergenceLine, listDivergences } = await import('../operator/divergences.ts')
      const divergences = await listDivergences(readConfig())
      if (json) for (const one of divergences) await printJson(one)
      else await printLines(divergences.length > 0 ? divergences.map(divergenceLine) : [NONE])
    })
  addPlan(pairing, 'pairing')
}

const keys = () => import('../operator/pairing-keys.ts')

const NONE = 'no divergences'
/** Up to as many bytes from a file, or from stdin for `-`. */
async function readBounded(file: string, most: number): Promise<Uint8Array> {
  const chunks: Buffer[] = []
  let length = 0
  try {
    const stream = file === '-' ? process.stdin : createReadStream(file)
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      chunks.push(chunk)
      length += chunk.length
      if (length >= most) break
    }
  } catch (error) {
    throw new ArgumentError(
      `${file} cannot be read: ${error instanceof Error ? error.message : error}`,
    )
  }
  return Buffer.concat(chunks).subarray(0, most)
}
