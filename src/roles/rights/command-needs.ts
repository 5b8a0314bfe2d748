import { ALL_KAFKA_TOPICS, OWN_TOPICS } from '../../adapters/kafka/client/names.ts'
import { COPIED_TOPICS, TRIMMED_TOPICS } from '../../adapters/kafka/copy/copied-topics.ts'
import { TOPICS } from '../../schemas/log.ts'
import { logUse, type ServerNeeds } from './server-needs.ts'

const { inbox, lifecycle, snapshots, dead, heads } = TOPICS

/**
 * What each command does with Kafka, Redis and the history, named as it is typed. `start` has the needs of
 * its role; a command that is not here opens none.
 */
export const COMMAND_NEEDS = {
  audit: {
    kafka: logUse({
      reads: [inbox, lifecycle, snapshots, dead, heads, OWN_TOPICS.ingest],
      asks: ['orders'],
    }),
    redis: ['examine', 'readViews'],
    history: ['read'],
  },
  // It tries in Redis what the role of the configuration needs there: see `needsOfCommand`.
  doctor: { kafka: logUse({ asks: ['orders'] }), redis: ['examine', 'clock'], history: ['read'] },
  tail: { kafka: logUse({ reads: Object.values(TOPICS) }), redis: null, history: null },
  lag: {
    kafka: logUse({ reads: [inbox, lifecycle], asks: ['orders'] }),
    redis: ['examine', 'readViews'],
    history: ['read'],
  },
  'upgrade status': { kafka: logUse({}), redis: null, history: null },
  'upgrade finish': {
    kafka: logUse({ appends: [OWN_TOPICS.settings] }),
    redis: null,
    history: null,
  },
  usage: { kafka: logUse({ reads: ALL_KAFKA_TOPICS }), redis: ['sizes'], history: ['read'] },
  dispute: {
    kafka: logUse({ reads: [lifecycle] }),
    redis: ['examine', 'readViews', 'readPool'],
    history: ['read'],
  },
  'replay history': {
    kafka: logUse({ reads: [lifecycle] }),
    redis: null,
    history: ['writeOrders'],
  },
  'replay inbox': {
    kafka: logUse({ reads: [inbox, lifecycle, snapshots], asks: ['orders'] }),
    redis: null,
    history: null,
  },
  'dlq list': { kafka: logUse({ reads: [dead] }), redis: null, history: null },
  'dlq show': { kafka: logUse({ reads: [dead, inbox] }), redis: null, history: null },
  'dlq retry': {
    kafka: logUse({ reads: [dead, inbox], appends: [dead, inbox], transacts: ['appends'] }),
    redis: null,
    history: null,
  },
  backup: { kafka: logUse({ reads: COPIED_TOPICS }), redis: null, history: null },
  restore: {
    kafka: logUse({
      ...{ reads: COPIED_TOPICS, appends: COPIED_TOPICS, cuts: TRIMMED_TOPICS },
      ...{ creates: true, joins: ['orders'], transacts: ['appends'] },
    }),
    redis: null,
    history: null,
  },
  'rebuild views': {
    kafka: logUse({ reads: [lifecycle] }),
    redis: ['examine', 'readViews', 'writeViews', 'rebuildViews'],
    history: null,
  },
  query: { kafka: null, redis: null, history: ['read'] },
  export: { kafka: null, redis: null, history: ['read'] },
} as const satisfies Record<string, ServerNeeds>

/** A command that opens Kafka, Redis or the history. */
export type ServerCommand = keyof typeof COMMAND_NEEDS
export const SERVER_COMMANDS = Object.keys(COMMAND_NEEDS) as ServerCommand[]
