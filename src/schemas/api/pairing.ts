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
  txid: Txid.describe('the transaction of the event'),
  eventIndex: z.int().nonnegative().describe('number of the event in its transaction, from 0'),
  height: Height.describe('height of its block'),
  blockHash: BlockHash.describe('hash of its block'),
  kind: PairingEventKind.describe('what happened'),
  objectKey: Hash.describe('key of the object'),
  from: OutpointText.nullable().describe('carrier before the event; null: none'),
  to: OutpointText.nullable().describe('carrier after the event; null: none'),
  pairId: Hash.nullable().describe('id of the pair that it is about; null: none'),
})
export type PairingEvent = z.infer<typeof PairingEvent>

export const PairingObject = z.strictObject({
  objectKey: Hash.describe('key of the object, 32 bytes in hex'),
  contentHash: Hash.describe('SHA-256 of the content, as its creator gave it'),
  label: z
    .string()
    .regex(/^[A-Za-z0-9._-]{0,32}$/)
    .describe('label of the object, as its creator gave it; untrusted'),
  status: z
    .enum(['active', 'released'])
    .describe('`active`: a carrier holds it; `released`: none does'),
  carrier: OutpointText.nullable().describe('output that carries it; null: it is released'),
  address: z
    .string()
    .nullable()
    .describe('address of the carrier (P2WSH, bech32); null: it is released'),
  pairId: Hash.nullable().describe('id of its pair; null: it is in none'),
  pairedWith: Hash.nullable().describe('key of the object that it is paired with; null: none'),
  createdTxid: Txid.describe('transaction that created it'),
  createdHeight: Height.describe('height of the block that created it'),
  eventCount: z.int().positive().describe('number of its events'),
})
export type PairingObject = z.infer<typeof PairingObject>

export const PairingCarrier = z.strictObject({
  txid: Txid.describe('transaction of the carrier'),
  vout: z.int().min(0).max(0xffffffff).describe('index of the carrier in its transaction, from 0'),
  objectKey: Hash.describe('key of the object that it carries or carried'),
  address: z.string().describe('address of the carrier (P2WSH, bech32)'),
  scriptHex: Hex.describe('script of the carrier, hex'),
  valueSats: AtomicSats.describe('value of the carrier, sats'),
  createdHeight: Height.describe('height of the block that made it'),
  spentByTxid: Txid.nullable().describe('transaction that spent it; null: it is unspent'),
  spentHeight: Height.nullable().describe('height of the block that spent it; null: it is unspent'),
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
  txid: Txid.describe('id of the transaction'),
  height: Height.describe('height of its block'),
  blockHash: BlockHash.describe('hash of its block'),
  transactionIndex: z.int().positive().describe('place of the transaction in its block, from 0'),
  opcode: z
    .int()
    .min(0)
    .max(255)
    .nullable()
    .describe('opcode of its marker; null: it has no marker, or several'),
  valid: z.boolean().describe('whether its marker has an effect'),
  reason: InvalidReason.nullable().describe(
    'code of why its marker has no effect; null: it has one, or there is no marker',
  ),
})
export type PairingTransaction = z.infer<typeof PairingTransaction>

/** The nine compared fields: all strings, the height in decimal. */
export const CheckpointTuple = z.strictObject({
  deployment: z.string().describe('name of the deployment'),
  network: z.string().describe('the Bitcoin network'),
  height: z.string().describe('height of the block, decimal digits'),
  blockHash: BlockHash.describe('hash of the block'),
  previousCheckpointHash: z
    .string()
    .describe('hash of the checkpoint of the block below; 64 zeros: there is none'),
  objectsRoot: z.string().describe('root over the objects that the block changed, hex'),
  carriersRoot: z.string().describe('root over the carriers that the block changed, hex'),
  eventsRoot: z.string().describe('root over the events of the block, hex'),
  checkpointHash: z.string().describe('hash over the other eight fields, hex'),
})
export type CheckpointTuple = z.infer<typeof CheckpointTuple>

export const COMPARED_FIELDS = Object.keys(CheckpointTuple.shape) as (keyof CheckpointTuple)[]

/** The answer of `/pairing/agreement/{height}`: each leaf a string, hex in lowercase, no more. */
export const AgreementEnvelope = z.strictObject({
  pipeline: z.enum(['A', 'B']).describe('the pipeline that signed it'),
  keyId: z.string().describe('id of the key that signed it'),
  tuple: CheckpointTuple.describe('the nine compared fields'),
  release: z
    .strictObject({
      name: z.string().describe('name of the software'),
      version: z.string().describe('its version'),
      commit: z.string().describe('commit that it was built from'),
      digest: z.string().describe('digest of what was built'),
    })
    .describe('the release of the software that signed it'),
  signature: z.string().describe('signature of the tuple (BIP 340), 64 bytes in hex'),
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
  kind: z.enum(['object', 'carrier', 'transaction', 'address']).describe('what was found'),
  key: z.string().describe('object key, outpoint, txid or address'),
  label: z.string().optional().describe('label of an object; untrusted'),
})
export type SearchResult = z.infer<typeof SearchResult>

