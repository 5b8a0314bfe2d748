import type { z } from 'zod'
import { StateFeedRecord } from '../../schemas/api/circles.ts'
import { CheckpointFeedRecord } from '../../schemas/api/pairing.ts'
import { KeyRecord } from '../../schemas/customers/key-records.ts'
import {
  BlockFeedRecord,
  DeadRecord,
  InboxRecord,
  IndexFeedRecord,
  LifecycleRecord,
  MempoolFeedRecord,
  SnapshotRecord,
  TOPICS,
  type Topic,
} from '../../schemas/log.ts'
import { SignedHead } from '../../schemas/log-head.ts'
import type { OrderId, OutpointText } from '../../schemas/scalars.ts'
import { WebhookRecord } from '../../schemas/webhooks/webhook-records.ts'
import { inboxPlaceText } from './place.ts'

/** A record's subject, in words and for filters. */
export interface Described {
  kind: string
  /** When it was written, if it says so. */
  at: string | null
  what: string
  orderId: OrderId | null
  outpoint: OutpointText | null
}

type Description = Partial<Omit<Described, 'kind'>> & { what: string }

/** For each topic the shape of its records, and their description. */
const DESCRIBERS: Record<Topic, (value: unknown, partition: number) => Described | null> = {
  [TOPICS.blocks]: describer(BlockFeedRecord, ({ block, txCount }) => ({
    what: `block ${block.height} ${block.hash}, ${txCount} transactions`,
  })),
  [TOPICS.mempool]: describer(MempoolFeedRecord, (record) => ({
    what:
      record.kind === 'resynchronised'
        ? `mempool at sequence ${record.mempoolSequence}`
        : `transaction ${record.txid}`,
  })),
  [TOPICS.index]: describer(IndexFeedRecord, ({ at }) => ({
    what: `index at block ${at.height} ${at.hash}, ${at.version}`,
  })),
  [TOPICS.inbox]: describer(InboxRecord, describeInbox),
  [TOPICS.lifecycle]: describer(LifecycleRecord, describeLifecycle),
  [TOPICS.snapshots]: describer(SnapshotRecord, (record) =>
    record.kind === 'order'
      ? {
          what: `order ${record.order.id} ${record.order.state} at seq ${record.order.seq}`,
          orderId: record.order.id,
          outpoint: record.order.outpoint,
        }
      : { what: `partition ${record.partition}, lifecycle up to ${record.lifecycleEnd}` },
  ),
  [TOPICS.dead]: describer(DeadRecord, (record, partition) => {
    const place = inboxPlaceText({ partition, offset: record.offset })
    return record.kind === 'dead'
      ? { what: `inbox ${place}: ${record.reason}` }
      : { what: `inbox ${place}, to partition ${record.toPartition}`, at: record.at }
  }),
  [TOPICS.heads]: describer(SignedHead, ({ at, count, from, offset }) => ({
    at,
    what: `${count} records of the lifecycle, from offset ${from} to ${offset}`,
  })),
  [TOPICS.checkpoints]: describer(CheckpointFeedRecord, (record) => {
    const what = `block ${record.block.height} ${record.block.hash}`
    if (record.kind === 'disconnected') return { what }
    const { tuple, envelope } = record
    const signed = envelope ? `signed with ${envelope.keyId}` : 'not signed'
    return { what: `${what}, checkpoint ${tuple.checkpointHash}, ${signed}` }
  }),
  [TOPICS.states]: describer(StateFeedRecord, ({ state }) => ({
    what: `revision ${state.revision}, state ${state.stateHash}, block ${state.height} ${state.blockHash}`,
  })),
  [TOPICS.webhooks]: describer(WebhookRecord, (record) => ({
    what: `webhook ${record.name}, generation ${record.generation}`,
    at: record.kind === 'endpoint' ? (record.deletedAt ?? record.createdAt) : record.at,
  })),
  [TOPICS.keys]: describer(KeyRecord, (record) =>
    record.kind === 'key'
      ? {
          what: `key ${record.name}, tier ${record.tier}${record.revokedAt ? ', revoked' : ''}`,
          at: record.revokedAt ?? record.createdAt,
        }
      : { what: `secret of key ${record.name}`, at: record.madeAt },
  ),
}

