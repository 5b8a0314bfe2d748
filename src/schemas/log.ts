import { z } from 'zod'
import { Evidence, Spend, WatermarkRef } from './evidence.ts'
import { OfferClaim, OrderRecord } from './order-record.ts'
import { quickParserOf } from './quick-parse.ts'
import {
  BlockHash,
  BlockRef,
  Hash,
  OrderId,
  OrderState,
  OutpointText,
  Timestamp,
  Txid,
} from './scalars.ts'
import { Story } from './unproved.ts'

/** The form of the records of the port's topics. */
export const LOG_SCHEMA = 1
/** Since this form, what is too large for one record of `ingest.state` is in pieces of 1 MiB at most. */
export const PIECES_SCHEMA = 2
/** The newest form that this release reads, and writes where the settings of the log allow it (ADR 111). */
export const NEWEST_LOG_SCHEMA = PIECES_SCHEMA

/** Topics of the log, by their contents (see docs/log.md). */
export const TOPICS = {
  blocks: 'chain.blocks',
  mempool: 'chain.mempool',
  index: 'index.updates',
  inbox: 'orders.inbox',
  lifecycle: 'orders.lifecycle',
  snapshots: 'orders.snapshots',
  dead: 'orders.dead',
  checkpoints: 'pairing.checkpoints',
  states: 'circles.states',
  webhooks: 'webhooks.endpoints',
  keys: 'customers.keys',
  heads: 'orders.heads',
} as const
export type Topic = (typeof TOPICS)[keyof typeof TOPICS]

const versioned = { schema: z.literal(LOG_SCHEMA).describe('form of the records of the log') }

// ---- feeds -------------------------------------------------------------------------------------

export const BlockFeedRecord = z.strictObject({
  ...versioned,
  kind: z.enum(['connected', 'disconnected']),
  block: BlockRef,
  prevHash: BlockHash.nullable(),
  time: z.int(),
  txCount: z.int(),
})
export type BlockFeedRecord = z.infer<typeof BlockFeedRecord>

export const MempoolFeedRecord = z.discriminatedUnion('kind', [
  z.strictObject({
    ...versioned,
    kind: z.enum(['added', 'removed']),
    txid: Txid,
    mempoolSequence: z.int().nullable(),
  }),
  z.strictObject({ ...versioned, kind: z.literal('resynchronised'), mempoolSequence: z.int() }),
])
export type MempoolFeedRecord = z.infer<typeof MempoolFeedRecord>

export const IndexFeedRecord = z.strictObject({
  ...versioned,
  kind: z.enum(['advanced', 'rolled-back', 'reorged-beyond-recovery', 'rebuilt', 'upgraded']),
  at: z.strictObject({ ...BlockRef.shape, version: z.string() }),
})
export type IndexFeedRecord = z.infer<typeof IndexFeedRecord>

// ---- the inbox: what the order actors consume --------------------------------------------------

/** An output appeared, was confirmed, lost its block, or disappeared with its transaction. */
export const OutputRecord = z.strictObject({
  ...versioned,
  kind: z.literal('output'),
  change: z.enum(['seen', 'confirmed', 'unconfirmed', 'gone']),
  outpoint: OutpointText,
  block: BlockRef.nullable(),
  at: Timestamp,
})
export type OutputRecord = z.infer<typeof OutputRecord>

export const SpendRecord = z.strictObject({
  ...versioned,
  kind: z.literal('spend'),
  change: z.enum(['seen', 'dropped', 'confirmed', 'unconfirmed']),
  outpoint: OutpointText,
  /** `spend.block` is the block for confirmed and the block lost for unconfirmed, else null. */
  spend: Spend,
  at: Timestamp,
})
export type SpendRecord = z.infer<typeof SpendRecord>

const command = {
  ...versioned,
  kind: z.literal('command'),
  requestId: z.string(),
  orderId: OrderId,
  outpoint: OutpointText,
  at: Timestamp,
}

