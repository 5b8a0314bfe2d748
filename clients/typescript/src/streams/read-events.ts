import { createParser, type EventSourceMessage } from 'eventsource-parser'
import { NetworkError, TimeoutError, UnexpectedAnswerError } from '../errors/client-errors.ts'
import type { OpenAnswer } from '../requests/attempt.ts'
import { startTimer } from '../requests/timers.ts'

/** Characters of one event, at the most: a snapshot of 200 orders is far below. */
const MAX_EVENT_CHARACTERS = 16 * 1_024 * 1_024

/**
 * The events of one connection (WHATWG HTML, 9.2), until the service ends it. Bytes are read as events
 * are asked for: a slow reader holds up the service, and is disconnected by it.
 *
 * @param silentMs a connection that says nothing for so long is taken for dead
 * @param onRetry the service names the milliseconds to wait before a new connection
 * @throws NetworkError, TimeoutError: the connection is lost; UnexpectedAnswerError: no such stream
 */
export async function* readEvents(
  { response, reader, close }: OpenAnswer,
  { silentMs, onRetry }: { silentMs: number; onRetry: (ms: number) => void },
): AsyncGenerator<EventSourceMessage, void> {
  const type = response.headers.get('content-type') ?? ''
  if (!reader || !type.startsWith('text/event-stream'))
    throw new UnexpectedAnswerError(`an answer of the type ${type || 'nothing'}, not a stream`)
  const events: EventSourceMessage[] = []
  const parser = createParser({
    onEvent: (event) => events.push(event),
    onRetry,
    onError: (error) => {
      if (error.type === 'max-buffer-size-exceeded')
        throw new UnexpectedAnswerError(`an event of more than ${MAX_EVENT_CHARACTERS} characters`)
    },
    maxBufferSize: MAX_EVENT_CHARACTERS,
  })
  const decoder = new TextDecoder()
  for (;;) {
    const { done, value } = await inTime(reader.read(), silentMs, close)
    if (done) return
    parser.feed(decoder.decode(value, { stream: true }))
    yield* events.splice(0)
  }
}

async function inTime<T>(reading: Promise<T>, silentMs: number, close: () => void): Promise<T> {
  let isSilent = false
  const timer = startTimer(() => {
    isSilent = true
    close()
  }, silentMs)
  const late = () => new TimeoutError(`the stream: nothing was heard for ${silentMs} ms`)
  try {
    const read = await reading
    if (isSilent) throw late()
    return read
  } catch (error) {
    if (isSilent) throw late()
    throw new NetworkError('the stream: the connection broke', { cause: error })
  } finally {
    clearTimeout(timer)
  }
}