/** For each topic the name of the shape of its records, in `src/schemas`. */
export const RECORD_SCHEMAS: Readonly<Record<Topic, string>> = {
  [TOPICS.blocks]: 'BlockFeedRecord',
  [TOPICS.mempool]: 'MempoolFeedRecord',
  [TOPICS.index]: 'IndexFeedRecord',
  [TOPICS.inbox]: 'InboxRecord',
  [TOPICS.lifecycle]: 'LifecycleRecord',
  [TOPICS.snapshots]: 'SnapshotRecord',
  [TOPICS.dead]: 'DeadRecord',
  [TOPICS.heads]: 'SignedHead',
  [TOPICS.checkpoints]: 'CheckpointFeedRecord',
  [TOPICS.states]: 'StateFeedRecord',
  [TOPICS.webhooks]: 'WebhookRecord',
  [TOPICS.keys]: 'KeyRecord',
}

/** A record that this release cannot read is described as such. */
export const describeRecord = (topic: Topic, partition: number, value: unknown): Described =>
  DESCRIBERS[topic](value, partition) ?? {
    kind: 'unreadable',
    at: null,
    what: JSON.stringify(value).slice(0, 120),
    orderId: null,
    outpoint: null,
  }

function describer<S extends z.ZodType<{ kind: string }>>(
  schema: S,
  describe: (record: z.infer<S>, partition: number) => Description,
) {
  return (value: unknown, partition: number): Described | null => {
    const { data: record } = schema.safeParse(value)
    if (!record) return null
    const description = describe(record, partition)
    return { kind: record.kind, at: null, orderId: null, outpoint: null, ...description }
  }
}

function describeInbox(record: InboxRecord): Description {
  const { at } = record
  switch (record.kind) {
    case 'output':
      return { at, outpoint: record.outpoint, what: `${record.change} ${record.outpoint}` }
    case 'spend': {
      const { change, outpoint, spend } = record
      return { at, outpoint, what: `${change} ${outpoint} by ${spend.txid}` }
    }
    case 'command': {
      const { command, orderId, outpoint, requestId } = record
      return { at, orderId, outpoint, what: `${command} ${orderId}, request ${requestId}` }
    }
    case 'evidence': {
      const { orderId, outpoint, attempt } = record
      return { at, orderId, outpoint, what: `for ${orderId}, attempt ${attempt}` }
    }
    case 'watermark': {
      const { covers, tip, indexStatus } = record
      const reach = covers ? 'covers' : 'does not cover'
      return { at, what: `${reach} block ${tip.height} ${tip.hash}, index ${indexStatus}` }
    }
    case 'renewal': {
      const { upTo, doubted } = record
      return { at, what: `LIVE orders up to ${upTo}, ${doubted.length} of them in doubt` }
    }
  }
}

function describeLifecycle(record: LifecycleRecord): Description {
  const { orderId } = record
  if (record.kind === 'outcome') {
    const { outcome, requestId } = record
    const verdict = outcome.status === 'done' ? `seq ${outcome.seq}` : outcome.code
    return { orderId, what: `${orderId}, request ${requestId}: ${outcome.status}, ${verdict}` }
  }
  const { seq, fromState, toState, reason, actor, operator, observedAt: at, outpoint } = record
  const step = fromState === toState ? toState : `${fromState ?? '(new)'} → ${toState}`
  const who = operator === undefined ? actor : `${actor} ${operator}`
  return { at, orderId, outpoint, what: `${orderId} seq ${seq} ${step}: ${reason}, by ${who}` }
}
