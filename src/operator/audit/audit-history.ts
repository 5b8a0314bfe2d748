import type { EventLog } from '../../ports/log/event-log.ts'
import { HistoryUnavailableError } from '../../ports/views/history.ts'
import { TOPICS } from '../../schemas/log.ts'
import type { FoldedLog } from './folded-log.ts'
import type { AuditReport } from './report.ts'
import { type AuditedHistory, activityPages } from './still-history.ts'

interface HistoryParts {
  log: EventLog
  history: AuditedHistory
}

/**
 * I6: up to where the history claims to be complete, it has every change of the log exactly once
 * and no others, and each transition equals the log's, as do those beyond; I12: it claims no more
 * than the log has.
 */
export async function auditHistory(
  parts: HistoryParts,
  folded: FoldedLog,
  report: AuditReport,
): Promise<void> {
  try {
    await auditReach(parts, folded, report)
    await auditRows(parts.history, folded, report)
    await auditActivity(parts.history, folded, report)
  } catch (error) {
    if (!(error instanceof HistoryUnavailableError)) throw error
    report.skip('I6', `the history is unavailable: ${error.message}`)
  }
}

async function auditReach(
  { log }: HistoryParts,
  { reach, behind }: FoldedLog,
  report: AuditReport,
) {
  for (const [partition, { history }] of reach.entries()) {
    if (history === null) continue
    const end = await log.end(TOPICS.lifecycle, partition)
    report.check(
      'I12',
      history <= end,
      () => `partition ${partition}: the history is at ${history}, but the log ends at ${end}`,
    )
  }
  if (behind.history > 0) report.note(`the history is ${behind.history} changes behind the log`)
}

async function auditRows(history: AuditedHistory, folded: FoldedLog, report: AuditReport) {
  const unseen = new Map([...folded.sound()].filter(([, { rows }]) => rows > 0))
  for await (const { orderId, rows, maxSeq } of history.summary()) {
    unseen.delete(orderId)
    if (folded.broken.has(orderId)) continue
    const inLog = folded.orders.get(orderId) ?? { rows: 0, rowsSeq: 0 }
    report.check(
      'I6',
      rows === inLog.rows && maxSeq === inLog.rowsSeq,
      () =>
        `${orderId} has ${rows} rows up to seq ${maxSeq} in the history, but ${inLog.rows} up to seq ${inLog.rowsSeq} in the log`,
    )
  }
  for (const id of unseen.keys())
    report.check('I6', false, () => `${id} has no rows in the history`)
}

async function auditActivity(history: AuditedHistory, folded: FoldedLog, report: AuditReport) {
  const unseen = new Set(folded.activity.keys())
  const later = new Map(folded.laterActivity)
  for await (const entries of activityPages(history)) {
    for (const entry of entries) {
      if (folded.broken.has(entry.orderId)) continue
      const { id } = entry
      const inLog = unseen.delete(id) ? folded.activity.get(id) : later.get(id)
      later.delete(id)
      const isSame = inLog === JSON.stringify(entry)
      report.check('I6', isSame, () => `the activity ${id} differs from the log`)
    }
  }
  for (const id of unseen) {
    const [orderId = ''] = id.split(':')
    if (folded.broken.has(orderId)) continue
    report.check('I6', false, () => `the activity ${id} is not in the history`)
  }
}
