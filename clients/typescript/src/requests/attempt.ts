import { NetworkError, TimeoutError, UnexpectedAnswerError } from '../errors/client-errors.ts'
import type { Answer } from './answer.ts'
import { errorOfAnswer } from './error-of-answer.ts'
import type { Settings } from './options.ts'
import { startTimer } from './timers.ts'

export interface OutgoingRequest {
  method: string
  url: string
  headers: Headers
  body: string | null
}

/** An answer whose body is still to be read, with the only reader of that. */
export interface OpenAnswer {
  response: Response
  /** Null: there is no body. */
  reader: BodyReader | null
  /** Ends the connection, and the body: what is being read of it, with `done`. */
  close(): void
}

export type BodyReader = ReadableStreamDefaultReader<Uint8Array>

/**
 * Sends a request and reads its whole answer, whatever its status.
 *
 * @param limitMs milliseconds for all of it
 * @throws NetworkError, TimeoutError; UnexpectedAnswerError: longer than is read; the signal's reason
 */
export async function attempt(
  request: OutgoingRequest,
  settings: Settings,
  { limitMs, signal }: { limitMs: number; signal?: AbortSignal | undefined },
): Promise<Answer> {
  return withLimit(request, { limitMs, signal }, async (inTime) => {
    const { method, url, headers, body } = request
    const response = await settings.fetch(url, { method, headers, body, signal: inTime })
    return answerOf(response, await bytesOf(response, settings.maxAnswerBytes, inTime))
  })
}

/**
 * Sends a request and gives the body of a success piece by piece, as it arrives; any other answer is
 * read whole and returned.
 *
 * @param begin checks the head of a success, and returns what takes the pieces
 * @param limitMs milliseconds for all of it
 * @throws as `attempt`; what `begin` and the taker throw if it is an UnexpectedAnswerError
 */
export async function attemptInPieces(
  request: OutgoingRequest,
  settings: Settings,
  { limitMs, signal }: { limitMs: number; signal?: AbortSignal | undefined },
  begin: (head: Response) => (piece: Uint8Array) => void,
): Promise<Answer | null> {
  return withLimit(request, { limitMs, signal }, async (inTime) => {
    const { method, url, headers, body } = request
    const response = await settings.fetch(url, { method, headers, body, signal: inTime })
    if (!response.ok)
      return answerOf(response, await bytesOf(response, settings.maxAnswerBytes, inTime))
    await readPieces(response, { maxBytes: settings.maxAnswerBytes, signal: inTime, begin })
    return null
  })
}

/**
 * Sends a request and returns when a successful answer begins; any other is read within the limit, and
 * thrown. `signal` ends the answer at any time.
 *
 * @param limitMs milliseconds until the answer begins
 * @throws ApiError, NetworkError, TimeoutError, UnexpectedAnswerError; the signal's reason
 */
export async function openAnswer(
  request: OutgoingRequest,
  settings: Settings,
  { limitMs, signal }: { limitMs: number; signal?: AbortSignal | undefined },
): Promise<OpenAnswer> {
  const open = new AbortController()
  let reader: BodyReader | null = null
  const close = () => {
    signal?.removeEventListener('abort', close)
    open.abort()
    if (reader) cancel(reader)
  }
  signal?.addEventListener('abort', close, { once: true })
  try {
    const { response, failed } = await withLimit(request, { limitMs, signal }, async (inTime) => {
      inTime.addEventListener('abort', close, { once: true })
      const { method, url, headers, body } = request
      const answer = await settings.fetch(url, { method, headers, body, signal: open.signal })
      if (answer.ok) return { response: answer, failed: null }
      const bytes = await bytesOf(answer, settings.maxAnswerBytes, inTime)
      return { response: answer, failed: answerOf(answer, bytes) }
    })
    if (failed === null) {
      reader = response.body?.getReader() ?? null
      if (open.signal.aborted) close()
      return { response, reader, close }
    }
    throw errorOfAnswer(failed, settings.timing.date())
  } catch (error) {
    close()
    throw error
  }
}

/** Runs with a signal that is aborted after the limit, or with `signal`; tells what ended it. */
async function withLimit<T>(
  { method, url }: OutgoingRequest,
  { limitMs, signal }: { limitMs: number; signal?: AbortSignal | undefined },
  run: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  signal?.throwIfAborted()
  const inTime = new AbortController()
  const end = () => inTime.abort()
  const timer = startTimer(end, limitMs)
  signal?.addEventListener('abort', end, { once: true })
  try {
    return await run(inTime.signal)
  } catch (error) {
    signal?.throwIfAborted()
    if (error instanceof UnexpectedAnswerError) throw error
    const what = `${method} ${url}`
    if (inTime.signal.aborted)
      throw new TimeoutError(`${what}: no answer within ${Math.round(limitMs)} ms`, {
        cause: error,
      })
    throw new NetworkError(`${what}: ${reasonOf(error)}`, { cause: error })
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', end)
  }
}

/** fetch says no more than "fetch failed": what failed is its cause. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message
}

/** Whole, or up to the abort: then it throws. */
async function bytesOf(
  response: Response,
  maxBytes: number,
  signal: AbortSignal,
): Promise<Uint8Array<ArrayBuffer>> {
  const pieces: Uint8Array[] = []
  await readPieces(response, { maxBytes, signal, begin: () => (piece) => void pieces.push(piece) })
  return joined(pieces)
}

/** To the end of the body; or up to the abort, or to what `begin` or its taker throws: then it throws. */
async function readPieces(
  response: Response,
  {
    maxBytes,
    signal,
    begin,
  }: {
    maxBytes: number
    signal: AbortSignal
    begin: (head: Response) => (piece: Uint8Array) => void
  },
): Promise<void> {
  const reader = response.body?.getReader()
  const end = () => reader && cancel(reader)
  signal.addEventListener('abort', end, { once: true })
  if (signal.aborted) end()
  try {
    const take = begin(response)
    let length = 0
    while (reader) {
      const { done, value } = await reader.read()
      signal.throwIfAborted()
      if (done) return
      length += value.byteLength
      if (length > maxBytes)
        throw new UnexpectedAnswerError(`an answer of more than ${maxBytes} bytes`)
      take(value)
    }
  } catch (error) {
    end()
    throw error
  }
}

function joined(pieces: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(pieces.reduce((sum, { byteLength }) => sum + byteLength, 0))
  let at = 0
  for (const piece of pieces) {
    bytes.set(piece, at)
    at += piece.byteLength
  }
  return bytes
}

/** An answer whose text is made when it is read: a file has none. */
const answerOf = ({ status, headers }: Response, bytes: Uint8Array<ArrayBuffer>): Answer => ({
  status,
  headers,
  bytes,
  get text() {
    return new TextDecoder().decode(bytes)
  },
})

/** Not every `fetch` ends a body at the abort of its request. A body that has failed cannot be cancelled. */
function cancel(reader: BodyReader): void {
  reader.cancel().catch(() => {})
}
