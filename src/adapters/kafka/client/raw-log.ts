import type { EventLog } from '../../../ports/log/event-log.ts'
import type { KafkaTopic } from './names.ts'
import type { Fetched } from './reader.ts'

/** The log as the inbox consumer sees it: offsets and records as Kafka has them. */
export interface RawLog extends Pick<EventLog, 'read'> {
  /** What is stored now, from an offset on; then ends. */
  storedRaw(
    topic: KafkaTopic,
    partition: number,
    from: number,
    signal: AbortSignal,
  ): AsyncIterable<Fetched>
  /** The offset of the next record. */
  end(topic: KafkaTopic, partition: number): Promise<number>
  /** The first offset that still exists. */
  firstOffset(topic: KafkaTopic, partition: number): Promise<number>
  /** The committed offset of the inbox. */
  consumed(partition: number): Promise<number>
}
