import type { PairingService } from '../../pairing/pairing-service.ts'
import type { EventLog } from '../../ports/log/event-log.ts'
import { TOPICS } from '../../schemas/log.ts'
import type { Probe } from '../../streams/readiness/role-readiness.ts'
import type { OpenAuthorities } from '../open/authorities.ts'
import type { ReadModels } from '../open/open-read-models.ts'

/** Lifecycle records that the views may lag and still count as ready. */
const READY_WITHIN_RECORDS = 1_000

/**
 * A gateway's probes: it should get traffic while this process can answer reads. Everything else may
 * be away: POST answers 503 by itself, and every answer says how old it is.
 */
export const probesOf = (parts: {
  log: EventLog
  book: Pick<ReadModels, 'views' | 'history' | 'sharedCounts'>
  authorities: OpenAuthorities
}): Probe[] => [
  readableProbe(parts.book.views),
  writableProbe(parts.book),
  levelProbe(parts.log, parts.book.views),
  historyProbe(parts.book.history),
  ...authorityProbes(parts.authorities),
]

/** Can the current views be read, and listed? */
const readableProbe = (views: ReadModels['views']): Probe => ({
  vital: true,
  unavailable: 'storage_unavailable',
  ask: async () => {
    await views.freshness()
    return views.listable ? [] : ['lists_loading']
  },
})

/** Would a write be durable now? Where requests are counted in the store, a read is one. */
const writableProbe = ({
  views,
  sharedCounts,
}: Pick<ReadModels, 'views' | 'sharedCounts'>): Probe => ({
  ...(sharedCounts
    ? { vital: true, unavailable: 'storage_unavailable' }
    : { vital: false, unavailable: 'storage_read_only' }),
  ask: async () => {
    await views.probe()
    return []
  },
})

/** Does the log answer, and are the views not far behind it? */
const levelProbe = (log: EventLog, views: ReadModels['views']): Probe => ({
  vital: false,
  unavailable: 'log_unavailable',
  ask: async () => {
    const ends = await endsOf(log)
    // Views that cannot be read have a probe of their own.
    return await behind(views, ends).catch(() => [])
  },
})

/** Does the log answer? */
export const logProbe = (log: EventLog): Probe => ({
  vital: true,
  unavailable: 'log_unavailable',
  ask: async () => {
    await log.end(TOPICS.lifecycle, 0)
    return []
  },
})

/** For what folds the log or sends it on: are the views writable, and not far behind the log? */
export const viewsProbe = (log: EventLog, views: ReadModels['views']): Probe => ({
  vital: true,
  unavailable: 'storage_unavailable',
  ask: async () => {
    await views.probe()
    return await behind(views, await endsOf(log))
  },
})

/** The ends of the lifecycle, by partition. */
const endsOf = (log: EventLog): Promise<number[]> =>
  Promise.all(
    Array.from({ length: log.partitions }, (_, partition) => log.end(TOPICS.lifecycle, partition)),
  )

async function behind(views: ReadModels['views'], ends: readonly number[]): Promise<string[]> {
  const reasons = await Promise.all(
    ends.map(async (end, partition) => {
      const records = end - (await views.position(partition))
      return records > READY_WITHIN_RECORDS
        ? [`views_behind: partition ${partition} by ${records} records`]
        : []
    }),
  )
  return reasons.flat()
}

export const historyProbe = (history: ReadModels['history']): Probe => ({
  vital: false,
  unavailable: 'history_unavailable',
  ask: async () => {
    await history.probe()
    return []
  },
})

/** A pairing pipeline that runs alone gets traffic when all of its gates pass. */
export const pairingProbe = (service: Pick<PairingService, 'readiness'>): Probe => ({
  vital: true,
  unavailable: 'pairing_unavailable',
  ask: async () => (await service.readiness()).reasons,
})

/** Node and index, if configured. */
export function authorityProbes({ node, index }: OpenAuthorities): Probe[] {
  const probe = (unavailable: string, ask: () => Promise<unknown>): Probe => ({
    vital: false,
    unavailable,
    ask: () => ask().then(() => []),
  })
  return [
    ...(node ? [probe('node_unavailable', () => node.chain())] : []),
    ...(index ? [probe('index_unavailable', () => index.status())] : []),
  ]
}
