import { Readable } from 'node:stream'
import type { StreamEvent, StreamEvents } from '../../gateway/streaming/stream-changes.ts'

/** How long a client waits before it resumes, milliseconds. */
const RETRY_MS = 1_000
/** Bytes held for a reader that is slower than its events. */
const HELD_BYTES = 65_536

/**
 * The bytes of `text/event-stream` (WHATWG HTML, 9.2). Events are made as they are read: a slow
 * reader holds one step of them. `drop` is called for a reader that takes nothing for `unreadMs`
 * milliseconds.
 */
export function eventStream(events: StreamEvents, unreadMs: number, drop: () => void): Readable {
  async function* frames(): AsyncGenerator<string> {
    yield `retry: ${RETRY_MS}\n\n`
    for await (const step of events) {
      const unread = setTimeout(drop, unreadMs)
      try {
        yield step.map(frameOf).join('')
      } finally {
        clearTimeout(unread)
      }
    }
  }
  return Readable.from(frames(), { objectMode: false, highWaterMark: HELD_BYTES })
}

/** `data` is JSON, and has no line breaks. */
const frameOf = ({ event, id, data }: StreamEvent): string =>
  `${id === undefined ? '' : `id: ${id}\n`}event: ${event}\ndata: ${data}\n\n`
