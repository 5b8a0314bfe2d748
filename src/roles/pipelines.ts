import { randomUUID } from 'node:crypto'
import type { Logger } from 'pino'
import { openAuditSweep, SWEEP_PACE, type SweepPace } from '../actors/audit-sweep.ts'
import { openOrderWorker } from '../actors/order-worker.ts'
import { openVerifier } from '../actors/verifier.ts'
import { marketRules } from '../domain/market-rules.ts'
import { type Clock, pace } from '../ports/clock.ts'
import type { SignatureChecker } from '../ports/signature-checker.ts'
import { projectHistory } from '../projections/project-history.ts'
import { projectViews } from '../projections/project-views.ts'
import type { ProjectionFailure } from '../projections/retry.ts'
import type { Config } from '../schemas/config.ts'
import { TOPICS } from '../schemas/log.ts'
import { ingest } from '../streams/ingest.ts'
import type { OpenAuthorities } from './authorities.ts'
import type { Closer } from './closer.ts'
import type { Metrics } from './metrics.ts'
import type { Stores } from './stores.ts'
import { supervise } from './supervise.ts'

/** Lifecycle records that the views may be behind and still count as ready. */
const READY_WITHIN_RECORDS = 1_000

export interface PipelineParts {
  stores: Stores
  authorities: OpenAuthorities
  signatures: SignatureChecker
  clock: Clock
  logger: Logger
  metrics: Metrics
  closer: Closer
  /** Ends every question that node and index have not answered. */
  closeAuthorities(): Promise<void>
  sweepPace?: SweepPace
}

export interface Pipelines {
  /** Why this process should get no traffic yet; empty when it should. */
  unreadiness(): Promise<readonly string[]>
}

/** Everything that moves by itself: ingest, the order actors, their verifier, the projections. */
export function runPipelines(config: Config, parts: PipelineParts): Pipelines {
  const {
    stores,
    authorities,
    signatures,
    clock,
    logger,
    metrics,
    closer,
    closeAuthorities,
    sweepPace = SWEEP_PACE,
  } = parts
  const { log, views, history, ingestStore } = stores
  const fault = (part: string) => (error: unknown) => {
    metrics.faults.inc({ part })
    logger.error({ part, err: error }, 'a fault was survived')
  }

  const verifier = openVerifier({
    authorities: { ...authorities, signatures, clock },
    log,
    concurrency: config.VERIFY_CONCURRENCY,
    onFault: fault('verifier'),
  })
  metrics.watch(
    'market_verifications_waiting',
    'Orders that wait to be verified.',
    () => verifier.size,
  )

  const { node, index } = authorities
  const sweep = node
    ? openAuditSweep({
        node,
        index,
        log,
        clock,
        ...sweepPace,
        newRequestId: randomUUID,
        onFault: fault('audit sweep'),
      })
    : null
  if (sweep) supervise('audit sweep', parts, sweep.run)

  const failure = (part: string) => ({
    onFailure: ({ projection, error, retryInMs }: ProjectionFailure) => {
      metrics.faults.inc({ part })
      logger.error({ part, projection, err: error, retryInMs }, 'a projection is tried again')
    },
  })
  supervise('views', parts, (signal) =>
    projectViews({ log, views, clock, ...failure('views') }, signal),
  )
  supervise('history', parts, (signal) =>
    projectHistory({ log, history, clock, ...failure('history') }, signal),
  )
  const openWorker = openOrderWorker({
    network: config.BITCOIN_NETWORK,
    partitions: log.partitions,
    marketOf: marketRules,
    ask: verifier.ask,
    sweep: (orders) => sweep?.add(orders),
    sweepDayMs: sweepPace.dayMs,
    onDisagreement: ({ id }, found) => {
      metrics.disagreements.inc()
      logger.error({ orderId: id, found }, 'node or index contradict a LIVE order')
    },
    onFault: fault('order actor'),
    pace: pace(clock),
  })
  supervise('order actors', parts, (signal) => log.processInbox(openWorker, signal))
  if (node) {
    const sources = { log, store: ingestStore, node, index, clock, onMetric: metrics.ingest }
    supervise('ingest', parts, (signal) => ingest(sources, signal))
  }
  closer.add(async () => {
    // Nobody waits at the end for an authority that keeps silent: what it would say is asked again.
    const ended = verifier.close()
    await closeAuthorities()
    await ended
  })
  return { unreadiness: () => unreadiness(stores) }
}

async function unreadiness({ log, views }: Stores): Promise<string[]> {
  const reasons: string[] = []
  await views.probe().catch(() => reasons.push('storage_unavailable'))
  for (let partition = 0; partition < log.partitions; partition += 1) {
    const behind = (await log.end(TOPICS.lifecycle, partition)) - (await views.position(partition))
    if (behind > READY_WITHIN_RECORDS) {
      reasons.push(`views_behind: partition ${partition} by ${behind} records`)
    }
  }
  return reasons
}
