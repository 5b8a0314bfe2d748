import { z } from 'zod'
import { LOG_SCHEMA } from '../log.ts'

/**
 * The state snapshot of the circles (spec: "Circle state snapshot schema"). Every record is closed,
 * and every bound is in a pattern, so that the published JSON Schema is as strict as these.
 */

/** Decimal, no leading zero, at most 4294967295. */
const INDEX =
  '(?:0|[1-9][0-9]{0,8}|[1-3][0-9]{9}|4[01][0-9]{8}|42[0-8][0-9]{7}|429[0-3][0-9]{6}' +
  '|4294[0-8][0-9]{5}|42949[0-5][0-9]{4}|429496[0-6][0-9]{3}|4294967[01][0-9]{2}' +
  '|42949672[0-8][0-9]|429496729[0-5])'
/** Decimal, no leading zero, at most 2100000000000000: 21 million BTC. */
const MONEY = '(?:0|[1-9][0-9]{0,14}|1[0-9]{15}|20[0-9]{14}|2100000000000000)'

const text = (pattern: RegExp, error: string) => z.string({ error }).regex(pattern, { error })

const Hex64 = text(/^[0-9a-f]{64}$/, 'must be 64 lowercase hex digits')
const CircleTxid = Hex64.brand<'Txid'>()
const CircleBlockHash = Hex64.brand<'BlockHash'>()
export const CircleOutpoint = text(
  new RegExp(`^[0-9a-f]{64}:${INDEX}$`),
  'must be 64 lowercase hex digits, a colon and an index up to 4294967295 without leading zeros',
).brand<'OutpointText'>()
const Sats = text(
  new RegExp(`^${MONEY}$`),
  'must be decimal digits without leading zeros, up to 2100000000000000',
)
const P2tr = text(/^5120[0-9a-f]{64}$/, 'must be 5120 and 64 lowercase hex digits')

const whole = (min: number, max: number) => {
  const error = `must be an integer from ${min} to ${max}`
  return z.int({ error }).min(min, { error }).max(max, { error })
}
/** A record with exactly these fields. */
const closed = <T extends z.core.$ZodLooseShape>(shape: T) =>
  z.strictObject(shape, {
    error: ({ code }) => (code === 'unrecognized_keys' ? 'unknown property' : 'must be an object'),
  })
/** Heights, places in a block, revisions. */
const Count = whole(0, Number.MAX_SAFE_INTEGER)

export const LINEAGE_STATUS = ['active', 'closed'] as const

export const Lineage = closed({
  lineageId: Hex64.describe('id of the lineage'),
  genesisOutpoint: CircleOutpoint.describe('the output that it began with'),
  currentOutpoint: CircleOutpoint.nullable().describe(
    'its unspent shard; null: the lineage is closed',
  ),
  status: z
    .enum(LINEAGE_STATUS, { error: 'must be active or closed' })
    .describe('`active`: it has a shard; `closed`: it was spent outside a circle'),
  firstHeight: Count.describe('height of its first circle'),
  lastHeight: Count.describe('height of its latest circle, or of its closing'),
  circleCount: whole(1, Number.MAX_SAFE_INTEGER).describe('number of its circles'),
  closedByTxid: CircleTxid.nullable().describe('transaction that closed it; null: none'),
})
export type Lineage = z.infer<typeof Lineage>

export const Shard = closed({
  outpoint: CircleOutpoint.describe('the output'),
  lineageId: Hex64.describe('the lineage that it belongs to'),
  scriptPubKey: P2tr.describe('its script (P2TR), hex'),
  valueSats: Sats.describe('its value, sats'),
  createdByCircle: CircleTxid.describe('the circle that made it'),
  previousOutpoint: CircleOutpoint.describe('the output that the input of its slot spent'),
  createdHeight: Count.describe('height of the block that made it'),
  spentByTxid: CircleTxid.nullable().describe('transaction that spent it; null: it is unspent'),
  spentHeight: Count.nullable().describe('height of the block that spent it; null: it is unspent'),
})
export type Shard = z.infer<typeof Shard>

