import type { Logger } from 'pino'
import { UnavailableError } from '../../ports/base-errors.ts'
import { HistoryLostRowsError } from '../../ports/views/history.ts'
import type { Metrics } from '../observe/metrics.ts'
import type { Closer } from './closer.ts'
import type { Outages } from './outages.ts'

/**
 * Counts a fault of `part` that the service goes on after, and logs it, unless it is that of a part
 * outside of this process: such a part has its own lines.
 */
export type ReportFault = (
  part: string,
  error: unknown,
  message: string,
  details?: Readonly<Record<string, unknown>>,
) => void

export function faultReporter(parts: {
  logger: Logger
  closer: Pick<Closer, 'hasBegun'>
  metrics: Pick<Metrics, 'faults' | 'historyLosses'>
  outages: Pick<Outages, 'takes'>
}): ReportFault {
  const { logger, closer, metrics, outages } = parts
  return (part, error, message, details = {}) => {
    // A stop closes the parts, which ends the questions that are open.
    if (closer.hasBegun && error instanceof UnavailableError) return
    metrics.faults.inc({ part })
    if (error instanceof HistoryLostRowsError) metrics.historyLosses.inc()
    if (!outages.takes(error)) logger.error({ ...details, part, err: error }, message)
  }
}
