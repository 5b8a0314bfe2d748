import { whyUnreadable } from '../../actors/why-unreadable.ts'
import { partitionOf } from '../../domain/order/partition.ts'
import type { EventLog } from '../../ports/log/event-log.ts'
import type { Config } from '../../schemas/config/config.ts'
import {
  InboxRecord,
  LOG_SCHEMA,
  type OutputRecord,
  type RetriedLetter,
  type SpendRecord,
  TOPICS,
} from '../../schemas/log.ts'
import { readSetAside, type SetAside } from '../../streams/progress/set-aside.ts'
import { partitionsOf, withExistingLog } from './open-existing.ts'
import { inboxPlaceText, type Place, requirePartition } from './place.ts'

/** The result of one retry. */
export interface Retry {
  place: Place
  /** Null: nothing was appended, for this reason. */
  toPartition: number | null
  why: string | null
}

/** Every dead letter, in the order of its place. */
export const listDead = (config: Config): Promise<SetAside[]> =>
  withExistingLog(config, 'dlq list', ({ log }) => readDead(log))

/** A dead letter, and its record as the inbox still has it (`original` null: it is past its retention). */
export const showDead = (
  config: Config,
  place: Place,
): Promise<{ letter: SetAside | null; original: unknown }> =>
  withExistingLog(config, 'dlq show', async ({ log }) => {
    requirePartition(place.partition, log.partitions)
    const letters = await readDead(log, place.partition)
    return {
      letter: letters.find((one) => one.place.offset === place.offset) ?? null,
      original: await originalAt(log, place),
    }
  })

/**
 * Appends the records again to the inbox partition of their output, if they are now readable, and
 * marks each in the dead letters; all of one record or nothing. `all`: all not yet retried.
 */
export const retryDead = (
  config: Config,
  places: readonly Place[] | 'all',
): Promise<readonly Retry[]> =>
  withExistingLog(config, 'dlq retry', async ({ context, log }) => {
    for (const place of places === 'all' ? [] : places) {
      requirePartition(place.partition, log.partitions)
    }
    const letters = await readDead(log)
    const wanted =
      places === 'all'
        ? letters.filter(({ retried }) => !retried).map(({ place }) => place)
        : places
    const retries: Retry[] = []
    for (const place of wanted) {
      const letter = letters.find((one) => inboxPlaceText(one.place) === inboxPlaceText(place))
      retries.push(await retry(log, place, letter, context.clock.now()))
    }
    return retries
  })

async function retry(
  log: EventLog,
  place: Place,
  letter: SetAside | undefined,
  now: number,
): Promise<Retry> {
  const refuse = (why: string): Retry => ({ place, toPartition: null, why })
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
    const later = await whyTooLate(log, place, toPartition, record)
    if (later) return refuse(later)
  }
  const retried: RetriedLetter = {
    schema: LOG_SCHEMA,
    kind: 'retried',
    offset: place.offset,
    toPartition,
    at: new Date(now).toISOString(),
  }
  await log.append([
    { topic: TOPICS.inbox, partition: toPartition, key: record.outpoint, value },
    { topic: TOPICS.dead, partition: place.partition, key: String(place.offset), value: retried },
  ])
  return { place, toPartition, why: null }
}

/**
 * News of an output is ordered: appended after later news, it would give an order an outdated
 * state. Null: it is the last news of its output.
 */
async function whyTooLate(
  log: EventLog,
  from: Place,
  partition: number,
  { outpoint, at }: OutputRecord | SpendRecord,
): Promise<string | null> {
  const instead = `revalidate the orders of ${outpoint} instead`
  let oldest: string | null = null
  for await (const batch of log.stored(TOPICS.inbox, partition, 0)) {
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

async function originalAt(log: EventLog, { partition, offset }: Place): Promise<unknown> {
  for await (const batch of log.stored(TOPICS.inbox, partition, offset)) {
    const [first] = batch
    if (first) return first.offset === offset ? first.value : null
  }
  return null
}

async function readDead(log: EventLog, partition?: number): Promise<SetAside[]> {
  const partitions = partition === undefined ? partitionsOf(log) : [partition]
  return (await Promise.all(partitions.map((one) => readSetAside(log, one)))).flat()
}

/** One line per letter. */
export const deadLine = ({ place, reasons, retried }: SetAside): string => {
  const state = retried ? `retried at ${retried.at} to partition ${retried.toPartition}` : 'dead'
  return `${inboxPlaceText(place).padEnd(12)}${state}  ${reasons.join('; ')}`
}

export const retryLine = ({ place, toPartition, why }: Retry): string =>
  toPartition === null
    ? `${inboxPlaceText(place).padEnd(12)}not retried: ${why}`
    : `${inboxPlaceText(place).padEnd(12)}retried: appended to inbox partition ${toPartition}`
