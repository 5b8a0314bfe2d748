import { z } from 'zod'
import { Hash } from '../scalars.ts'
import {
  AgreementEnvelope,
  CheckpointTuple,
  PairingCarrier,
  PairingEvent,
  PairingObject,
} from './pairing.ts'

/** Raised with any change of the shape, or of what is hashed. */
export const PROOF_FORMAT = 'pairing-proof-1'

export const ProvedKind = z.enum(['object', 'carrier', 'event'])
export type ProvedKind = z.infer<typeof ProvedKind>

const ProvedRecord = z.union([PairingObject, PairingCarrier, PairingEvent])

/** Everything that a root of one checkpoint is a hash of, with the record among it. */
export const PairingProof = z.strictObject({
  format: z.literal(PROOF_FORMAT),
  kind: ProvedKind,
  record: ProvedRecord.describe('as it was after the block of the checkpoint'),
  position: z.int().nonnegative().describe('of the record among `records`, from 0'),
  records: z
    .array(ProvedRecord)
    .describe('all records of this kind that the block changed, in the order of the root'),
  previousRoot: Hash.nullable().describe(
    'the same root of the block below, which this one is chained to; null for events, which are not',
  ),
  checkpoint: CheckpointTuple,
  envelope: AgreementEnvelope.nullable().describe(
    'the checkpoint as this pipeline has signed it; null without a signing boundary',
  ),
})
export type PairingProof = z.infer<typeof PairingProof>
export type ProofBody = Omit<PairingProof, 'envelope'>
