import { randomUUID } from 'node:crypto'
import { openAuditSweep, SWEEP_PACE, type SweepPace } from '../actors/audit-sweep.ts'
import { openOrderWorker } from '../actors/order-worker.ts'
import { openVerifier } from '../actors/verifier.ts'
import { marketRules } from '../domain/market-rules.ts'
import { pace } from '../ports/clock.ts'
import type { EventLog } from '../ports/event-log.ts'
import { LANES } from '../ports/lanes.ts'
import type { SignatureChecker } from '../ports/signature-checker.ts'
import { inLane, type OpenAuthorities } from './authorities.ts'
import { withPartitionsBehind } from './partitions-behind.ts'
import type { RuntimeContext } from './runtime-context.ts'
import { supervise } from './supervise.ts'

export interface ActorParts {
  log: EventLog
  authorities: OpenAuthorities
  signatures: SignatureChecker
  /** Rejects every question that node and index have not answered. */
  closeAuthorities(): Promise<void>
  sweepPace?: SweepPace
}

/** The order actors of the partitions given to this process, their verifier and the audit sweep. */
export function runActors(context: RuntimeContext, parts: ActorParts): void {
  const { config, clock, logger, metrics, closer, fault } = context
  const { log, authorities, signatures, closeAuthorities, sweepPace = SWEEP_PACE } = parts
  const verifier = openVerifier({
    authorities: { signatures, clock },
    inLane: (lane) => inLane(authorities, lane),
    log,
    concurrency: config.VERIFY_CONCURRENCY,
    onFault: fault('verifier'),
  })
  metrics.watch(
    'market_verifications_waiting',
    'Orders that wait to be verified.',
    () => verifier.size,
  )
  metrics.watch('market_partitions', 'Partitions of the log.', () => log.partitions)
  const { node, index } = inLane(authorities, LANES.later)
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
  if (sweep) supervise('audit sweep', context, sweep.run)
  const openWorker = openOrderWorker({
    network: config.BITCOIN_NETWORK,
    partitions: log.partitions,
    marketOf: marketRules,
    ask: verifier.ask,
    sweep: (orders) => sweep?.add(orders),
    sweepDayMs: sweepPace.dayMs,
    onDisagreement: ({ id }, found) => {
      metrics.disagreements.inc()
      logger.error({ orderId: id, found }, 'node or index contradicts a LIVE order')
    },
    onFault: fault('order actor'),
    pace: pace(clock),
  })
  const opening = withPartitionsBehind(metrics, clock, openWorker)
  supervise('order actors', context, (signal) => log.processInbox(opening, signal))
  closer.add(async () => {
    // Shutdown does not wait for an unresponsive authority: its open questions are asked again.
    const ended = verifier.close()
    await closeAuthorities()
    await ended
  })
}
