import type { EventLog, Stored } from '../../ports/log/event-log.ts'
import type { Topic } from '../../schemas/log.ts'

/** A partition's current contents, from an offset, or from its first kept record, to its end. */
export async function* readWhole(
  log: Pick<EventLog, 'stored'>,
  topic: Topic,
  partition: number,
  from = 0,
): AsyncGenerator<Stored<unknown>> {
  for await (const batch of log.stored(topic, partition, from)) yield* batch
}
