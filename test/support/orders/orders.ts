import { newOrder } from '../../../src/actors/order/changes/new-order.ts'
import type { OfferClaim, OrderRecord } from '../../../src/schemas/order-record.ts'
import { AT, askClaim, blockAt, hash, OUTPUT_BLOCK, TIP_HEIGHT } from './evidence.ts'

export const ORDER_ID = hash('order')

/** An unverified order, except for what a test changes. */
export const orderOf = (
  changes: Partial<OrderRecord> = {},
  claim: OfferClaim = askClaim(),
): OrderRecord => ({ ...newOrder(ORDER_ID, 'regtest', { claim, at: AT }), ...changes })

/** An order that both authorities proved, under the first watermark. */
export const liveOrder = (
  changes: Partial<OrderRecord> = {},
  claim: OfferClaim = askClaim(),
): OrderRecord =>
  orderOf(
    {
      state: 'LIVE',
      reason: 'verified',
      validation: { checkedAt: AT, nodeStatus: 'READY', assetStatus: 'NOT_REQUESTED', reasons: [] },
      anchor: {
        tip: blockAt(TIP_HEIGHT),
        mempoolSequence: 1,
        index: { ...blockAt(TIP_HEIGHT), version: 'ord 1' },
        watermark: { epoch: 1, n: 0 },
      },
      verifiedAt: AT,
      proved: true,
      metadataFixed: true,
      outputBlock: OUTPUT_BLOCK,
      seq: 1,
      hash: hash('first change'),
      ...changes,
    },
    claim,
  )
