import { randomUUID } from 'node:crypto'
import { Counter } from 'prom-client'
import { openOrderWorker } from '../../actors/order-worker.ts'
import { openAuditSweep, SWEEP_PACE, type SweepPace } from '../../actors/sweep/audit-sweep.ts'
import { openRenewer } from '../../actors/sweep/renewer.ts'
import { openVerifier } from '../../actors/verifier.ts'
import { marketRules } from '../../domain/catalog/market-rules.ts'
import type { ProofChecker } from '../../ports/authorities/proof-checker.ts'
import type { SignatureChecker } from '../../ports/authorities/signature-checker.ts'
import type { EventLog, OpenWorker, WorkerOutput } from '../../ports/log/event-log.ts'
import { LANES } from '../../runtime/lanes.ts'
import { pace } from '../../runtime/time-slice.ts'
import type { RuntimeContext } from '../context/runtime-context.ts'
import { supervise } from '../context/supervise.ts'
import type { Metrics } from '../observe/metrics.ts'
import { withPartitionsBehind } from '../observe/partitions-behind.ts'
import { inLane, type OpenAuthorities } from '../open/authorities.ts'

export interface ActorParts {
  log: EventLog
  authorities: OpenAuthorities
  signatures: SignatureChecker & ProofChecker
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
  const first = inLane(authorities, LANES.first)
  const renewer = first.node
    ? openRenewer({ node: first.node, index: first.index, log, clock, onFault: fault('renewals') })
    : null
  metrics.watch(
    'market_renewals_waiting',
    'LIVE orders that lost continuity and are being rechecked in batches.',
    () => renewer?.size ?? 0,
  )
  metrics.watch(
    'market_verifications_waiting',
    'Orders waiting to be verified.',
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
    proofs: signatures,
    ask: verifier.ask,
    renew: (question) => renewer?.renew(question),
    sweep: (orders, turn) => sweep?.add(orders, turn),
    ...(sweep && { sweepRoom: sweep.room }),
    sweepDayMs: sweepPace.dayMs,
    onDisagreement: ({ id }, found) => {
      metrics.disagreements.inc()
      logger.error({ orderId: id, found }, 'node or index disagrees with a LIVE order')
    },
    onFault: fault('order actor'),
    monotonic: () => clock.monotonic(),
    pace: pace(clock),
  })
  const counted = countDeadLetters(metrics, openWorker)
  const opening = withPartitionsBehind(metrics, clock, counted)
  supervise('order actors', context, (signal) => log.processInbox(opening, signal))
  closer.add(async () => {
    // Shutdown does not wait for an unresponsive authority: its open questions are asked again.
    const ended = Promise.all([verifier.close(), renewer?.close()])
    await closeAuthorities()
    await ended
  })
}

/** Workers whose dead letters are counted: records that could be neither understood nor written. */
function countDeadLetters({ registry }: Pick<Metrics, 'registry'>, open: OpenWorker): OpenWorker {
  const letters = new Counter({
    name: 'market_dead_letters_total',
    help: 'Records of the inbox that became dead letters.',
    registers: [registry],
  })
  const counted = (output: WorkerOutput): WorkerOutput => {
    letters.inc(output.dead.length)
    return output
  }
  return async (state) => {
    const worker = await open(state)
    const setAside = worker.setAside?.bind(worker)
    return {
      step: async (batch) => counted(await worker.step(batch)),
      ...(setAside && {
        setAside: async (record, reason) => counted(await setAside(record, reason)),
      }),
      committed: () => worker.committed(),
      close: () => worker.close(),
    }
  }
}
