import { z } from 'zod'
import { LOG_SCHEMA } from '../log.ts'
import {
  AtomicSats,
  BlockHash,
  BlockRef,
  Hash,
  Hex,
  OutpointText,
  Timestamp,
  Txid,
} from '../scalars.ts'

/**
 * Records of the pairing index (docs/design/pairing.md#the-protocol-on-chain); null where nothing
 * applies.
 */

const Height = z.int().nonnegative()

export const PairingEventKind = z.enum([
  'object_created',
  'carrier_moved',
  'objects_paired',
  'pair_dissolved',
  'object_released',
])
export type PairingEventKind = z.infer<typeof PairingEventKind>

export const PairingEvent = z.strictObject({
  txid: Txid,
  /** From 0 in each transaction. */
  eventIndex: z.int().nonnegative(),
  height: Height,
  blockHash: BlockHash,
  kind: PairingEventKind,
  objectKey: Hash,
  from: OutpointText.nullable(),
  to: OutpointText.nullable(),
  pairId: Hash.nullable(),
})
export type PairingEvent = z.infer<typeof PairingEvent>

export const PairingObject = z.strictObject({
  objectKey: Hash,
  contentHash: Hash,
  label: z.string().regex(/^[A-Za-z0-9._-]{0,32}$/),
  status: z.enum(['active', 'released']),
  carrier: OutpointText.nullable(),
  /** The carrier's address: P2WSH, bech32. */
  address: z.string().nullable(),
  pairId: Hash.nullable(),
  /** The object key of its mate. */
  pairedWith: Hash.nullable(),
  createdTxid: Txid,
  createdHeight: Height,
  /** Events that carry its key. */
  eventCount: z.int().positive(),
})
export type PairingObject = z.infer<typeof PairingObject>

export const PairingCarrier = z.strictObject({
  txid: Txid,
  vout: z.int().min(0).max(0xffffffff),
  objectKey: Hash,
  address: z.string(),
  scriptHex: Hex,
  valueSats: AtomicSats,
  createdHeight: Height,
  spentByTxid: Txid.nullable(),
  spentHeight: Height.nullable(),
})
export type PairingCarrier = z.infer<typeof PairingCarrier>

/** Why a marker maps nothing, in the order in which they are tested. */
export const INVALID_REASONS = [
  'multiple_markers',
  'unknown_opcode',
  'malformed_body',
  'bad_input',
  'duplicate_input',
  'bad_vout',
  'duplicate_vout',
  'not_p2wsh',
  'input_not_carrier',
  'already_paired',
  'not_paired',
] as const
export const InvalidReason = z.enum(INVALID_REASONS)
export type InvalidReason = z.infer<typeof InvalidReason>

export const PairingTransaction = z.strictObject({
  txid: Txid,
  height: Height,
  blockHash: BlockHash,
  transactionIndex: z.int().positive(),
  /** Null without a marker, or with several. */
  opcode: z.int().min(0).max(255).nullable(),
  valid: z.boolean(),
  reason: InvalidReason.nullable(),
})
export type PairingTransaction = z.infer<typeof PairingTransaction>

/** The nine compared fields: all strings, the height in decimal. */
export const CheckpointTuple = z.strictObject({
  deployment: z.string(),
  network: z.string(),
  height: z.string(),
  blockHash: BlockHash,
  previousCheckpointHash: z.string(),
  objectsRoot: z.string(),
  carriersRoot: z.string(),
  eventsRoot: z.string(),
  checkpointHash: z.string(),
})
export type CheckpointTuple = z.infer<typeof CheckpointTuple>

export const COMPARED_FIELDS = Object.keys(CheckpointTuple.shape) as (keyof CheckpointTuple)[]

/** The answer of `/pairing/agreement/{height}`: each leaf a string, hex in lowercase, no more. */
export const AgreementEnvelope = z.strictObject({
  pipeline: z.enum(['A', 'B']),
  keyId: z.string(),
  tuple: CheckpointTuple,
  release: z.strictObject({
    name: z.string(),
    version: z.string(),
    commit: z.string(),
    digest: z.string(),
  }),
  /** BIP340, 64 bytes in hex. */
  signature: z.string(),
})
export type AgreementEnvelope = z.infer<typeof AgreementEnvelope>

