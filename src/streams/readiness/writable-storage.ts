import type { EventLog } from '../../ports/log/event-log.ts'
import { StorageUnavailableError } from '../../ports/log/storage-errors.ts'
import type { Clock } from '../../runtime/clock.ts'
import { withTimeout } from '../../runtime/deadline.ts'
import { TOPICS } from '../../schemas/log.ts'

export interface StorageParts {
  log: Pick<EventLog, 'end'>
  views: { probe(): Promise<void> }
  clock: Clock
  /** How long the log may take to answer, milliseconds; past that it is unavailable. */
  logMs: number
}

/** The storage of a gateway: the log must accept its writes, and the views must show them. */
export const writableStorage = ({ log, views, clock, logMs }: StorageParts) => ({
  async probe(): Promise<void> {
    const [said] = await Promise.all([
      withTimeout(clock, logMs, log.end(TOPICS.inbox, 0)),
      views.probe(),
    ])
    if (said === 'late') throw new StorageUnavailableError('io', 'the log does not answer')
  },
})
