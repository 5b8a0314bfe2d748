import { isDeepStrictEqual } from 'node:util'
import type { AssetIndex } from '../../ports/asset-index.ts'
import type { EventLog } from '../../ports/event-log.ts'
import type { FullNode } from '../../ports/full-node.ts'
import type { History } from '../../ports/history.ts'
import type { OrderViews } from '../../ports/order-views.ts'
import type { Network } from '../../schemas/scalars.ts'
import { auditAuthorities } from './audit-authorities.ts'
import { auditLog, type FoldedLog } from './audit-log.ts'
import { auditReplay } from './audit-replay.ts'
import { AuditReport } from './report.ts'

export interface AuditedParts {
  log: EventLog
  views: OrderViews
  history: History
  node: FullNode | null
  index: AssetIndex | null
  network: Network
}

/** Proves the invariants over a store that nobody writes to meanwhile. */
export async function audit(parts: AuditedParts): Promise<AuditReport> {
  const report = new AuditReport()
  const folded = await auditLog(parts.log, report)
  await auditViews(parts.views, folded, report)
  await auditHistory(parts.history, folded, report)
  await auditReplay(parts.log, parts.network, folded, report)
  await auditAuthorities(parts, folded, report)
  return report
}

async function auditViews(views: OrderViews, { orders }: FoldedLog, report: AuditReport) {
  const unseen = new Set(orders.keys())
  for await (const view of views.all()) {
    unseen.delete(view.id)
    report.check(
      'I5',
      isDeepStrictEqual(view, orders.get(view.id)),
      () => `the view of ${view.id} at seq ${view.seq} is not the fold of the log`,
    )
  }
  for (const id of unseen) report.check('I5', false, () => `${id} has no view`)
}

async function auditHistory(history: History, { changes, orders }: FoldedLog, report: AuditReport) {
  const unseen = new Set(orders.keys())
  try {
    for await (const { orderId, rows, maxSeq } of history.summary()) {
      unseen.delete(orderId)
      const expected = changes.get(orderId) ?? 0
      report.check(
        'I6',
        rows === expected && maxSeq === orders.get(orderId)?.seq,
        () =>
          `${orderId} has ${rows} rows up to seq ${maxSeq} in the history, ${expected} in the log`,
      )
    }
    for (const id of unseen) report.check('I6', false, () => `${id} has no history`)
  } catch (error) {
    report.skip('I6', error instanceof Error ? error.message : String(error))
  }
}
