import type { RoomBounds } from '../../domain/order/room.ts'
import type { AssetIndex } from '../../ports/authorities/asset-index.ts'
import type { FullNode } from '../../ports/authorities/full-node.ts'
import type { ProofChecker } from '../../ports/authorities/proof-checker.ts'
import type { EventLog } from '../../ports/log/event-log.ts'
import type { IngestStore } from '../../ports/log/ingest-store.ts'
import { HistoryUnavailableError } from '../../ports/views/history.ts'
import type { OrderViews } from '../../ports/views/order-views.ts'
import type { Network } from '../../schemas/scalars.ts'
import type { OnProgress } from '../log/progress.ts'
import { auditAuthorities } from './audit-authorities.ts'
import { auditHistory } from './audit-history.ts'
import { auditInbox } from './audit-inbox.ts'
import { auditLifecycle } from './audit-lifecycle.ts'
import { auditSnapshots } from './audit-snapshots.ts'
import { auditViews } from './audit-views.ts'
import type { Reach } from './folded-log.ts'
import { AuditReport } from './report.ts'
import type { AuditedHistory } from './still-history.ts'

export interface AuditedParts {
  log: EventLog
  /** Null: something writes them meanwhile. */
  views: Pick<OrderViews, 'position' | 'all'> | null
  history: AuditedHistory
  ingestStore: Pick<IngestStore, 'mempool'>
  node: FullNode | null
  index: AssetIndex | null
  network: Network
  proofs: ProofChecker
  /** Public keys whose heads of the log count; empty: whichever key a head names. */
  headKeys?: readonly string[]
  /** The bounds of the actors that wrote the log, if not the service's own. */
  room?: RoomBounds
}

/** Proves the invariants over a store that no process is writing to, or over a copy. */
export async function audit(
  parts: AuditedParts,
  onProgress: OnProgress = () => {},
): Promise<AuditReport> {
  const report = new AuditReport()
  const begin = (step: (typeof STEPS)[number]) =>
    onProgress({ step, done: STEPS.indexOf(step), all: STEPS.length })
  begin('lifecycle')
  const folded = await auditLifecycle(parts.log, await reachOf(parts), report, parts)
  begin('snapshots')
  const actors = await auditSnapshots(parts.log, folded, report)
  begin('inbox')
  await auditInbox(parts, folded, actors, report)
  begin('views')
  await auditViews(parts, folded, report)
  begin('history')
  await auditHistory(parts, folded, report)
  begin('authorities')
  await auditAuthorities(parts, folded, actors, report)
  return report
}

const STEPS = ['lifecycle', 'snapshots', 'inbox', 'views', 'history', 'authorities'] as const

/** How far each reader of each partition claims to have come. */
function reachOf({ log, views, history }: AuditedParts): Promise<Reach[]> {
  return Promise.all(
    Array.from({ length: log.partitions }, async (_, partition) => ({
      inbox: await log.consumed(partition),
      views: views ? await views.position(partition) : null,
      history: await history.position(partition).catch(unlessAway),
    })),
  )
}

function unlessAway(error: unknown): null {
  if (error instanceof HistoryUnavailableError) return null
  throw error
}
