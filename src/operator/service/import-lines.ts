import { systemClock } from '../../adapters/embedded/system-clock.ts'
import { backoffMs } from '../../runtime/backoff.ts'
import type { Clock } from '../../runtime/clock.ts'
import { orIdle } from '../../runtime/or-idle.ts'
import { BATCH_LIMITS, BatchLine } from '../../schemas/api/batch.ts'
import {
  openAnswer,
  type ServiceAddress,
  ServiceAwayError,
  ServiceRefusedError,
  unexpectedAnswer,
} from './ask-service.ts'
import { digestOfLine, isOfKey, type KeptAnswer } from './kept-answers.ts'
import { type InputLine, linesFrom, MAX_LINE_BYTES } from './lines.ts'

const PATH = '/api/market/orders/import/batch'
const NDJSON = /^application\/x-ndjson\b/i
/** What may pass by itself: a limit, an overload, a verdict that takes longer than a request. */
const MAY_PASS = new Set([408, 429, 502, 503, 504])
const WAIT = { firstMs: 1_000, lastMs: 30_000 }
/** Lines that come one by one, as `tail -f` prints them, are sent when none has come for so long. */
const IDLE_MS = 1_000
/** Requests in a row of which no line came further. */
const MAX_FAILURES = 10

export interface ImportCounts {
  taken: number
  refused: number
  /** False: the signal ended it before the last line had its answer. */
  isWhole: boolean
}

export interface ImportRun {
  service: ServiceAddress
  /** Opens the lines that are still to be sent, which fail at the signal. */
  lines: (signal: AbortSignal) => AsyncIterable<InputLine>
  /** The number of the first of them. */
  first: number
  /** Takes answers, all of them final, in the order of the lines. */
  write: (answers: readonly KeptAnswer[]) => Promise<void>
  onProgress: (done: number) => void
  /** Why lines are sent again after a wait. */
  onWait?: (why: string) => void
  clock?: Pick<Clock, 'sleep'>
  signal: AbortSignal
}

/**
 * Sends lines in batches until each has an answer that is final, and repeats those that may pass by
 * themselves. Ends early with the signal. However it ends, the answers before the first line without
 * one were written.
 *
 * @throws ServiceAwayError @throws ServiceRefusedError
 */
export async function importLines(run: ImportRun): Promise<ImportCounts> {
  const counts = { taken: 0, refused: 0 }
  let next = run.first
  const input = { isRead: false }
  for await (const batch of batchesOf(run, input)) {
    const { answers, failure } = await answersTo(run, batch)
    if (answers.length > 0)
      await run.write(
        answers.map((one, at) => ({
          ...one,
          line: next + at,
          input: digestOfLine(batch[at]?.text ?? ''),
        })),
      )
    next += answers.length
    for (const { status } of answers) counts[status === 201 ? 'taken' : 'refused'] += 1
    run.onProgress(next - 1)
    if (failure) throw failure
    if (answers.length < batch.length) return { ...counts, isWhole: false }
  }
  return { ...counts, isWhole: input.isRead }
}

/**
 * As many lines as one request may have, or as came before a pause. Ends at the signal: what was read by
 * then is not sent.
 */
async function* batchesOf(
  { lines, signal }: ImportRun,
  input: { isRead: boolean },
): AsyncGenerator<InputLine[]> {
  let batch: InputLine[] = []
  let bytes = 0
  const idleMs = () => (batch.length === 0 ? null : IDLE_MS)
  try {
    for await (const line of orIdle(lines, systemClock, idleMs, signal)) {
      const own = line === null || line.isCut ? 0 : Buffer.byteLength(line.text) + 1
      const isFull = batch.length === BATCH_LIMITS.lines || bytes + own > BATCH_LIMITS.bytes
      if ((isFull || line === null) && batch.length > 0) {
        yield batch
        batch = []
        bytes = 0
      }
      if (line !== null) batch.push(line)
      bytes += own
    }
  } catch (error) {
    if (signal.aborted) return
    throw error
  }
  input.isRead = true
  if (batch.length > 0) yield batch
}

interface Answered {
  /** The answers before the first line without one. */
  answers: readonly BatchLine[]
  /** Why there are no more of them; null: there are, or the signal aborted. */
  failure: Error | null
}