export const ImportCommand = z.strictObject({
  ...command,
  command: z.literal('import'),
  claim: OfferClaim,
  /** The order's history before it was proved; recorded when this import creates the order. */
  story: Story.exactOptional(),
  /**
   * The answers of node and index, asked by the gateway after the watermark `begunAt`. Used only if
   * this import creates the order and they are still true; else the partition asks itself (ADR 108).
   */
  evidence: Evidence.exactOptional(),
})
export type ImportCommand = z.infer<typeof ImportCommand>
export const RevalidateCommand = z.strictObject({ ...command, command: z.literal('revalidate') })
/** A seller's signature under a challenge of this service (BIP-322): anyone can verify it again. */
export const WithdrawalProof = z.strictObject({
  address: z.string().max(128).describe('address of the offered output, as the challenge has it'),
  message: z.string().max(2_048).describe('the challenge that was signed'),
  signature: z.string().max(16_384).describe('the signature under the challenge (BIP-322), base64'),
  provedAt: Timestamp.describe('when the gateway accepted it, by its clock'),
})
export type WithdrawalProof = z.infer<typeof WithdrawalProof>

const withdraw = {
  ...command,
  command: z.literal('withdraw'),
  reason: z.string().max(280).exactOptional(),
}
export const WithdrawCommand = z.discriminatedUnion('by', [
  z.strictObject({ ...withdraw, by: z.literal('seller'), proof: WithdrawalProof }),
  /** `operator` is the name that the operator's token has in the configuration. */
  z.strictObject({ ...withdraw, by: z.literal('operator'), operator: z.string() }),
])
export type WithdrawCommand = z.infer<typeof WithdrawCommand>
/** An operator hides an order, or shows it again. */
export const ModerationCommand = z.strictObject({
  ...command,
  command: z.enum(['hide', 'unhide']),
  operator: z.string(),
  reason: z.string().max(280).exactOptional(),
})
export type ModerationCommand = z.infer<typeof ModerationCommand>
/** The sweep found that the authorities contradict a LIVE order. */
export const AuditCommand = z.strictObject({
  ...command,
  command: z.literal('audit'),
  found: z.string(),
})
export const CommandRecord = z.discriminatedUnion('command', [
  AuditCommand,
  ImportCommand,
  ModerationCommand,
  RevalidateCommand,
  WithdrawCommand,
])
export type CommandRecord = z.infer<typeof CommandRecord>

export const EvidenceRecord = z.strictObject({
  ...versioned,
  kind: z.literal('evidence'),
  orderId: OrderId,
  outpoint: OutpointText,
  attempt: z.int().positive(),
  evidence: Evidence,
  at: Timestamp,
})
export type EvidenceRecord = z.infer<typeof EvidenceRecord>

/**
 * Everything up to here has been written to this partition. While `covers` is true, every spend and
 * output of the chain up to `tip` and of the mempool up to `mempoolSequence` precedes it.
 */
export const Watermark = z.strictObject({
  ...versioned,
  kind: z.literal('watermark'),
  ...WatermarkRef.shape,
  at: Timestamp,
  covers: z.boolean(),
  tip: z.strictObject({ ...BlockRef.shape, medianTime: z.int() }),
  mempoolSequence: z.int().nullable(),
  /** Null: no index is configured, or it has no usable answer now. */
  index: z.strictObject({ ...BlockRef.shape, version: z.string() }).nullable(),
  indexStatus: z.enum(['ready', 'unconfigured', 'unreachable', 'behind', 'reorged']),
  /** Highest block common to both chains of a reorg, if one happened since the last watermark. */
  forkHeight: z.int().exactOptional(),
  /** Continuity ended: for every order, or for outputs created above an index's fork. */
  lost: z.union([z.literal('all'), z.strictObject({ aboveHeight: z.int() })]).exactOptional(),
  /**
   * Names of outputs that were spent, given back, made or lost since the last watermark, for bids
   * that they pay for (`domain/touched.ts`).
   */
  touched: z.union([z.literal('all'), z.base64()]),
})
export type Watermark = z.infer<typeof Watermark>

/**
 * Many LIVE orders that lost continuity were asked about in one go: each is as it was when it was
 * last verified, except for those doubted. Written to the partition of them all.
 */
