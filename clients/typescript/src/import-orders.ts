import { ApiError } from './errors/api-errors.ts'
import { NetworkError, TimeoutError, UnexpectedAnswerError } from './errors/client-errors.ts'
import type { components } from './generated/api.ts'
import { attemptInPieces } from './requests/attempt.ts'
import { errorOfAnswer } from './requests/error-of-answer.ts'
import type { CallOptions, Settings } from './requests/options.ts'
import { waitAfter } from './requests/waits.ts'

type Schemas = components['schemas']

/** What became of one of many orders. */
export interface ImportedOrder {
  /** Its place among those that were given, from 0. */
  index: number
  /** 201, or the status of the refusal. */
  status: number
  /** Null: it was refused. */
  order: Schemas['OrderSummary'] | null
  /** Null: it was taken. */
  refusal: Schemas['ErrorResponse'] | null
}

export interface ImportOptions extends Pick<CallOptions, 'signal'> {
  /** Requests in a row after which no order came further, before it gives up; 8. */
  attempts?: number
  /** For one batch and its whole answer, milliseconds; 120,000. */
  attemptMs?: number
}

const NDJSON = /^application\/x-ndjson\b/i
const PATH = '/api/market/orders/import/batch'
const MAX_LINES = 256
const MAX_BYTES = 4_194_304
/** The bytes of a line without its end: no batch has room for a longer one. */
const MAX_LINE_BYTES = MAX_BYTES - 1
/** A limit, an overload, a verdict that takes longer than a request. */
const MAY_PASS = [408, 429, 502, 503, 504]
/** To a line that had not begun when the key ended: it is of the key, not of the order. */
const OF_KEY = 401
const ENCODER = new TextEncoder()

interface Line {
  index: number
  /** Null: no batch has room for it. */
  text: string | null
}

/**
 * Imports orders in batches, with a customer's key, and yields what became of each, in order. What
 * may pass by itself is sent again: the same order is never there twice. However it ends, what was
 * decided is yielded before.
 *
 * @throws ApiError, NetworkError, TimeoutError, UnexpectedAnswerError; the signal's reason
 */
export async function* importOrders(
  settings: Settings,
  orders: Iterable<Schemas['ImportRequest']> | AsyncIterable<Schemas['ImportRequest']>,
  options: ImportOptions,
): AsyncGenerator<ImportedOrder, void> {
  for await (const batch of batchesOf(orders)) yield* imported(settings, batch, options)
}

async function* batchesOf(
  orders: Iterable<Schemas['ImportRequest']> | AsyncIterable<Schemas['ImportRequest']>,
): AsyncGenerator<Line[]> {
  let batch: Line[] = []
  let bytes = 0
  let index = 0
  for await (const order of orders) {
    const text = JSON.stringify(order)
    const length = ENCODER.encode(text).byteLength
    const hasRoom = length <= MAX_LINE_BYTES
    const own = hasRoom ? length + 1 : 0
    if (batch.length === MAX_LINES || (batch.length > 0 && bytes + own > MAX_BYTES)) {
      yield batch
      batch = []
      bytes = 0
    }
    batch.push({ index, text: hasRoom ? text : null })
    bytes += own
    index += 1
  }
  if (batch.length > 0) yield batch
}

async function* imported(
  settings: Settings,
  batch: readonly Line[],
  { attempts = 8, attemptMs = 120_000, signal }: ImportOptions,
): AsyncGenerator<ImportedOrder, void> {
  const final = new Map<number, ImportedOrder>()
  for (const { index, text } of batch) if (text === null) final.set(index, tooLong(index))
  const left = () => batch.filter(({ index }) => !final.has(index))
  const yielded = new Set<number>()
  /** What is before the first without an answer; at the end all. */
  function* decided(atEnd = false): Generator<ImportedOrder> {
    for (const { index } of batch) {
      const one = final.get(index)
      if (!one && !atEnd) return
      if (!one || yielded.has(index)) continue
      yielded.add(index)
      yield one
    }
  }
  for (let failures = 0; final.size < batch.length; ) {
    const before = final.size
    const { error, isLast, retryAfter } = await sendOnce(settings, left(), final, {
      ...{ attemptMs, signal },
    })
    failures = final.size > before ? 0 : failures + 1
    const mustEnd = error !== null && (isLast || failures >= attempts)
    yield* decided(mustEnd)
    if (mustEnd) throw error
    if (final.size === batch.length) return
    const waitMs = waitAfter(Math.max(1, failures), { retryAfter, timing: settings.timing })
    try {
      await settings.timing.sleep(waitMs, signal)
    } catch (reason) {
      yield* decided(true)
      throw reason
    }
  }
  yield* decided()
}

interface SentLines {
  /** Why lines are left; null: none is. */
  error: unknown
  /** It does not pass by itself; the signal's reason also. */
  isLast: boolean
  retryAfter: number | null
}

