import { isDeepStrictEqual } from 'node:util'
import type { EventLog } from '../../ports/log/event-log.ts'
import type { OrderViews } from '../../ports/views/order-views.ts'
import { TOPICS } from '../../schemas/log.ts'
import type { FoldedLog } from './folded-log.ts'
import type { AuditReport } from './report.ts'

const WRITTEN_MEANWHILE =
  'a service writes the views in Redis meanwhile: stop it to compare them with the log'

/** I5: each view is the fold of the changes it claims to have; I12: none that the log lacks. */
export async function auditViews(
  { log, views }: { log: EventLog; views: Pick<OrderViews, 'all'> | null },
  folded: FoldedLog,
  report: AuditReport,
): Promise<void> {
  if (!views) {
    for (const invariant of ['I5', 'I12'] as const) report.skip(invariant, WRITTEN_MEANWHILE)
    return
  }
  for (const [partition, { views: reached }] of folded.reach.entries()) {
    if (reached === null) continue
    const end = await log.end(TOPICS.lifecycle, partition)
    report.check(
      'I12',
      reached <= end,
      () => `partition ${partition}: the views are at ${reached}, but the log ends at ${end}`,
    )
  }
  const unseen = new Map([...folded.sound()].filter(([, { viewed }]) => viewed !== null))
  for await (const view of views.all()) {
    unseen.delete(view.id)
    if (folded.broken.has(view.id)) continue
    report.check(
      'I5',
      isDeepStrictEqual(view, folded.orders.get(view.id)?.viewed ?? null),
      () => `the view of ${view.id} at seq ${view.seq} is not the fold of the log`,
    )
  }
  for (const id of unseen.keys()) report.check('I5', false, () => `${id} has no view`)
  const { behind } = folded
  if (behind.views > 0) report.note(`the views are ${behind.views} changes behind the log`)
}
