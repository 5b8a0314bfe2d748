import { AheadOfLogError, type MadeOfLog } from '../ports/log/ahead-of-log.ts'
import type { EventLog } from '../ports/log/event-log.ts'
import { TOPICS } from '../schemas/log.ts'

/**
 * Refuses a store that has followed a partition further than the log goes. The log grows past it
 * again, with other changes at these offsets: the store is refused until its position is before the
 * end that the log had.
 */
export class LogEnd {
  readonly #log: Pick<EventLog, 'end'>
  readonly #store: MadeOfLog
  readonly #partition: number
  #passed: number | null = null

  constructor(log: Pick<EventLog, 'end'>, store: MadeOfLog, partition: number) {
    this.#log = log
    this.#store = store
    this.#partition = partition
  }

  /**
   * `from`: a position that was read before this is called, since the log grows meanwhile.
   *
   * @throws AheadOfLogError
   */
  async require(from: number): Promise<void> {
    const end = this.#passed ?? (await this.#log.end(TOPICS.lifecycle, this.#partition))
    this.#passed = from > end ? end : null
    if (from > end) throw new AheadOfLogError(this.#store, this.#partition, { from, end })
  }
}
