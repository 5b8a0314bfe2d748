import { z } from 'zod'

/** 2,100,000,000,000,000 sats: no amount is above it. */
export const MAX_MONEY = 2_100_000_000_000_000n

/** A transaction or block hash in display order, lowercase hex. */
export const Hash = z.string().regex(/^[0-9a-f]{64}$/, 'must be 64 lowercase hex digits')

export const Txid = Hash.describe('id of a transaction, as explorers show it').brand<'Txid'>()
export type Txid = z.infer<typeof Txid>

export const BlockHash = Hash.describe('hash of a block, as explorers show it').brand<'BlockHash'>()
export type BlockHash = z.infer<typeof BlockHash>

/** Names an authorisation: see `orderIdOf`. */
export const OrderId = Hash.describe('order id').brand<'OrderId'>()
export type OrderId = z.infer<typeof OrderId>

const HashInput = z
  .string()
  .regex(/^[0-9a-fA-F]{64}$/, 'must be 64 hex digits')
  .toLowerCase()
/** As a request names them: hex in either case. */
export const TxidInput = HashInput.brand<'Txid'>()
export const OrderIdInput = HashInput.brand<'OrderId'>()

export const Hex = z.string().regex(/^(?:[0-9a-f]{2})*$/, 'must be lowercase hex')

/** Decimal digits, no sign, no leading zero (gateway spec 2.1): the only notation for money. */
export const AtomicSats = z
  .string()
  .max(16, { abort: true })
  .regex(/^(?:0|[1-9][0-9]*)$/, {
    error: 'must be decimal digits without leading zeros',
    abort: true,
  })
  .refine((text) => BigInt(text) <= MAX_MONEY, 'must not exceed 2100000000000000 sats')
export type AtomicSats = z.infer<typeof AtomicSats>

/** Where the spec types an amount "string or number": an AtomicSats or a whole number of sats. */
export const AmountInput = z.union([
  AtomicSats,
  z
    .number()
    .int('must be a whole number of sats')
    .nonnegative('must not be negative')
    .max(Number(MAX_MONEY))
    .transform((sats) => sats.toString()),
])

export const Network = z.enum(['mainnet', 'regtest', 'signet'])
export type Network = z.infer<typeof Network>

export const Source = z.enum(['portable-nostr802', 'asset-offers', 'direct-import'])
export type Source = z.infer<typeof Source>

export const OrderClass = z.enum(['ASK_ANYONECANPAY', 'BID_FULLY_FUNDED', 'UNSUPPORTED'])
export type OrderClass = z.infer<typeof OrderClass>

export const OrderState = z.enum([
  'PENDING_NODE',
  'PENDING_ASSET',
  'LIVE',
  'MEMPOOL_CONFLICTED',
  'SPENT',
  'SETTLED',
  'REJECTED',
  'WITHDRAWN',
])
export type OrderState = z.infer<typeof OrderState>

export const Actionability = z.enum(['REVIEW_ONLY', 'HANDOFF_READY', 'BLOCKED'])
export type Actionability = z.infer<typeof Actionability>

export const SignatureStatus = z.enum(['NONE', 'VALID', 'INVALID', 'UNAVAILABLE'])
export type SignatureStatus = z.infer<typeof SignatureStatus>

export const OrderSide = z.enum(['ASK', 'BID'])
export type OrderSide = z.infer<typeof OrderSide>

export const Safety = z.enum(['PUBLIC_RACEABLE', 'TARGETED_REVIEW', 'UNSUPPORTED'])
export type Safety = z.infer<typeof Safety>

export const NodeStatus = z.enum([
  'UNCONFIGURED',
  'READY',
  'UNAVAILABLE',
  'OUTPOINT_MISSING',
  'OUTPOINT_SPENT',
])
export type NodeStatus = z.infer<typeof NodeStatus>

export const AssetStatus = z.enum([
  'NOT_REQUESTED',
  'UNCONFIGURED',
  'VERIFIED',
  'MISMATCH',
  'UNAVAILABLE',
])
export type AssetStatus = z.infer<typeof AssetStatus>

/** RFC 3339, UTC, milliseconds, `Z`. */
export const Timestamp = z.iso
  .datetime({ precision: 3 })
  .describe('RFC 3339 in UTC, with milliseconds')

export const Outpoint = z.strictObject({
  txid: Txid.describe('id of the transaction that made the output'),
  vout: z.int().min(0).max(0xffffffff).describe('index of the output in its transaction, from 0'),
})
export type Outpoint = z.infer<typeof Outpoint>

/** `txid:vout`, the key of everything that concerns an output. */
export const OutpointText = z
  .string()
  .regex(/^[0-9a-f]{64}:(?:0|[1-9][0-9]{0,9})$/, 'must be <txid>:<vout>')
  .brand<'OutpointText'>()
export type OutpointText = z.infer<typeof OutpointText>

/** As a request names it: hex in either case. */
export const OutpointInput = z
  .string()
  .regex(/^[0-9a-fA-F]{64}:(?:0|[1-9][0-9]{0,9})$/, 'must be <txid>:<vout>')
  .toLowerCase()
  .brand<'OutpointText'>()

/** `<reveal txid>i<index>`. */
export const InscriptionId = z
  .string()
  .regex(/^[0-9a-f]{64}i(?:0|[1-9][0-9]{0,9})$/, 'must be <txid>i<index>')

/** As a request names it: hex in either case. */
export const InscriptionIdInput = z
  .string()
  .regex(/^[0-9a-fA-F]{64}i(?:0|[1-9][0-9]{0,9})$/, 'must be <txid>i<index>')
  .toLowerCase()

export const BlockRef = z.strictObject({
  height: z.int().nonnegative().describe('height of the block; the first block has 0'),
  hash: BlockHash.describe('hash of the block, as explorers show it'),
})
export type BlockRef = z.infer<typeof BlockRef>

/** An output's value, and the script that locks it. */
export const TxOut = z.strictObject({
  valueSats: AtomicSats.describe('value of the output, sats'),
  scriptHex: Hex.describe('the script that locks the output, hex'),
})
export type TxOut = z.infer<typeof TxOut>
