import { NetworkError, TimeoutError, UnexpectedAnswerError } from '../errors/client-errors.ts'
import { errorOfAnswer } from '../errors/error-of-answer.ts'
import type { Settings } from '../options.ts'

export interface OutgoingRequest {
  method: string
  url: string
  headers: Headers
  body: string | null
}

/** A whole answer. */
export interface Answer {
  status: number
  headers: Headers
  text: string
}

/** An answer whose body is still to be read, within the time of its attempt. */
export interface OpenAnswer {
  response: Response
  /** Ends the connection. */
  close(): void
}

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
    const text = await textOf(response, settings.maxAnswerBytes)
    return { status: response.status, headers: response.headers, text }
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
  const end = () => open.abort()
  signal?.addEventListener('abort', end, { once: true })
  const close = () => {
    signal?.removeEventListener('abort', end)
    open.abort()
  }
  try {
    const { response, failed } = await withLimit(request, { limitMs, signal }, async (inTime) => {
      inTime.addEventListener('abort', end, { once: true })
      const { method, url, headers, body } = request
      const answer = await settings.fetch(url, { method, headers, body, signal: open.signal })
      const text = answer.ok ? null : await textOf(answer, settings.maxAnswerBytes)
      return { response: answer, failed: text }
    })
    if (failed === null) return { response, close }
    const { status, headers } = response
    throw errorOfAnswer({ status, headers, text: failed }, settings.timing.date())
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
  const timer = setTimeout(end, limitMs)
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

async function textOf(response: Response, maxBytes: number): Promise<string> {
  const reader = response.body?.getReader()
  if (!reader) return ''
  const decoder = new TextDecoder()
  let text = ''
  let bytes = 0
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return text + decoder.decode()
    bytes += value.byteLength
    if (bytes > maxBytes) {
      await reader.cancel()
      throw new UnexpectedAnswerError(`an answer of more than ${maxBytes} bytes`)
    }
    text += decoder.decode(value, { stream: true })
  }
}
