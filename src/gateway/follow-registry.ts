import type { EventLog, Stored } from '../ports/log/event-log.ts'
import type { Topic } from '../schemas/log.ts'

/** A topic of a registry has one partition. */
export const REGISTRY_PARTITION = 0

/** The records of a registry, folded. */
export interface RegistryFold {
  /** The offset of the record that follows. */
  readonly next: number
  add(batch: readonly Stored<unknown>[]): void
}

/** Folds all that the registry has now. */
export async function readRegistry<F extends RegistryFold>(
  log: Pick<EventLog, 'stored'>,
  topic: Topic,
  fold: F,
): Promise<F> {
  for await (const batch of log.stored(topic, REGISTRY_PARTITION, 0)) fold.add(batch)
  return fold
}

/** Shows the fold now and after each change, until the signal aborts. */
export async function followRegistry<F extends RegistryFold>(
  log: Pick<EventLog, 'stored' | 'read'>,
  topic: Topic,
  fold: F,
  { show, signal }: { show: (fold: F) => void; signal: AbortSignal },
): Promise<void> {
  await readRegistry(log, topic, fold)
  if (signal.aborted) return
  show(fold)
  for await (const batch of log.read(topic, REGISTRY_PARTITION, fold.next, signal)) {
    fold.add(batch)
    show(fold)
  }
}
