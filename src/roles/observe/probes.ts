import type { PairingService } from '../../pairing/pairing-service.ts'
import type { EventLog } from '../../ports/log/event-log.ts'
import { TOPICS } from '../../schemas/log.ts'
import type { Probe } from '../../streams/readiness/role-readiness.ts'
import type { OpenAuthorities } from '../open/authorities.ts'
import type { ReadModels } from '../open/open-read-models.ts'

/** Lifecycle records that the views may lag and still count as ready. */
const READY_WITHIN_RECORDS = 1_000

/**
 * A gateway's probes: without log and views it cannot serve. Node, index and history may be
 * unavailable: the answers say so.
 */
export const probesOf = (parts: {
  log: EventLog
  book: Pick<ReadModels, 'views' | 'history'>
  authorities: OpenAuthorities
}): Probe[] => [
  viewsProbe(parts.log, parts.book.views),
  historyProbe(parts.book.history),
  ...authorityProbes(parts.authorities),
]

/** Does the log answer? */
export const logProbe = (log: EventLog): Probe => ({
  vital: true,
  unavailable: 'log_unavailable',
  ask: async () => {
    await log.end(TOPICS.lifecycle, 0)
    return []
  },
})

/** Are the views writable, and not far behind the log? */
export const viewsProbe = (log: EventLog, views: ReadModels['views']): Probe => ({
  vital: true,
  unavailable: 'storage_unavailable',
  ask: async () => {
    await views.probe()
    const partitions = Array.from({ length: log.partitions }, (_, partition) => partition)
    const reasons = await Promise.all(
      partitions.map(async (partition) => {
        const end = await log.end(TOPICS.lifecycle, partition)
        const behind = end - (await views.position(partition))
        return behind > READY_WITHIN_RECORDS
          ? [`views_behind: partition ${partition} by ${behind} records`]
          : []
      }),
    )
    return reasons.flat()
  },
})

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
