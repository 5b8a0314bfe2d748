import { z } from 'zod'
import { AmountInput, OutpointText } from '../scalars.ts'

/** What `market devnet` may ask of the running service: only on the devnet; see DEVNET_CONTROL. */
export const DevnetFund = z.strictObject({ address: z.string().max(100), sats: AmountInput })
export const DevnetInscribe = z.strictObject({
  address: z.string().max(100),
  text: z.string().max(10_000),
  postage: AmountInput.default('10000'),
})
/** A final transaction, for the mempool. */
export const DevnetSend = z.strictObject({ hex: z.string().max(400_000) })
export const DevnetMine = z.strictObject({ blocks: z.int().min(1).max(1_000).default(1) })
export const DevnetReorg = z.strictObject({ depth: z.int().min(1).max(100).default(1) })
/** An inscription with a signed ask for it: `ImportRequest` is the answer. */
export const DevnetOffer = z.strictObject({
  text: z.string().min(1).max(10_000),
  priceSats: AmountInput,
})
/** A purchase of an ask, by a buyer of the devnet, in its mempool. */
export const DevnetBuy = z.strictObject({
  psbt: z.string().max(200_000),
  priceSats: AmountInput,
})

/** Objects of the pairing protocol, one transaction and one block each. */
export const DevnetObjects = z.discriminatedUnion('move', [
  z.strictObject({
    move: z.literal('create'),
    label: z.string().regex(/^[A-Za-z0-9._-]{0,32}$/, 'must be up to 32 of A-Z a-z 0-9 . _ -'),
  }),
  z.strictObject({ move: z.literal('move'), carriers: z.array(OutpointText).min(1).max(16) }),
  z.strictObject({ move: z.literal('pair'), carriers: z.tuple([OutpointText, OutpointText]) }),
  z.strictObject({ move: z.literal('unpair'), carriers: z.tuple([OutpointText]) }),
  z.strictObject({ move: z.literal('release'), carriers: z.tuple([OutpointText]) }),
])
export type DevnetObjects = z.infer<typeof DevnetObjects>

/** A circle of this many members; the named shards continue in it. Or a shard spent outside one. */
export const DevnetCircles = z.discriminatedUnion('move', [
  z.strictObject({
    move: z.literal('circle'),
    members: z.int().min(2).max(16).default(3),
    shards: z.array(OutpointText).max(16).default([]),
  }),
  z.strictObject({ move: z.literal('close'), shards: z.tuple([OutpointText]) }),
])
export type DevnetCircles = z.infer<typeof DevnetCircles>

/** The prefix of these routes. */
export const DEVNET_BASE = '/devnet'
