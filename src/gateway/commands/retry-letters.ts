import type { EventLog } from '../../ports/log/event-log.ts'
import type { Clock } from '../../runtime/clock.ts'
import { withDeadline } from '../../runtime/deadline.ts'
import type {
  LetterPlace,
  LettersRetried,
  RetryLetters,
  ShownLetter,
} from '../../schemas/operations.ts'
import {
  type LetterLog,
  readLetter,
  retryLetter,
  type WantedLetter,
  wantedLetters,
} from '../../streams/records/dead-letters.ts'
import { oneAtATime } from '../one-at-a-time.ts'
import { RefusalError } from '../refusal.ts'

/** Less than the time for an answer: what is left then is for the next request. */
const RETRY_MS = 10_000
/** Letters that one request retries. */
const MAX_RETRIES = 200

export interface LetterOffice {
  log: LetterLog & Pick<EventLog, 'append'>
  clock: Clock
  newRequestId: () => string
}

/** @throws RefusalError NOT_FOUND; StorageUnavailableError */
export async function showLetter(log: LetterLog, place: LetterPlace): Promise<ShownLetter> {
  const isThere = place.partition < log.partitions
  const { letter, original } = isThere
    ? await readLetter(log, place)
    : { letter: null, original: null }
  if (!letter) throw new RefusalError('NOT_FOUND', 'there is no dead letter at this place')
  const { reasons, retried, value } = letter
  const isOriginal = original !== null
  const record = isOriginal ? original : value
  return { ...place, reasons, retriedAt: retried?.at ?? null, record, isOriginal }
}

/**
 * Retries the letters as `market dlq retry` does, in the order of their places, as many as fit into
 * the time of a request.
 *
 * @throws StorageUnavailableError
 */
export const retryLetters = (
  office: LetterOffice,
  { places, after }: RetryLetters,
  signal: AbortSignal,
): Promise<LettersRetried> =>
  oneAtATime(office.log, () =>
    withDeadline(office.clock, RETRY_MS, signal, async (stop) => {
      const wanted = (await wantedLetters(office.log, places))
        .filter(({ place }) => !after || inOrder(after, place) < 0)
        .sort((a, b) => inOrder(a.place, b.place))
      return await retryInTime(office, wanted, stop)
    }),
  )

async function retryInTime(
  { log, clock, newRequestId }: LetterOffice,
  wanted: readonly WantedLetter[],
  signal: AbortSignal,
): Promise<LettersRetried> {
  const retries: LettersRetried['retries'] = []
  for (const one of wanted) {
    if (retries.length > 0 && (signal.aborted || retries.length === MAX_RETRIES)) {
      return { retries, next: retries.at(-1)?.place ?? null }
    }
    retries.push(await retryLetter({ log, now: clock.now(), newRequestId, signal }, one))
  }
  return { retries, next: null }
}

const inOrder = (a: LetterPlace, b: LetterPlace): number =>
  a.partition - b.partition || a.offset - b.offset
