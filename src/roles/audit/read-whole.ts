import type { EventLog, Stored } from '../../ports/event-log.ts'
import type { Topic } from '../../schemas/log.ts'

/** What a partition holds now, from an offset, or its first kept record, to its end. */
export async function* readWhole(
  log: EventLog,
  topic: Topic,
  partition: number,
  from = 0,
): AsyncGenerator<Stored<unknown>> {
  const end = await log.end(topic, partition)
  const stop = new AbortController()
  if (end <= from) return
  for await (const batch of log.read(topic, partition, from, stop.signal)) {
    for (const record of batch) {
      if (record.offset < end) yield record
    }
    if ((batch.at(-1)?.offset ?? end) >= end - 1) stop.abort()
  }
}
