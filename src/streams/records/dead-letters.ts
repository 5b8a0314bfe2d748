import { partitionOf } from '../../domain/order/partition.ts'
import { whyUnreadable } from '../../domain/order/why-unreadable.ts'
import type { EventLog } from '../../ports/log/event-log.ts'
import {
  InboxRecord,
  LOG_SCHEMA,
  type OutputRecord,
  type RetriedLetter,
  type SpendRecord,
  TOPICS,
} from '../../schemas/log.ts'
import type { LetterRetry } from '../../schemas/operations.ts'
import { readSetAside, type SetAside } from '../progress/set-aside.ts'
import { inboxPlaceText, type Place } from './place.ts'

/** The log, as far as letters are read from it. */
export type LetterLog = Pick<EventLog, 'partitions' | 'stored' | 'end'>

/** A letter that is to be retried; null: there is none at that place. */
export interface WantedLetter {
  place: Place
  letter: SetAside | null
}

interface Retrying {
  log: LetterLog & Pick<EventLog, 'append'>
  /** Unix milliseconds. */
  now: number
  newRequestId: () => string
  /** Ends the search for later news of an output, which may read all of its partition. */
  signal?: AbortSignal
}

/** All letters, or the letters of one partition, in the order of their places. */
export async function readLetters(log: LetterLog, partition?: number): Promise<SetAside[]> {
  const all = Array.from({ length: log.partitions }, (_, one) => one)
  const partitions = partition === undefined ? all : [partition]
  return (await Promise.all(partitions.map((one) => readSetAside(log, one)))).flat()
}

/** A letter, and its record as the inbox still has it (`original` null: it is past its retention). */
export async function readLetter(
  log: LetterLog,
  place: Place,
): Promise<{ letter: SetAside | null; original: unknown }> {
  const letters = await readLetters(log, place.partition)
  const letter = letters.find((one) => one.place.offset === place.offset) ?? null
  return { letter, original: letter && (await originalAt(log, place)) }
}

/** The letters of these places; `all`: each that was not retried yet. */
export async function wantedLetters(
  log: LetterLog,
  places: readonly Place[] | 'all',
): Promise<WantedLetter[]> {
  if (places === 'all') {
    const letters = (await readLetters(log)).filter(({ retried }) => !retried)
    return letters.map((letter) => ({ place: letter.place, letter }))
  }
  const partitions = [...new Set(places.map(({ partition }) => partition))]
  const letters = (await Promise.all(partitions.map((one) => readLetters(log, one)))).flat()
  const letterAt = new Map(letters.map((letter) => [inboxPlaceText(letter.place), letter]))
  return places.map((place) => ({ place, letter: letterAt.get(inboxPlaceText(place)) ?? null }))
}

/**
 * Appends a record again to the inbox partition of its output, if it is now readable, and marks it in
 * the dead letters; both or neither. A command is a new request: the one that wrote it may have its
 * outcome, and a request has one (ADR 139).
 */
export async function retryLetter(
  { log, now, newRequestId, signal }: Retrying,
  { place, letter }: WantedLetter,
): Promise<LetterRetry> {
  const refuse = (why: string): LetterRetry => ({ place, toPartition: null, why })
  if (!letter) return refuse('no such dead letter')
  if (letter.retried) return refuse(`already retried at ${letter.retried.at}`)
  const value = (await originalAt(log, place)) ?? letter.value
  const { data: record } = InboxRecord.safeParse(value)
  if (!record) return refuse(`still unreadable: ${whyUnreadable(value)}`)
  if (record.kind === 'watermark' || record.kind === 'renewal') {
    return refuse(`a ${record.kind} is replaced by the next one of its partition`)
  }
  const toPartition = partitionOf(record.outpoint, log.partitions)
  if (record.kind === 'output' || record.kind === 'spend') {
    const later = await whyTooLate(log, place, { partition: toPartition, record, signal })
    if (later) return refuse(later)
  }
  const retried: RetriedLetter = {
    schema: LOG_SCHEMA,
    kind: 'retried',
    offset: place.offset,
    toPartition,
    at: new Date(now).toISOString(),
  }
  const again = record.kind === 'command' ? { ...record, requestId: newRequestId() } : value
  await log.append([
    { topic: TOPICS.inbox, partition: toPartition, key: record.outpoint, value: again },
    { topic: TOPICS.dead, partition: place.partition, key: String(place.offset), value: retried },
  ])
  return { place, toPartition, why: null }
}

/**
 * News of an output is ordered: appended after later news, it would give an order an outdated
 * state. Null: it is the last news of its output.
 */
async function whyTooLate(
  log: LetterLog,
  from: Place,
  {
    partition,
    record: { outpoint, at },
    signal,
  }: { partition: number; record: OutputRecord | SpendRecord; signal: AbortSignal | undefined },
): Promise<string | null> {
  const instead = `revalidate the orders of ${outpoint} instead`
  let oldest: string | null = null
  for await (const batch of log.stored(TOPICS.inbox, partition, 0)) {
    if (signal?.aborted)
      return 'its partition is too long to be searched here: use market dlq retry'
    for (const { offset, value } of batch) {
      const { data: record } = InboxRecord.safeParse(value)
      if (!record) continue
      oldest ??= record.at
      const isNews = record.kind === 'output' || record.kind === 'spend'
      const isItself = partition === from.partition && offset === from.offset
      if (isNews && !isItself && record.outpoint === outpoint && record.at >= at) {
        return `a later record of its output is at ${inboxPlaceText({ partition, offset })}: ${instead}`
      }
    }
  }
  const isKnown =
    (oldest !== null && oldest <= at) || (await log.end(TOPICS.inbox, partition)) === 0
  return isKnown ? null : `later inbox records may have expired: ${instead}`
}

async function originalAt(log: LetterLog, { partition, offset }: Place): Promise<unknown> {
  for await (const batch of log.stored(TOPICS.inbox, partition, offset)) {
    const [first] = batch
    if (first) return first.offset === offset ? first.value : null
  }
  return null
}
