import type { EventLog, NewRecord, Stored } from '../../../src/ports/log/event-log.ts'
import type { Topic } from '../../../src/schemas/log.ts'

/** The log interface that ingest needs, with everything appended in one readable order. */
export class MemoryLog implements Pick<EventLog, 'append' | 'partitions' | 'end' | 'stored'> {
  readonly records: NewRecord[] = []
  readonly partitions: number

  constructor(partitions = 4) {
    this.partitions = partitions
  }

  async append(records: readonly NewRecord[]): Promise<void> {
    this.records.push(...records)
  }

  async end(topic: Topic, partition: number): Promise<number> {
    return this.#of(topic, partition).length
  }

  async *stored(
    topic: Topic,
    partition: number,
    from: number,
  ): AsyncGenerator<readonly Stored<unknown>[]> {
    const records = this.#of(topic, partition).slice(from)
    yield records.map(({ value }, at) => ({ partition, offset: from + at, value }))
  }

  #of(topic: Topic, partition: number): NewRecord[] {
    return this.records.filter((record) => record.topic === topic && record.partition === partition)
  }
}