/**
 * In the log, keyed by the height in decimal: for a disconnected block the last record says so,
 * until another one is at its height.
 */
export const CheckpointFeedRecord = z.discriminatedUnion('kind', [
  z.strictObject({
    schema: z.literal(LOG_SCHEMA),
    kind: z.literal('connected'),
    block: BlockRef,
    tuple: CheckpointTuple,
    /** Null: the pipeline has no signer. */
    envelope: AgreementEnvelope.nullable(),
  }),
  z.strictObject({
    schema: z.literal(LOG_SCHEMA),
    kind: z.literal('disconnected'),
    block: BlockRef,
  }),
])
export type CheckpointFeedRecord = z.infer<typeof CheckpointFeedRecord>

export const SearchResult = z.strictObject({
  kind: z.enum(['object', 'carrier', 'transaction', 'address']),
  /** Object key, outpoint, txid or address. */
  key: z.string(),
  /** For an object that has one. */
  label: z.string().optional(),
})
export type SearchResult = z.infer<typeof SearchResult>

/** Answers of the routes, besides single records. */
export const PairingObjects = z.strictObject({ items: z.array(PairingObject) })
export const PairingCarriers = z.strictObject({ items: z.array(PairingCarrier) })
export const PairingCheckpoints = z.strictObject({ items: z.array(CheckpointTuple) })
export const PairingEvents = z.strictObject({ txid: Txid, events: z.array(PairingEvent) })
export const ObjectEvents = z.strictObject({ objectKey: Hash, events: z.array(PairingEvent) })
export const AddressCarriers = z.strictObject({
  address: z.string(),
  carriers: z.array(PairingCarrier),
})
export const SearchResults = z.strictObject({ query: z.string(), results: z.array(SearchResult) })

/** The two pipelines signed for different things at one height. */
export const Divergence = z.strictObject({
  field: z.enum(COMPARED_FIELDS).describe('the first of the nine compared fields that differs'),
  height: Height.describe('the height asked for'),
  own: AgreementEnvelope.describe('signed, as the other one, with a key trusted at the time'),
  peer: AgreementEnvelope,
  firstSeenAt: Timestamp,
})
export type Divergence = z.infer<typeof Divergence>

export const PairingDivergences = z.strictObject({ items: z.array(Divergence) })
export type PairingDivergences = z.infer<typeof PairingDivergences>

/** The checkpoint that both pipelines have signed, and with which keys. */
export const VerifiedAgreement = z.strictObject({
  height: Height,
  blockHash: BlockHash,
  checkpointHash: Hash,
  keyIds: z.strictObject({ A: z.string(), B: z.string() }),
})
export type VerifiedAgreement = z.infer<typeof VerifiedAgreement>

/** An answer that both pipelines confirm. */
export const verified = <T extends z.ZodType>(data: T) =>
  z.strictObject({ data, agreement: VerifiedAgreement })

/** The ten gates (docs/design/pairing.md#readiness), in the order in which they are evaluated. */
export const READINESS_REASONS = [
  'configuration_invalid',
  'database_unavailable',
  'bitcoin_core_unavailable',
  'bitcoin_network_mismatch',
  'bitcoin_core_initial_block_download',
  'node_height_unknown',
  'canonical_tip_missing',
  'block_lag_exceeded',
  'checkpoint_incomplete',
  'agreement_signer_unavailable',
] as const

export const ReadinessSnapshot = z.strictObject({
  configurationValid: z.boolean(),
  databaseAvailable: z.boolean(),
  coreAvailable: z.boolean(),
  coreNetworkMatches: z.boolean(),
  coreInitialBlockDownload: z.boolean(),
  nodeHeight: z.int().nullable(),
  canonicalHeight: z.int().nullable(),
  checkpointHeight: z.int().nullable(),
  maxBlockLag: z.int(),
  signerConfigured: z.boolean(),
  ready: z.boolean(),
  reasons: z.array(z.enum(READINESS_REASONS)),
})
export type ReadinessSnapshot = z.infer<typeof ReadinessSnapshot>

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
