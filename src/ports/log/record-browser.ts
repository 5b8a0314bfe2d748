import type { Topic } from '../../schemas/log.ts'

/** What a log keeps of a topic. */
export interface BrowsedTopic {
  topic: Topic
  /** The first offset that is still there, and that of the next record, of each partition. */
  ranges: readonly BrowsedRange[]
  /** Null: the log does not know what it takes. */
  bytes: number | null
  /** What becomes of old records; `afterMs` only where they are deleted by age. */
  cleanUp: { policy: 'delete' | 'compact' | 'keep'; afterMs: number | null }
}

export interface BrowsedRange {
  partition: number
  first: number
  end: number
}

/** A record with all that a log stores beside its value. */
export interface BrowsedRecord {
  partition: number
  offset: number
  /** When it was appended, Unix milliseconds. */
  at: number
  key: string | null
  headers: Readonly<Record<string, string>>
  /** May be parsed when it is read. */
  readonly value: unknown
}

/** Reads any record of any topic, as an operator asks for it: nothing that the service does needs it. */
export interface RecordBrowser {
  topics(): Promise<BrowsedTopic[]>
  /** By partition. */
  ranges(topic: Topic): Promise<BrowsedRange[]>
  /** By partition: the offset of the first record appended at a time or later, else that of the next. */
  offsetsAt(topic: Topic, time: number): Promise<number[]>
  /** The records from an offset up to another, excluded, in ordered batches; it ends with the signal. */
  between(
    topic: Topic,
    partition: number,
    from: number,
    to: number,
    signal: AbortSignal,
  ): AsyncIterable<readonly BrowsedRecord[]>
}