export const RenewalRecord = z.strictObject({
  ...versioned,
  kind: z.literal('renewal'),
  /** How far the pass had come when this was asked; null: it was about to begin. */
  after: OrderId.nullable(),
  /** All LIVE orders up to this id were asked about. */
  upTo: OrderId,
  /** The last watermark that the partition had consumed then. */
  begunAt: WatermarkRef,
  /** The node's tip before and after. */
  tip: BlockRef,
  /** Orders to be verified by themselves, by id. */
  doubted: z.array(OrderId),
  at: Timestamp,
})
export type RenewalRecord = z.infer<typeof RenewalRecord>

export const InboxRecord = z.discriminatedUnion('kind', [
  OutputRecord,
  SpendRecord,
  CommandRecord,
  EvidenceRecord,
  Watermark,
  RenewalRecord,
])
export type InboxRecord = z.infer<typeof InboxRecord>

// ---- the lifecycle: the one authority ----------------------------------------------------------

/** The inbox place of the record that caused another. */
export const Cause = z.strictObject({
  partition: z.int().nonnegative().describe('partition of the inbox'),
  offset: z.int().nonnegative().describe('offset of the record in that partition'),
  kind: z.string().describe('kind of the inbox record'),
  requestId: z.string().exactOptional().describe('the request that wrote it'),
  told: z
    .int()
    .positive()
    .exactOptional()
    .describe('position of the change in the story of its order, from 1'),
})
export type Cause = z.infer<typeof Cause>

/**
 * One change of one order. `seq` counts from 1 without gaps; `hash` is the SHA-256 of the RFC 8785
 * form of the record without `hash`, and `prevHash` that of the order's previous record.
 * `set` holds the fields of the order that changed: folding them in order of seq gives the order.
 */
export const ChangeRecord = z.strictObject({
  ...versioned,
  kind: z
    .enum(['transition', 'verified', 'noted'])
    .describe(
      '`transition`: the state changed; `verified`: only its proof; `noted`: anything else',
    ),
  orderId: OrderId.describe('the order that changed'),
  outpoint: OutpointText.describe('the offered output'),
  seq: z.int().positive().describe('number of the change among the changes of its order, from 1'),
  fromState: OrderState.nullable().describe('the state before; null: the first change'),
  toState: OrderState.describe('the state after'),
  reason: z.string().describe('code of why: see docs/order-states.md'),
  actor: z.string().describe('who caused it'),
  operator: z
    .string()
    .exactOptional()
    .describe('name of the operator who caused it; never shown to others'),
  proof: WithdrawalProof.exactOptional().describe('the proof of ownership that withdrew the order'),
  observedAt: Timestamp.describe('when the change was observed'),
  cause: Cause.describe('the inbox record that caused it'),
  evidence: Evidence.nullable().describe(
    'the answers that it was decided by; null: no authority was asked',
  ),
  set: OrderRecord.partial().describe(
    'the fields of the order that changed, with their values after',
  ),
  unset: z.array(z.string()).describe('names of the fields that were removed'),
  prevHash: Hash.nullable().describe('hash of the order’s previous change; null: the first'),
  hash: Hash.describe('SHA-256 of the RFC 8785 form of the record without this field'),
})
export type ChangeRecord = z.infer<typeof ChangeRecord>

export const OutcomeRecord = z.strictObject({
  ...versioned,
  kind: z.literal('outcome'),
  requestId: z.string(),
  orderId: OrderId,
  outcome: z.discriminatedUnion('status', [
    z.strictObject({ status: z.literal('done'), seq: z.int().nonnegative() }),
    z.strictObject({ status: z.literal('refused'), code: z.string(), message: z.string() }),
  ]),
  cause: Cause,
})
export type OutcomeRecord = z.infer<typeof OutcomeRecord>
export type Outcome = OutcomeRecord['outcome']
export type RefusedOutcome = Extract<Outcome, { status: 'refused' }>

export const LifecycleRecord = z.discriminatedUnion('kind', [ChangeRecord, OutcomeRecord])
export type LifecycleRecord = z.infer<typeof LifecycleRecord>
/** As `LifecycleRecord.parse`, for who reads the log from its first record on. */
export const parseLifecycle = quickParserOf(LifecycleRecord)

