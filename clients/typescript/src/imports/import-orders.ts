import { ApiError } from '../errors/api-errors.ts'
import { MarketClientError, UnexpectedAnswerError } from '../errors/client-errors.ts'
import type { components } from '../generated/api.ts'
import type { Answer } from '../requests/answer.ts'
import { attempt } from '../requests/attempt.ts'
import { errorOfAnswer } from '../requests/error-of-answer.ts'
import type { CallOptions, Settings } from '../requests/options.ts'
import { mayPass } from '../requests/send.ts'
import { waitAfter } from '../requests/waits.ts'

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

const PATH = '/api/market/orders/import/batch'
const MAX_LINES = 256
const MAX_BYTES = 4_194_304
/** A limit, an overload, a verdict that takes longer than a request. */
const MAY_PASS = [429, 502, 503, 504]
const ENCODER = new TextEncoder()

interface Line {
  index: number
  text: string
}

/**
 * Imports orders in batches, with a customer's key, and yields what became of each, in order. What
 * may pass by itself is sent again: the same order is never there twice.
 *
 * @throws ApiError, NetworkError, TimeoutError, UnexpectedAnswerError; the signal's reason
 */
export async function* importOrders(
  settings: Settings,
  orders: Iterable<Schemas['ImportRequest']> | AsyncIterable<Schemas['ImportRequest']>,
  options: ImportOptions,
): AsyncGenerator<ImportedOrder, void> {
  for await (const batch of batchesOf(orders)) yield* await imported(settings, batch, options)
}

async function* batchesOf(
  orders: Iterable<Schemas['ImportRequest']> | AsyncIterable<Schemas['ImportRequest']>,
): AsyncGenerator<Line[]> {
  let batch: Line[] = []
  let bytes = 0
  let index = 0
  for await (const order of orders) {
    const text = JSON.stringify(order)
    const own = ENCODER.encode(text).byteLength + 1
    if (batch.length === MAX_LINES || (batch.length > 0 && bytes + own > MAX_BYTES)) {
      yield batch
      batch = []
      bytes = 0
    }
    batch.push({ index, text })
    bytes += own
    index += 1
  }
  if (batch.length > 0) yield batch
}

async function imported(
  settings: Settings,
  batch: readonly Line[],
  { attempts = 8, attemptMs = 120_000, signal }: ImportOptions,
): Promise<ImportedOrder[]> {
  const final = new Map<number, ImportedOrder>()
  for (let failures = 0; ; ) {
    const left = batch.filter(({ index }) => !final.has(index))
    if (left.length === 0) return [...final.values()].sort((a, b) => a.index - b.index)
    const before = final.size
    const { error, retryAfter } = await sendOnce(settings, left, final, { attemptMs, signal })
    if (final.size === batch.length) continue
    failures = final.size > before ? 1 : failures + 1
    if (error && failures >= attempts) throw error
    const waitMs = waitAfter(failures, { retryAfter, timing: settings.timing })
    await settings.timing.sleep(waitMs, signal)
  }
}

/** Notes the final answers. @throws what does not pass by itself; the signal's reason */
async function sendOnce(
  settings: Settings,
  left: readonly Line[],
  final: Map<number, ImportedOrder>,
  { attemptMs, signal }: { attemptMs: number; signal: AbortSignal | undefined },
): Promise<{ error: Error | null; retryAfter: number | null }> {
  const headers = new Headers({ ...settings.headers, 'content-type': 'application/x-ndjson' })
  const body = `${left.map(({ text }) => text).join('\n')}\n`
  const request = { method: 'POST', url: `${settings.baseUrl}${PATH}`, headers, body }
  try {
    const answer = await attempt(request, settings, { limitMs: attemptMs, signal })
    const now = settings.timing.date()
    if (answer.status !== 200) throw errorOfAnswer(answer, now)
    return noteAnswers(answer, left, final, now)
  } catch (error) {
    if (!(error instanceof MarketClientError) || !mayPass(error)) throw error
    return { error, retryAfter: error instanceof ApiError ? error.retryAfter : null }
  }
}

function noteAnswers(
  { headers, text }: Answer,
  left: readonly Line[],
  final: Map<number, ImportedOrder>,
  now: Date,
): { error: Error | null; retryAfter: number | null } {
  let error: Error | null = null
  let retryAfter: number | null = null
  for (const line of text.split('\n')) {
    if (line === '') continue
    const { number, status, waitSeconds, body } = answerOf(line)
    const of = left[number - 1]
    if (!of) throw new UnexpectedAnswerError(`an answer to line ${number}, which was not sent`)
    if (MAY_PASS.includes(status)) {
      error = errorOfAnswer({ status, headers, text: JSON.stringify(body) }, now)
      retryAfter = Math.max(retryAfter ?? 0, waitSeconds)
    } else final.set(of.index, importedAs(of, status, body))
  }
  return { error, retryAfter }
}

const importedAs = ({ index }: Line, status: number, body: unknown): ImportedOrder => ({
  index,
  status,
  order: status === 201 ? (body as Schemas['OrderSummary']) : null,
  refusal: status === 201 ? null : (body as Schemas['ErrorResponse']),
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
