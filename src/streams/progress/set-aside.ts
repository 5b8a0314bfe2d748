import type { EventLog } from '../../ports/log/event-log.ts'
import { DeadRecord, type RetriedLetter, TOPICS } from '../../schemas/log.ts'

/** An inbox record that was set aside, and its retries. */
export interface SetAside {
  /** In the inbox. */
  place: { partition: number; offset: number }
  /** One, or one for each order that could not take it. */
  reasons: string[]
  /** As stored in the letter: only the beginning of a large record. */
  value: unknown
  /** Null if it was never retried. */
  retried: RetriedLetter | null
}

/** The dead letters of a partition from an offset of their topic on, in the order of their places. */
export async function readSetAside(
  log: Pick<EventLog, 'stored'>,
  partition: number,
  from = 0,
): Promise<SetAside[]> {
  const found = new Map<number, SetAside>()
  for await (const batch of log.stored(TOPICS.dead, partition, from)) {
    for (const { value } of batch) {
      const record = DeadRecord.parse(value)
      const one = found.get(record.offset)
      if (record.kind === 'retried') {
        if (one) one.retried = record
      } else if (one) one.reasons.push(record.reason)
      else {
        const { offset, reason } = record
        const place = { partition, offset }
        found.set(offset, { place, reasons: [reason], value: record.value, retried: null })
      }
    }
  }
  return [...found.values()].sort((a, b) => a.place.offset - b.place.offset)
}