/** Answers of the routes, besides single records. */
export const PairingObjects = z.strictObject({
  items: z.array(PairingObject).describe('the objects'),
})
export const PairingCarriers = z.strictObject({
  items: z.array(PairingCarrier).describe('the carriers'),
})
export const PairingCheckpoints = z.strictObject({
  items: z.array(CheckpointTuple).describe('the checkpoints'),
})
export const PairingEvents = z.strictObject({
  txid: Txid.describe('id of the transaction'),
  events: z.array(PairingEvent).describe('its events, in order'),
})
export const ObjectEvents = z.strictObject({
  objectKey: Hash.describe('key of the object'),
  events: z.array(PairingEvent).describe('its events, newest first'),
})
export const AddressCarriers = z.strictObject({
  address: z.string().describe('the address that was asked for'),
  carriers: z.array(PairingCarrier).describe('carriers at the address'),
})
export const SearchResults = z.strictObject({
  query: z.string().describe('the text that was searched for'),
  results: z.array(SearchResult).describe('what was found'),
})

/** The two pipelines signed for different things at one height. */
export const Divergence = z.strictObject({
  field: z.enum(COMPARED_FIELDS).describe('the first of the nine compared fields that differs'),
  height: Height.describe('the height asked for'),
  own: AgreementEnvelope.describe('signed, as the other one, with a key trusted at the time'),
  peer: AgreementEnvelope.describe('what the other pipeline signed'),
  firstSeenAt: Timestamp.describe('when the difference was seen first'),
})
export type Divergence = z.infer<typeof Divergence>

export const PairingDivergences = z.strictObject({
  items: z.array(Divergence).describe('the differences'),
})
export type PairingDivergences = z.infer<typeof PairingDivergences>

/** The checkpoint that both pipelines have signed, and with which keys. */
export const VerifiedAgreement = z.strictObject({
  height: Height.describe('height of the checkpoint'),
  blockHash: BlockHash.describe('hash of its block'),
  checkpointHash: Hash.describe('hash of the checkpoint that both have signed'),
  keyIds: z
    .strictObject({
      A: z.string().describe('key of pipeline A'),
      B: z.string().describe('key of pipeline B'),
    })
    .describe('ids of the keys that signed it, by pipeline'),
})
export type VerifiedAgreement = z.infer<typeof VerifiedAgreement>

/** An answer that both pipelines confirm. */
export const verified = <T extends z.ZodType>(data: T) =>
  z.strictObject({
    data: data.describe('the answer'),
    agreement: VerifiedAgreement.describe('the checkpoint that both pipelines have signed'),
  })

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
  configurationValid: z.boolean().describe('whether the configuration is valid'),
  databaseAvailable: z.boolean().describe('whether the store answers'),
  coreAvailable: z.boolean().describe('whether the full node answers'),
  coreNetworkMatches: z.boolean().describe('whether the node is on the configured network'),
  coreInitialBlockDownload: z.boolean().describe('whether the node is still downloading blocks'),
  nodeHeight: z.int().nullable().describe('height of the node; null: not known'),
  canonicalHeight: z.int().nullable().describe('height of the index; null: it has no block yet'),
  checkpointHeight: z
    .int()
    .nullable()
    .describe('height of the last checkpoint; null: there is none'),
  maxBlockLag: z.int().describe('the most blocks that the index may be behind the node'),
  signerConfigured: z.boolean().describe('whether this pipeline can sign'),
  ready: z.boolean().describe('whether no gate fails'),
  reasons: z
    .array(z.enum(READINESS_REASONS))
    .describe('code of every gate that fails, in the order of evaluation'),
})
export type ReadinessSnapshot = z.infer<typeof ReadinessSnapshot>

/** Raised with any change of the shape, or of what is hashed. */
export const PROOF_FORMAT = 'pairing-proof-1'

export const ProvedKind = z.enum(['object', 'carrier', 'event'])
export type ProvedKind = z.infer<typeof ProvedKind>

const ProvedRecord = z.union([PairingObject, PairingCarrier, PairingEvent])

/** Everything that a root of one checkpoint is a hash of, with the record among it. */
export const PairingProof = z.strictObject({
  format: z.literal(PROOF_FORMAT).describe('format of the proof'),
  kind: ProvedKind.describe('kind of the record'),
  record: ProvedRecord.describe('as it was after the block of the checkpoint'),
  position: z.int().nonnegative().describe('of the record among `records`, from 0'),
  records: z
    .array(ProvedRecord)
    .describe('all records of this kind that the block changed, in the order of the root'),
  previousRoot: Hash.nullable().describe(
    'the same root of the block below, which this one is chained to; null for events, which are not',
  ),
  checkpoint: CheckpointTuple.describe('the checkpoint whose root is proved'),
  envelope: AgreementEnvelope.nullable().describe(
    'the checkpoint as this pipeline has signed it; null without a signing boundary',
  ),
})
export type PairingProof = z.infer<typeof PairingProof>
export type ProofBody = Omit<PairingProof, 'envelope'>
