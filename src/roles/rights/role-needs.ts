import { OWN_TOPICS } from '../../adapters/kafka/client/names.ts'
import type { Role } from '../../schemas/config/config.ts'
import { TOPICS } from '../../schemas/log.ts'
import { logUse, type ServerNeeds } from './server-needs.ts'

const { blocks, mempool, index, inbox, lifecycle, snapshots } = TOPICS
const { dead, checkpoints, states, webhooks, keys, heads } = TOPICS

/** A part of the service; each creates the topics that it finds missing. */
const part = (use: Parameters<typeof logUse>[0]) => logUse({ creates: true, ...use })

type RolePart = Exclude<Role, 'all'>

/** What each part of the service does with Kafka, Redis and the history. */
export const PART_NEEDS: Readonly<Record<RolePart, ServerNeeds>> = {
  gateway: {
    kafka: part({
      // Operators may read any record.
      reads: Object.values(TOPICS),
      appends: [inbox, dead, webhooks, keys],
      asks: ['orders'],
      transacts: ['appends'],
    }),
    redis: [
      ...(['examine', 'serve', 'readViews', 'idempotency', 'builds', 'pool', 'counts'] as const),
      'readDeliveries',
    ],
    history: ['read'],
  },
  ingest: {
    kafka: part({
      reads: [lifecycle, OWN_TOPICS.ingest],
      appends: [inbox, blocks, mempool, index, OWN_TOPICS.ingest],
      joins: ['ingest'],
      transacts: ['ingest'],
    }),
    redis: null,
    history: null,
  },
  actors: {
    kafka: part({
      reads: [inbox, lifecycle, snapshots, heads],
      appends: [inbox, lifecycle, snapshots, dead, heads],
      joins: ['orders'],
      transacts: ['orders'],
    }),
    redis: null,
    history: null,
  },
  projector: {
    kafka: part({ reads: [lifecycle, snapshots] }),
    redis: ['examine', 'serve', 'readViews', 'writeViews'],
    history: ['writeOrders'],
  },
  webhooks: {
    kafka: part({ reads: [lifecycle, webhooks], appends: [webhooks], joins: ['webhooks'] }),
    redis: ['examine', 'serve', 'readViews', 'deliver'],
    history: null,
  },
  pairing: {
    kafka: part({ appends: [checkpoints], transacts: ['appends'] }),
    redis: null,
    history: ['writePairing'],
  },
  circles: {
    kafka: part({ appends: [states], transacts: ['appends'] }),
    redis: null,
    history: null,
  },
}

const PARTS = Object.keys(PART_NEEDS) as RolePart[]

/** The needs of a role: of one part, or of all parts in one process. */
export function needsOfRole(role: Role): ServerNeeds[] {
  return role === 'all' ? PARTS.map((one) => PART_NEEDS[one]) : [PART_NEEDS[role]]
}
