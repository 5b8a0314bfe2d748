import { z } from 'zod'
import { Notice } from '../../order.ts'
import {
  AtomicSats,
  BlockRef,
  Hash,
  Network,
  OrderId,
  OrderState,
  OutpointInput,
  OutpointText,
  Timestamp,
  Txid,
  TxOut,
} from '../../scalars.ts'
import { ListHiddenQuery } from '../api.ts'

const MAX_VOUT = 0xffffffff

/** The output in a path, `txid:vout`. */
export const OutpointPath = z.object({
  outpoint: OutpointInput.refine(
    (text) => Number(text.slice(65)) <= MAX_VOUT,
    `must have an output index of at most ${MAX_VOUT}`,
  ).describe('an output, `txid:vout`, the txid in hex in either case'),
})

/** Newest first. */
export const ExposureQuery = ListHiddenQuery
export type ExposureQuery = z.infer<typeof ExposureQuery>

/** What the node says of the output now. */
export const ExposedOutput = z.strictObject({
  status: z
    .enum(['UNSPENT', 'UNCONFIRMED', 'SPENT_IN_MEMPOOL', 'SPENT', 'UNKNOWN'])
    .describe(
      'what the node says of the output; UNKNOWN: it finds neither the output nor a spend of it',
    ),
  output: TxOut.nullable().describe('value and script of the output; null: not known'),
  block: BlockRef.nullable().describe('block of the output; null: in the mempool, or not known'),
  spentBy: z
    .strictObject({
      txid: Txid.describe('id of the spender'),
      block: BlockRef.nullable().describe('block of the spender; null: it is in the mempool'),
    })
    .nullable()
    .describe('the transaction that spends it; null: none, or not known'),
})
export type ExposedOutput = z.infer<typeof ExposedOutput>

/** What the next block must have reached: its own height, or the median time past in seconds. */
export const NotBefore = z.union([
  z.strictObject({
    height: z.int().nonnegative().describe('height that the next block must have reached'),
  }),
  z.strictObject({
    medianTime: z
      .int()
      .nonnegative()
      .describe('median time past that the chain must have reached, Unix seconds'),
  }),
])
export type NotBefore = z.infer<typeof NotBefore>

/**
 * NOW: any holder of the PSBT can take the output for the price. LATER: once `notBefore` is
 * reached, or the output is there. ENDED: a block spends the output. UNPROVED: its owner's
 * signature was never verified.
 */
export const Takeable = z.enum(['NOW', 'LATER', 'ENDED', 'UNPROVED'])
export type Takeable = z.infer<typeof Takeable>

/** An ask of the output, without any text of its sender. */
export const Authorisation = z.strictObject({
  orderId: OrderId.describe('the order that the signature makes'),
  state: OrderState.describe('state of that order'),
  reason: z.string().describe('code of why it has its state'),
  signedPriceSats: AtomicSats.nullable().describe(
    'what its taker must pay to the seller’s script, sats; null: nothing is signed',
  ),
  digest: Hash.describe('SHA-256 of the decoded PSBT that is kept'),
  hidden: z.boolean().describe('whether an operator hides the order'),
  firstSeenAt: Timestamp.describe('when it was received first'),
  lastSeenAt: Timestamp.describe('when it was received last'),
  closedAt: Timestamp.nullable().describe(
    'when it ceased to be followed here, which ends no signature; null: it is followed',
  ),
  takeable: Takeable.describe(
    'NOW: a holder of the PSBT can take the output for the price; LATER: once `notBefore` is reached, or the output is there; ENDED: a block spends the output; UNPROVED: no signature of its owner was verified',
  ),
  notBefore: NotBefore.nullable().describe(
    'what must be reached before it can be taken; null: nothing',
  ),
  version: z.int().describe('nVersion of the transaction'),
  locktime: z.int().describe('nLockTime of the transaction'),
  sequence: z.int().describe('nSequence of the offered input'),
})
export type Authorisation = z.infer<typeof Authorisation>

/** Bids of an exposure. */
export const MAX_PAID_BIDS = 50

/**
 * A bid that the output pays for, signed by the owner of the output, without any text of its
 * sender.
 */
export const PaidBid = z.strictObject({
  orderId: OrderId.describe('the bid'),
  state: OrderState.describe('state of the bid'),
  reason: z.string().describe('code of why it has its state'),
  outpoint: OutpointText.describe('the output that it bids for'),
  signedPriceSats: AtomicSats.nullable().describe(
    'what the seller gets beside the value of that output, sats; null: not known',
  ),
  digest: Hash.describe('SHA-256 of the decoded PSBT that is kept'),
  hidden: z.boolean().describe('whether an operator hides the bid'),
  firstSeenAt: Timestamp.describe('when it was received first'),
  lastSeenAt: Timestamp.describe('when it was received last'),
  closedAt: Timestamp.nullable().describe(
    'when it ceased to be followed here, which ends no signature; null: it is followed',
  ),
})
export type PaidBid = z.infer<typeof PaidBid>

export const LowestPrice = z.strictObject({
  orderId: OrderId.describe('the order with that price'),
  signedPriceSats: AtomicSats.describe('the price, sats'),
  notBefore: NotBefore.nullable().describe(
    'what must be reached before it can be taken; null: nothing',
  ),
})
export type LowestPrice = z.infer<typeof LowestPrice>

/** Every authorisation ever proved for an output, and what can still be done with it. */
export const Exposure = z.strictObject({
  outpoint: OutpointText.describe('the output'),
  network: Network.describe('the Bitcoin network'),
  output: ExposedOutput.describe('what the node says of the output now'),
  lowest: z
    .strictObject({
      now: LowestPrice.nullable().describe(
        'the lowest price that the output can be taken for now; null: it cannot be taken',
      ),
      ever: LowestPrice.nullable().describe(
        'the lowest price at which it can be taken now or later; null: it cannot',
      ),
      complete: z
        .boolean()
        .describe('false: there are too many authorisations below `now` to look at all'),
    })
    .describe('the lowest prices that it can be taken for'),
  authorisations: z
    .array(Authorisation)
    .describe('every ask ever proved for the output, newest first'),
  bids: z
    .strictObject({
      newest: z.array(PaidBid).max(MAX_PAID_BIDS).describe('the newest of them, at most 50'),
      total: z.int().nonnegative().describe('number of all of them'),
    })
    .describe(
      'bids that the output pays for: until a block spends it, the owner of what a bid is for can complete the bid',
    ),
  unproved: z
    .array(Authorisation)
    .describe('asks of the output that proved nothing: kept for a day, the last 16'),
  total: z.int().describe('number of `authorisations`, over all pages'),
  limit: z.int().describe('most authorisations of a page, as asked for'),
  nextCursor: z.string().describe('`cursor` of the next page; empty on the last page'),
  hasMore: z.boolean().describe('whether there is a next page'),
  nodeTip: BlockRef.describe('tip of the node when it was asked'),
  observedAt: Timestamp.describe('when this was observed'),
  notices: z.array(Notice).describe('what the owner should know'),
})
export type Exposure = z.infer<typeof Exposure>
