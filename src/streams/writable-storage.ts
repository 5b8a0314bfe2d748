import type { Clock } from '../ports/clock.ts'
import type { EventLog } from '../ports/event-log.ts'
import { StorageUnavailable } from '../ports/storage-errors.ts'
import { TOPICS } from '../schemas/log.ts'
import { within } from './within.ts'

export interface StorageParts {
  log: Pick<EventLog, 'end'>
  views: { probe(): Promise<void> }
  clock: Clock
  /** For the log to answer, milliseconds; a silent one is away. */
  logMs: number
}

/** The storage of a gateway: what it writes to the log must be taken, and come back in the views. */
export const writableStorage = ({ log, views, clock, logMs }: StorageParts) => ({
  async probe(): Promise<void> {
    const [said] = await Promise.all([
      within(clock, logMs, log.end(TOPICS.inbox, 0)),
      views.probe(),
    ])
    if (said === 'late') throw new StorageUnavailable('io', 'the log keeps silent')
  },
})
