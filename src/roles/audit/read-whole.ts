import type { EventLog, Stored } from '../../ports/event-log.ts'
import type { Topic } from '../../schemas/log.ts'

/** What a partition holds now, from its first kept record to its end. */
export async function* readWhole(
  log: EventLog,
  topic: Topic,
  partition: number,
): AsyncGenerator<Stored<unknown>> {
  const end = await log.end(topic, partition)
  const stop = new AbortController()
  if (end === 0) return
  for await (const batch of log.read(topic, partition, 0, stop.signal)) {
    for (const record of batch) {
      if (record.offset < end) yield record
    }
    if ((batch.at(-1)?.offset ?? end) >= end - 1) stop.abort()
  }
}
