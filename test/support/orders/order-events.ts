import type { OrderEvent } from '../../../src/actors/events/order-events.ts'
import type { OfferClaim, OrderRecord } from '../../../src/schemas/order-record.ts'
import {
  askClaim,
  evidenceOf,
  nodeSays,
  OUTPOINT,
  signatureOf,
  spendBlock,
  spendBy,
  spentBy,
} from './evidence.ts'
import { Life, moment } from './life.ts'
import { ORDER_ID, orderOf } from './orders.ts'
import { sellersProof } from './withdrawals.ts'

// The events an order may receive, and the usual answers.

export const good = askClaim()
/** Another wrapper of the same authorisation. */
export const wrapped = (wrapper: string, changes = {}) => askClaim({ wrapper, ...changes })
export const signedBy = (...claims: OfferClaim[]) =>
  nodeSays({ signatures: claims.map((claim) => signatureOf(claim)) })

export const created: OrderEvent = { type: 'CREATE', requestId: 'create', ...moment() }
export const imported = (claim: OfferClaim, requestId = 'import'): OrderEvent => ({
  type: 'IMPORT',
  claim,
  requestId,
  ...moment(),
})
export const revalidated = (requestId = 'revalidate'): OrderEvent => ({
  type: 'REVALIDATE',
  requestId,
  ...moment(),
})
export const rechecked: OrderEvent = { type: 'RECHECK', purpose: 'recheck', ...moment() }
export const withdrawn: OrderEvent = {
  type: 'WITHDRAW',
  by: 'seller',
  proof: sellersProof({ orderId: ORDER_ID, outpoint: OUTPOINT }),
  requestId: 'withdraw',
  reason: 'sold elsewhere',
  ...moment(),
}
type SpendChange = 'SEEN' | 'DROPPED' | 'CONFIRMED' | 'UNCONFIRMED'
export const spend = (change: SpendChange, by: ReturnType<typeof spendBy>): OrderEvent => ({
  type: `SPEND_${change}`,
  spend: change === 'SEEN' || change === 'DROPPED' ? { ...by, block: null } : by,
  ...moment(),
})
type OutputChange = 'SEEN' | 'CONFIRMED' | 'UNCONFIRMED' | 'GONE'
export const output = (
  change: OutputChange,
  block: OrderRecord['outputBlock'] = null,
): OrderEvent => ({
  type: `OUTPUT_${change}`,
  block,
  ...moment(),
})

export const live = evidenceOf()
export const mempoolOf = (by: ReturnType<typeof spendBy>) =>
  evidenceOf({ node: nodeSays({ output: spentBy({ ...by, block: null }) }) })
export const buyer = spendBy('buyer', { block: spendBlock() })
export const thief = spendBy('thief', { block: spendBlock(), pairedOutput: null })

/** An order that was just imported: its first question is open. */
export const begun = (claim = good) => {
  const life = new Life(orderOf({}, claim))
  life.tell(created)
  return life
}