export const Member = closed({
  slot: whole(0, 15).describe('index of its input and output in the circle, from 0'),
  lineageId: Hex64.describe('the lineage that it continues or begins'),
  inputOutpoint: CircleOutpoint.describe('the output that it spent'),
  outputOutpoint: CircleOutpoint.describe('the shard that it made'),
  inputValueSats: Sats.describe('value of its input, sats'),
  outputValueSats: Sats.describe('value of its output, sats'),
  feeShareSats: Sats.describe('its share of the fee: input minus output, sats'),
  wasExistingLineage: z
    .boolean({ error: 'must be true or false' })
    .describe('whether the lineage existed before'),
})
export type Member = z.infer<typeof Member>

export const MIN_MEMBERS = 2
export const MAX_MEMBERS = 16

const MEMBERS = { error: `must be an array of ${MIN_MEMBERS} to ${MAX_MEMBERS} members` }

export const Circle = closed({
  txid: CircleTxid.describe('id of the transaction'),
  wtxid: Hex64.describe('id of the transaction with its witnesses (BIP 141)'),
  contextHash: Hex64.describe('hash of the context, as the transaction has it'),
  participantCount: whole(MIN_MEMBERS, MAX_MEMBERS).describe('number of its members'),
  feeSats: Sats.describe('fee of the transaction, sats'),
  blockHeight: Count.describe('height of its block'),
  blockHash: CircleBlockHash.describe('hash of its block'),
  transactionIndex: Count.describe('place of the transaction in its block, from 0'),
  members: z
    .array(Member, MEMBERS)
    .min(MIN_MEMBERS, MEMBERS)
    .max(MAX_MEMBERS, MEMBERS)
    .describe('its members, by slot'),
})
export type Circle = z.infer<typeof Circle>

export const Edge = closed({
  fromCircle: CircleTxid.describe('the circle that made the shard'),
  toCircle: CircleTxid.describe('the circle that spent it'),
  lineageId: Hex64.describe('the lineage of the shard'),
  viaOutpoint: CircleOutpoint.describe('the shard that `fromCircle` made and `toCircle` spends'),
})
export type Edge = z.infer<typeof Edge>

export const CircleSnapshot = closed({
  protocol: z
    .literal('circles', { error: 'must be circles: this is outside the schema' })
    .describe('always `circles`'),
  version: z
    .literal(1, { error: 'must be 1: another version is outside this schema' })
    .describe('version of the schema'),
  revision: Count.describe('number of transactions of the best chain that changed the state'),
  lineages: z
    .array(Lineage, { error: 'must be an array' })
    .describe('every lineage, in canonical order'),
  shards: z.array(Shard, { error: 'must be an array' }).describe('every shard, in canonical order'),
  circles: z
    .array(Circle, { error: 'must be an array' })
    .describe('every circle, in canonical order'),
  edges: z.array(Edge, { error: 'must be an array' }).describe('every edge, in canonical order'),
})
export type CircleSnapshot = z.infer<typeof CircleSnapshot>

/** The state after a block; height and hash are null before the first block. */
export const CircleState = closed({
  revision: Count.describe('number of transactions of the best chain that changed the state'),
  stateHash: Hex64.describe('SHA-256 of the canonical bytes of the snapshot (RFC 8785)'),
  height: Count.nullable().describe('height of the last block read; null: before the first'),
  blockHash: CircleBlockHash.nullable().describe('hash of that block; null: before the first'),
})
export type CircleState = z.infer<typeof CircleState>

/** States of blocks that changed the graph, the newest first. */
export const CircleStates = closed({
  items: z.array(CircleState).describe('the states, newest first'),
})

/**
 * In the log, keyed by the revision in decimal: a state that a block made, or one that was
 * disconnected with its block.
 */
export const StateFeedRecord = z.strictObject({
  schema: z.literal(LOG_SCHEMA),
  kind: z.enum(['connected', 'disconnected']),
  state: CircleState,
})
export type StateFeedRecord = z.infer<typeof StateFeedRecord>

/** JSON Schema 2020-12 of the snapshot. */
export const circleSnapshotSchema = (): Record<string, unknown> => ({
  title: 'Circle state snapshot, version 1',
  ...z.toJSONSchema(CircleSnapshot, { target: 'draft-2020-12' }),
})

/** The four arrays of a snapshot, as RFC 8785 orders them. */
export const SECTIONS = ['circles', 'edges', 'lineages', 'shards'] as const
export type Section = (typeof SECTIONS)[number]

export interface SectionRecords {
  circles: Circle
  edges: Edge
  lineages: Lineage
  shards: Shard
}