/** Notes the final answers, as they arrive. */
async function sendOnce(
  settings: Settings,
  left: readonly Line[],
  final: Map<number, ImportedOrder>,
  { attemptMs, signal }: { attemptMs: number; signal: AbortSignal | undefined },
): Promise<SentLines> {
  const headers = new Headers({ ...settings.headers, 'content-type': 'application/x-ndjson' })
  const body = `${left.map(({ text }) => text).join('\n')}\n`
  const request = { method: 'POST', url: `${settings.baseUrl}${PATH}`, headers, body }
  const noted = new BatchNotes(left, final, settings.timing.date)
  try {
    const bounds = { limitMs: attemptMs, signal }
    const refused = await attemptInPieces(request, settings, bounds, (response) => {
      const type = response.headers.get('content-type') ?? ''
      if (response.status !== 200 || !NDJSON.test(type))
        throw new UnexpectedAnswerError(
          `an answer of the status ${response.status} and the type ${type || 'nothing'}, not NDJSON`,
        )
      return noted.reader(response.headers)
    })
    if (refused) throw errorOfAnswer(refused, settings.timing.date())
    return noted.end(request)
  } catch (error) {
    const retryAfter = error instanceof ApiError ? error.retryAfter : null
    return { error, isLast: !mayPass(error), retryAfter }
  }
}

const mayPass = (error: unknown): boolean =>
  error instanceof NetworkError ||
  error instanceof TimeoutError ||
  (error instanceof ApiError && MAY_PASS.includes(error.status))

/** What the answer to a batch says of its lines. */
class BatchNotes {
  readonly #left: readonly Line[]
  readonly #final: Map<number, ImportedOrder>
  readonly #date: () => Date
  readonly #answered = new Set<number>()
  #error: Error | null = null
  #keyError: Error | null = null
  #retryAfter: number | null = null

  constructor(left: readonly Line[], final: Map<number, ImportedOrder>, date: () => Date) {
    this.#left = left
    this.#final = final
    this.#date = date
  }

  /** Takes the pieces of a body. A line without its end was cut. */
  reader(headers: Headers): (piece: Uint8Array) => void {
    const decoder = new TextDecoder()
    let rest = ''
    return (piece) => {
      const lines = (rest + decoder.decode(piece, { stream: true })).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) this.#note(line, headers)
    }
  }

  end({ method, url }: { method: string; url: string }): SentLines {
    if (this.#keyError) return { error: this.#keyError, isLast: true, retryAfter: null }
    const sent = { error: this.#error, isLast: false, retryAfter: this.#retryAfter }
    if (this.#answered.size === this.#left.length) return sent
    const lacking = `the answer has ${this.#answered.size} of ${this.#left.length} lines`
    return { ...sent, error: new NetworkError(`${method} ${url}: ${lacking}`) }
  }

  #note(line: string, headers: Headers): void {
    const { number, status, waitSeconds, body } = answerOf(line)
    const of = this.#left[number - 1]
    if (!of) throw new UnexpectedAnswerError(`an answer to line ${number}, which was not sent`)
    this.#answered.add(number)
    const error = () => errorOfAnswer({ status, headers, text: JSON.stringify(body) }, this.#date())
    if (status === OF_KEY) this.#keyError = error()
    else if (MAY_PASS.includes(status)) {
      this.#error = error()
      this.#retryAfter = Math.max(this.#retryAfter ?? 0, waitSeconds)
    } else this.#final.set(of.index, importedAs(of.index, status, body))
  }
}

const importedAs = (index: number, status: number, body: unknown): ImportedOrder => ({
  index,
  status,
  order: status === 201 ? (body as Schemas['OrderSummary']) : null,
  refusal: status === 201 ? null : (body as Schemas['ErrorResponse']),
})

/** As the service answers a line of which a batch has room, and an import has not. */
const tooLong = (index: number): ImportedOrder =>
  importedAs(index, 413, {
    statusCode: 413,
    error: 'Payload Too Large',
    message: `the line is larger than ${MAX_LINE_BYTES} bytes`,
    code: 'PAYLOAD_TOO_LARGE',
  })

function answerOf(line: string) {
  const answer = jsonOf(line)
  if (typeof answer !== 'object' || answer === null)
    throw new UnexpectedAnswerError('a line of an answer that is not a JSON object')
  const { line: number, status, retryAfterSeconds, body } = answer as Record<string, unknown>
  if (typeof number !== 'number' || typeof status !== 'number')
    throw new UnexpectedAnswerError('a line of an answer without its number or its status')
  return {
    ...{ number, status, body },
    waitSeconds: typeof retryAfterSeconds === 'number' ? retryAfterSeconds : 1,
  }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new UnexpectedAnswerError('a line of an answer that is not whole JSON', { cause })
  }
}
