import type { ReasonOf } from '../../../domain/reasons/reasons.ts'
import { isExactPayout } from '../../../domain/verdict/payout.ts'
import type { Spend } from '../../../schemas/evidence.ts'
import type { OrderRecord } from '../../../schemas/order-record.ts'
import type { BlockRef, OrderState } from '../../../schemas/scalars.ts'
import type { OrderEventOf } from '../../events/order-events.ts'

type SpendEvent = OrderEventOf<'SPEND_SEEN' | 'SPEND_CONFIRMED' | 'SPEND_UNCONFIRMED'>

/** A spend already known, or one that only a reorg could cause: a block outranks the mempool. */
export function isOldSpend({ spend }: OrderRecord, news: Spend): boolean {
  if (spend === null) return false
  if (news.block === null) return spend.block !== null || spend.txid === news.txid
  return isSameSpend(spend, news)
}

/** Is this news of exactly the spend, in exactly the block, that the order has recorded? */
export const isKnownSpend = ({ spend }: OrderRecord, news: Spend): boolean =>
  spend !== null && isSameSpend(spend, news)

const isSameSpend = (one: Spend, other: Spend): boolean =>
  one.txid === other.txid && one.block?.hash === other.block?.hash

/** Is this news of the block that contains the output? */
export const isKnownBlock = ({ outputBlock }: OrderRecord, block: BlockRef | null): boolean =>
  outputBlock?.hash === block?.hash

/** The spend was seen or confirmed, or is in the mempool again because its block left the chain. */
export function noteSpend(order: OrderRecord, event: SpendEvent): OrderRecord {
  const { at, watermark } = event
  const block = event.type === 'SPEND_UNCONFIRMED' ? null : event.spend.block
  const spend = { ...event.spend, block }
  const isExact = isExactPayout(order.kept.offer, spend)
  const reason = spendReason(spend, isExact)
  const { settlement: _settled, ...rest } = order
  return {
    ...rest,
    reason: reasonFor(order, reason),
    spend,
    validation: {
      ...order.validation,
      ...(watermark ? { nodeTip: { height: watermark.tip.height, hash: watermark.tip.hash } } : {}),
      checkedAt: at,
      nodeStatus: 'OUTPOINT_SPENT',
      reasons: [reason],
    },
    ...(isExact ? { settlement: settlementOf(order, spend, at) } : {}),
    updatedAt: at,
  }
}

function spendReason(
  { txid, block }: Spend,
  isExact: boolean,
): ReasonOf<'SETTLED' | 'SPENT' | 'MEMPOOL_CONFLICTED'> {
  if (block === null) return `mempool_conflict ${txid}`
  return isExact ? 'settled' : 'spent'
}

/** Confirmations beyond the first are counted when an order is read. */
export const settlementOf = ({ settlement }: OrderRecord, { txid, block }: Spend, at: string) => ({
  txid,
  observedAt: settlement?.txid === txid ? settlement.observedAt : at,
  confirmations: block ? 1 : 0,
  ...(block ? { confirmedAt: new Date(block.time * 1000).toISOString() } : {}),
})

export const noteOutputBlock = (
  order: OrderRecord,
  { block }: OrderEventOf<'OUTPUT_CONFIRMED'>,
): OrderRecord => ({ ...order, outputBlock: block, indexProof: null })

/** The output lost its block: the index proof is void with it. */
export const forgetBlock = (order: OrderRecord): OrderRecord => ({
  ...order,
  outputBlock: null,
  indexProof: null,
})

/** The output lost its block, or is gone with its transaction: that alone decides the state. */
export function loseOutput(
  order: OrderRecord,
  { at, type }: OrderEventOf<'OUTPUT_UNCONFIRMED' | 'OUTPUT_GONE'>,
): OrderRecord {
  const isGone = type === 'OUTPUT_GONE'
  const reason: ReasonOf<OrderState> = isGone ? 'outpoint_missing' : 'output_unconfirmed'
  const nodeStatus = isGone ? 'OUTPOINT_MISSING' : order.validation.nodeStatus
  return {
    ...forgetBlock(order),
    reason,
    validation: { ...order.validation, checkedAt: at, nodeStatus, reasons: [reason] },
    updatedAt: at,
  }
}

/** A withdrawn order keeps its reason; what happened to its output is recorded separately. */
export const reasonFor = ({ state, reason: said }: OrderRecord, reason: string): string =>
  state === 'WITHDRAWN' ? said : reason
