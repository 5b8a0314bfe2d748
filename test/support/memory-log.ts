import type { EventLog, NewRecord } from '../../src/ports/event-log.ts'

/** What ingest asks of a log, with everything appended in one readable order. */
export class MemoryLog implements Pick<EventLog, 'append' | 'partitions'> {
  readonly records: NewRecord[] = []
  readonly partitions: number

  constructor(partitions = 4) {
    this.partitions = partitions
  }

  async append(records: readonly NewRecord[]): Promise<void> {
    this.records.push(...records)
  }
}
