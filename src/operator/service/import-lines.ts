import { systemClock } from '../../adapters/embedded/system-clock.ts'
import { backoffMs } from '../../runtime/backoff.ts'
import type { Clock } from '../../runtime/clock.ts'
import { BATCH_LIMITS, BatchLine } from '../../schemas/api/batch.ts'
import {
  openAnswer,
  type ServiceAddress,
  ServiceAwayError,
  ServiceRefusedError,
} from './ask-service.ts'
import { linesFrom } from './lines.ts'

const PATH = '/api/market/orders/import/batch'
/** What may pass by itself: a limit, an overload, a verdict that takes longer than a request. */
const MAY_PASS = new Set([429, 502, 503, 504])
const WAIT = { firstMs: 1_000, lastMs: 30_000 }
/** Requests in a row of which no line came further. */
const MAX_FAILURES = 10

export interface ImportCounts {
  taken: number
  refused: number
}

export interface ImportRun {
  service: ServiceAddress
  /** The lines that are still to be sent; `first` is the number of the first one. */
  lines: AsyncIterable<string>
  first: number
  /** Takes the answers to a batch, all of them final, in the order of the lines. */
  write: (answers: readonly BatchLine[]) => Promise<void>
  onProgress: (done: number) => void
  clock?: Pick<Clock, 'sleep'>
  signal: AbortSignal
}

/**
 * Sends lines in batches until each has an answer that is final, and repeats those that may pass by
 * themselves. Ends early with the signal; what was written until then is whole batches.
 *
 * @throws ServiceAwayError @throws ServiceRefusedError
 */
export async function importLines(run: ImportRun): Promise<ImportCounts> {
  const counts = { taken: 0, refused: 0 }
  let next = run.first
  for await (const batch of batchesOf(run.lines)) {
    const answers = await answersTo(run, batch)
    if (!answers) break
    await run.write(answers.map((one, at) => ({ ...one, line: next + at })))
    next += batch.length
    for (const { status } of answers) counts[status === 201 ? 'taken' : 'refused'] += 1
    run.onProgress(next - 1)
  }
  return counts
}

/** As many lines as one request may have. */
async function* batchesOf(lines: AsyncIterable<string>): AsyncGenerator<string[]> {
  let batch: string[] = []
  let bytes = 0
  for await (const line of lines) {
    const own = Buffer.byteLength(line) + 1
    const isFull = batch.length === BATCH_LIMITS.lines || bytes + own > BATCH_LIMITS.bytes
    if (isFull && batch.length > 0) {
      yield batch
      batch = []
      bytes = 0
    }
    batch.push(line)
    bytes += own
  }
  if (batch.length > 0) yield batch
}

/** Null: the signal aborted before all were final. */
async function answersTo(
  run: ImportRun,
  lines: readonly string[],
): Promise<readonly BatchLine[] | null> {
  const final = new Map<number, BatchLine>()
  for (let failures = 0; ; ) {
    const left = [...lines.keys()].filter((at) => !final.has(at))
    if (left.length === 0) return [...final].sort(([a], [b]) => a - b).map(([, one]) => one)
    const before = final.size
    const { waitSeconds, error } = await sendOnce(run, lines, left, final)
    if (run.signal.aborted) return null
    failures = final.size > before ? 0 : failures + 1
    if (error && failures >= MAX_FAILURES) throw error
    if (final.size === lines.length) continue
    const waitMs = Math.max(waitSeconds * 1_000, error ? backoffMs(failures, WAIT) : 0)
    await (run.clock ?? systemClock).sleep(waitMs, run.signal)
    if (run.signal.aborted) return null
  }
}

/** Sends the lines that are left, and notes the final answers. @throws what does not pass by itself */
async function sendOnce(
  { service, signal }: ImportRun,
  lines: readonly string[],
  left: readonly number[],
  final: Map<number, BatchLine>,
): Promise<{ waitSeconds: number; error: Error | null }> {
  let waitSeconds = 0
  let refusal: Error | null = null
  try {
    const response = await openAnswer({ ...service, signal }, PATH, {
      method: 'POST',
      headers: { 'content-type': 'application/x-ndjson' },
      body: `${left.map((at) => lines[at]).join('\n')}\n`,
    })
    for await (const text of linesFrom(response.body ?? [])) {
      const answer = BatchLine.parse(JSON.parse(text))
      const at = left[answer.line - 1]
      if (at === undefined) break
      if (!MAY_PASS.has(answer.status)) final.set(at, answer)
      else {
        waitSeconds = Math.max(waitSeconds, answer.retryAfterSeconds ?? 1)
        refusal = refusalOf(answer)
      }
    }
    return { waitSeconds, error: refusal }
  } catch (error) {
    if (signal.aborted) return { waitSeconds, error: null }
    if (error instanceof ServiceRefusedError && !MAY_PASS.has(error.status)) throw error
    return { waitSeconds, error: awayOr(error) }
  }
}

/** A connection that ends in the middle of an answer, or an answer that is cut. */
function awayOr(error: unknown): Error {
  if (error instanceof ServiceRefusedError || error instanceof ServiceAwayError) return error
  return new ServiceAwayError('the answer to a batch ended early', { cause: error })
}

function refusalOf({ status, body }: BatchLine): ServiceRefusedError {
  const message = 'message' in body ? [body.message].flat().join('; ') : ''
  return new ServiceRefusedError(status, message)
}
