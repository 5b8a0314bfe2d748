import type { KafkaMessage } from 'kafkajs'
import type { Fetched } from '../client/reader.ts'

/** Bytes of keys and values that are read before they are written. */
const WINDOW_BYTES = 2 ** 26

/** A stretch of a compacted topic. */
export interface RestoreWindow {
  /** The last message of each key, in key order: neighbours on a disk. */
  latest: readonly KafkaMessage[]
  /** The offset at which a copy that has all of these continues. */
  next: number
}

/** The contents of a compacted topic, for a copy of it: overwritten messages are not decoded. */
export async function* restoreWindows(
  stored: AsyncIterable<Pick<Fetched, 'messages' | 'next'>>,
  windowBytes = WINDOW_BYTES,
): AsyncGenerator<RestoreWindow> {
  let latest = new Map<string, KafkaMessage>()
  let bytes = 0
  let next = 0
  for await (const fetched of stored) {
    for (const message of fetched.messages) {
      // Bytes as characters: the same order, and no decoding.
      latest.set(message.key?.toString('latin1') ?? '', message)
      bytes += (message.key?.length ?? 0) + (message.value?.length ?? 0)
    }
    next = fetched.next
    if (bytes < windowBytes) continue
    yield windowOf(latest, next)
    latest = new Map()
    bytes = 0
  }
  if (latest.size > 0) yield windowOf(latest, next)
}

function windowOf(latest: ReadonlyMap<string, KafkaMessage>, next: number): RestoreWindow {
  const keys = [...latest.keys()].sort()
  return { latest: keys.flatMap((key) => latest.get(key) ?? []), next }
}