async function answersTo(run: ImportRun, lines: readonly InputLine[]): Promise<Answered> {
  const final = new Map<number, BatchLine>()
  for (const [at, { isCut }] of lines.entries()) if (isCut) final.set(at, TOO_LONG)
  const ended = (failure: Error | null): Answered => ({ answers: firstOf(final), failure })
  for (let failures = 0; final.size < lines.length; ) {
    const left = [...lines.keys()].filter((at) => !final.has(at))
    const before = final.size
    const { waitSeconds, error, isLast } = await sendOnce(run, lines, left, final)
    if (run.signal.aborted) return ended(null)
    failures = final.size > before ? 0 : failures + 1
    if (error && (isLast || failures >= MAX_FAILURES)) return ended(error)
    if (final.size === lines.length) break
    const waitMs = Math.max(waitSeconds * 1_000, error ? backoffMs(failures, WAIT) : 0)
    if (error) run.onWait?.(`${error.message}; trying again in ${Math.ceil(waitMs / 1_000)} s`)
    await (run.clock ?? systemClock).sleep(waitMs, run.signal)
    if (run.signal.aborted) return ended(null)
  }
  return ended(null)
}

function firstOf(final: ReadonlyMap<number, BatchLine>): BatchLine[] {
  const first: BatchLine[] = []
  for (let one = final.get(0); one; one = final.get(first.length)) first.push(one)
  return first
}

interface Sent {
  waitSeconds: number
  /** Why lines are left. */
  error: Error | null
  /** It does not pass by itself. */
  isLast?: true
}

/** Sends the lines that are left, and notes the final answers. */
async function sendOnce(
  { service, signal }: ImportRun,
  lines: readonly InputLine[],
  left: readonly number[],
  final: Map<number, BatchLine>,
): Promise<Sent> {
  let waitSeconds = 0
  let refusal: Error | null = null
  let keyRefusal: Error | null = null
  const answered = new Set<number>()
  try {
    const response = await openAnswer({ ...service, signal }, PATH, {
      method: 'POST',
      headers: { 'content-type': 'application/x-ndjson' },
      body: `${left.map((at) => lines[at]?.text).join('\n')}\n`,
    })
    const unexpected = () => unexpectedAnswer(service, PATH, response.status)
    if (!NDJSON.test(response.headers.get('content-type') ?? '')) throw unexpected()
    for await (const { text, isEnded } of linesFrom(response.body ?? [])) {
      // It was cut.
      if (!isEnded) break
      const answer = answerIn(text)
      const at = left[(answer?.line ?? 0) - 1]
      if (!answer || at === undefined) throw unexpected()
      answered.add(at)
      if (isOfKey(answer)) keyRefusal = refusalOf(answer)
      else if (!MAY_PASS.has(answer.status)) final.set(at, answer)
      else {
        waitSeconds = Math.max(waitSeconds, answer.retryAfterSeconds ?? 1)
        refusal = refusalOf(answer)
      }
    }
    if (keyRefusal) return { waitSeconds, error: keyRefusal, isLast: true }
    if (answered.size === left.length) return { waitSeconds, error: refusal }
    const message = `the answer to a batch has ${answered.size} of ${left.length} lines`
    return { waitSeconds, error: new ServiceAwayError(message) }
  } catch (error) {
    if (!(error instanceof ServiceRefusedError)) return { waitSeconds, error: awayOr(error) }
    if (!MAY_PASS.has(error.status)) return { waitSeconds, error, isLast: true }
    return { waitSeconds: error.retryAfterSeconds ?? 0, error }
  }
}

/** A connection that ends in the middle of an answer. */
function awayOr(error: unknown): Error {
  if (error instanceof ServiceAwayError) return error
  return new ServiceAwayError('the answer to a batch ended early', { cause: error })
}

/** Null: it is no line of an answer of this release. */
function answerIn(text: string): BatchLine | null {
  try {
    return BatchLine.safeParse(JSON.parse(text)).data ?? null
  } catch {
    return null
  }
}

function refusalOf({ status, body }: BatchLine): ServiceRefusedError {
  const message = 'message' in body ? [body.message].flat().join('; ') : ''
  return new ServiceRefusedError(status, message)
}

/** As the service answers a line of which a batch has room, and an import has not. */
const TOO_LONG: BatchLine = {
  ...{ line: 1, status: 413, retryAfterSeconds: null },
  body: {
    statusCode: 413,
    error: 'Payload Too Large',
    message: `the line is larger than ${MAX_LINE_BYTES} bytes`,
    code: 'PAYLOAD_TOO_LARGE',
  },
}
