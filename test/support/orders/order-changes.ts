import { sealChange } from '../../../src/domain/order/change-chain.ts'
import { diffOrder } from '../../../src/domain/order/order-diff.ts'
import {
  type Cause,
  type ChangeRecord,
  LOG_SCHEMA,
  type OutcomeRecord,
  type PartitionSnapshot,
  type Watermark,
} from '../../../src/schemas/log.ts'
import type { OrderRecord } from '../../../src/schemas/order-record.ts'
import type { OrderId } from '../../../src/schemas/scalars.ts'
import { toBlockHash } from '../ids.ts'
import { type Dice, PROTOCOLS, STATES, TOKENS } from './order-book.ts'

/** The change from `before` to `after`, sealed; with null before, the order's first. */
export function changeBetween(
  before: OrderRecord | null,
  after: OrderRecord,
  cause: Cause = { partition: 0, offset: 0, kind: 'command' },
): ChangeRecord {
  const { set, unset } = diffOrder(before, after)
  return sealChange({
    schema: LOG_SCHEMA,
    kind: before?.state === after.state ? 'verified' : 'transition',
    orderId: after.id,
    outpoint: after.outpoint,
    seq: (before?.seq ?? 0) + 1,
    fromState: before?.state ?? null,
    toState: after.state,
    reason: after.reason,
    actor: 'reconciler',
    observedAt: after.updatedAt,
    cause,
    evidence: null,
    set,
    unset,
    prevHash: before?.hash ?? null,
  })
}

/** The order as a view has it after these changes. */
export const settle = (order: OrderRecord, change: ChangeRecord): OrderRecord => ({
  ...order,
  seq: change.seq,
  hash: change.hash,
  attempt: 0,
  pending: null,
})

/** An order's changes from its first, with what it is after the last of them. */
export function lifeOf(versions: readonly OrderRecord[]): {
  changes: ChangeRecord[]
  order: OrderRecord
} {
  let order: OrderRecord | null = null
  const changes: ChangeRecord[] = []
  for (const version of versions) {
    const change: ChangeRecord = changeBetween(order, version)
    changes.push(change)
    order = settle(version, change)
  }
  return { changes, order: order! }
}

/** Another version of an order: what it is sorted and filtered by changes or disappears. */
export function mutated(roll: Dice, order: OrderRecord): OrderRecord {
  const { protocolId, token, quotedPriceSats, hidden: _hidden, ...rest } = order
  const at = new Date(Date.parse(order.updatedAt) + 1 + roll.below(60_000)).toISOString()
  return {
    ...rest,
    ...(roll.chance(0.8) ? { protocolId: protocolId ?? roll.of(PROTOCOLS) } : {}),
    ...(roll.chance(0.8) ? { token: roll.chance(0.3) || !token ? roll.of(TOKENS) : token } : {}),
    ...(roll.chance(0.8) ? { quotedPriceSats: quotedPriceSats ?? String(roll.below(50)) } : {}),
    ...(roll.chance(0.1) ? { hidden: { hiddenAt: at } } : {}),
    state: roll.of(STATES),
    verifiedAt: roll.chance(0.7) ? at : null,
    updatedAt: at,
  }
}

/** Which order, and which of its versions: each change makes it later. */
export const versionOf = ({ id, updatedAt }: OrderRecord): string => `${id} ${updatedAt}`

export const outcomeOf = (requestId: string, orderId: OrderId, seq = 1): OutcomeRecord => ({
  schema: LOG_SCHEMA,
  kind: 'outcome',
  requestId,
  orderId,
  outcome: { status: 'done', seq },
  cause: { partition: 0, offset: 0, kind: 'command', requestId },
})

export const watermarkOf = (n: number, at = '2026-02-01T00:00:00.000Z'): Watermark => ({
  schema: LOG_SCHEMA,
  kind: 'watermark',
  epoch: 1,
  n,
  at,
  covers: true,
  tip: { height: 900_000 + n, hash: toBlockHash('aa'.repeat(32)), medianTime: 0 },
  mempoolSequence: n,
  index: null,
  indexStatus: 'unconfigured',
  touched: '',
})

export const partitionSnapshotOf = (
  partition: number,
  n: number,
  lifecycleEnd: number,
): PartitionSnapshot => ({
  schema: LOG_SCHEMA,
  kind: 'partition',
  partition,
  seen: { epoch: 1, n },
  watermark: watermarkOf(n),
  continuousSince: { epoch: 1, n: 0 },
  lifecycleEnd,
})
