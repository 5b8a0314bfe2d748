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
import type { Foundation } from './foundation.ts'
import { supervise } from './supervise.ts'

export interface ActorParts {
  log: EventLog
  authorities: OpenAuthorities
  signatures: SignatureChecker
  /** Ends every question that node and index have not answered. */
  closeAuthorities(): Promise<void>
  sweepPace?: SweepPace
}

/** The order actors of the partitions that this process gets, their verifier and the audit sweep. */
export function runActors(foundation: Foundation, parts: ActorParts): void {
  const { config, clock, logger, metrics, closer, fault } = foundation
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
  if (sweep) supervise('audit sweep', foundation, sweep.run)
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
  supervise('order actors', foundation, (signal) => log.processInbox(openWorker, signal))
  closer.add(async () => {
    // Nobody waits at the end for an authority that keeps silent: what it would say is asked again.
    const ended = verifier.close()
    await closeAuthorities()
    await ended
  })
}