// ---- snapshots: where an actor resumes ---------------------------------------------------------

export const OrderSnapshot = z.strictObject({
  ...versioned,
  kind: z.literal('order'),
  order: OrderRecord,
})
export type OrderSnapshot = z.infer<typeof OrderSnapshot>

/** Orders that lost continuity are verified again: LIVE ones first, many at once. */
export const Pass = z.strictObject({
  over: z.enum(['live', 'others']),
  /** The last id that was asked about, in that order; null before the first. */
  after: OrderId.nullable(),
})
export type Pass = z.infer<typeof Pass>

/** An inbox record that takes several commits: it is applied to orders in the order of their id. */
export const PartOfRecord = z.strictObject({
  offset: z.int().nonnegative(),
  /** The last order it was applied to. */
  after: OrderId,
})
export type PartOfRecord = z.infer<typeof PartOfRecord>

/** News that came after one watermark, up to the next. */
export const NewsSince = z.strictObject({
  after: z.int().nonnegative(),
  /** Names of the outputs concerned (`domain/order/touched.ts`). */
  touched: z.union([z.literal('all'), z.base64()]),
})
export type NewsSince = z.infer<typeof NewsSince>

/** First bytes of the ids of orders that became LIVE by a gateway's evidence. */
export const Vouched = z.strictObject({
  /** When `newer` began; what is `older` is dropped at the next turn. */
  turnedAt: Timestamp,
  older: z.base64(),
  newer: z.base64(),
})
export type Vouched = z.infer<typeof Vouched>

/** What a partition's host has consumed: the freshness that its orders may claim. */
export const PartitionSnapshot = z.strictObject({
  ...versioned,
  kind: z.literal('partition'),
  partition: z.int(),
  /** The last watermark consumed: the next one must follow it. */
  seen: WatermarkRef,
  /** The last watermark that covered: null before the first. */
  watermark: Watermark.nullable(),
  /** Orders verified before this watermark have lost continuity and count from their own time. */
  continuousSince: WatermarkRef,
  /** LIVE asks up to this id have regained it, by a question about many. Absent: none. */
  renewedUpTo: OrderId.exactOptional(),
  /** The lifecycle offset that a view must have folded before it may show this watermark. */
  lifecycleEnd: z.int().nonnegative(),
  /** Continuity was lost for all; rechecks have come this far. Absent: it holds. */
  pass: Pass.exactOptional(),
  /** The next inbox record is consumed up to here. Absent: not begun. */
  part: PartOfRecord.exactOptional(),
  /** News since each of the last watermarks of the epoch of `seen`, oldest first. Absent: unknown. */
  news: z.array(NewsSince).exactOptional(),
  /** Orders that the sweep is to ask about first. Absent: none. */
  vouched: Vouched.exactOptional(),
})
export type PartitionSnapshot = z.infer<typeof PartitionSnapshot>

export const SnapshotRecord = z.discriminatedUnion('kind', [OrderSnapshot, PartitionSnapshot])
export type SnapshotRecord = z.infer<typeof SnapshotRecord>

// ---- dead letters ------------------------------------------------------------------------------

/** Prefix of a dead letter's reason when no log accepts the record's effects. */
export const TOO_LARGE = 'too large'

/** An inbox record that no worker could process, with its place and the reason. */
export const DeadLetter = z.strictObject({
  ...versioned,
  kind: z.literal('dead'),
  offset: z.int().nonnegative(),
  reason: z.string(),
  value: z.unknown(),
})
export type DeadLetter = z.infer<typeof DeadLetter>

/** An operator had the inbox record at this offset appended again: see `market dlq retry`. */
export const RetriedLetter = z.strictObject({
  ...versioned,
  kind: z.literal('retried'),
  /** Offset of the dead record, in the inbox of the same partition. */
  offset: z.int().nonnegative(),
  /** Where its copy was appended. */
  toPartition: z.int().nonnegative(),
  at: Timestamp,
})
export type RetriedLetter = z.infer<typeof RetriedLetter>

export const DeadRecord = z.discriminatedUnion('kind', [DeadLetter, RetriedLetter])
export type DeadRecord = z.infer<typeof DeadRecord>
