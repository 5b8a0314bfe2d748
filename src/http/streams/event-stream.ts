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
  let unread: NodeJS.Timeout | undefined
  const stream = new Readable({
    highWaterMark: HELD_BYTES,
    read() {
      clearTimeout(unread)
      events.next().then(
        ({ done, value }) => {
          if (stream.destroyed) return
          if (!done) unread = setTimeout(drop, unreadMs)
          stream.push(done ? null : bytesOf(value))
        },
        (error: Error) => stream.destroy(error),
      )
    },
    destroy(error, destroyed) {
      clearTimeout(unread)
      destroyed(error)
      void events.return()
    },
  })
  stream.push(`retry: ${RETRY_MS}\n\n`)
  return stream
}

/** The bytes of events: the streams of one query send the same ones. */
const known = new WeakMap<StreamEvent, Buffer>()

function bytesOf(step: readonly StreamEvent[]): Buffer {
  const frames = step.map(frameOf)
  const [only] = frames
  return only && frames.length === 1 ? only : Buffer.concat(frames)
}

/** `data` is JSON, and has no line breaks. */
function frameOf(event: StreamEvent): Buffer {
  const found = known.get(event)
  if (found) return found
  const id = event.id === undefined ? '' : `id: ${event.id}\n`
  const frame = Buffer.from(`${id}event: ${event.event}\ndata: ${event.data}\n\n`)
  known.set(event, frame)
  return frame
}
