/** The events of a stream. */
export type StreamEventName = 'snapshot' | 'change' | 'heartbeat' | 'resync-required'

/**
 * An event of `text/event-stream` (WHATWG HTML, 9.2) without its id, which is written before it;
 * `data` is JSON without line breaks.
 */
export const eventBody = (event: StreamEventName, data: string): Buffer =>
  Buffer.from(`event: ${event}\ndata: ${data}\n\n`)

/** The id of the event that follows. */
export const idLine = (id: string): Buffer => Buffer.from(`id: ${id}\n`, 'latin1')

/** How long a client waits before it resumes, in milliseconds. */
export const resumeAfter = (ms: number): Buffer => Buffer.from(`retry: ${ms}\n\n`, 'latin1')

/** A comment: clients ignore it, and the connection stays open. */
export const KEEP_ALIVE = Buffer.from(':\n\n', 'latin1')
