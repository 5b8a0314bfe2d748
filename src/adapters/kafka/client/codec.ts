import type { KafkaMessage, Message } from 'kafkajs'
import type { NewRecord, Stored } from '../../../ports/log/event-log.ts'
import { LOG_SCHEMA } from '../../../schemas/log.ts'
import { namesOutput } from '../../log/inbox-news.ts'
import type { KafkaTopic } from './names.ts'

export type KafkaRecord = Omit<NewRecord, 'topic'> & {
  topic: KafkaTopic
  /** Where the partition's processing continues once this record is committed. */
  position?: CommitPosition
}

/** A larger inbox record goes to the dead letters unread. */
export const MAX_INBOX_BYTES = 2 ** 20
/** How much of an unreadable record its dead letter shows. */
const SHOWN_CHARACTERS = 1_000

/** Holds the offset from which the inbox is to be consumed after this record's commit. */
const POSITION_HEADER = 'market-position'

export interface CommitPosition {
  inbox: number
  lifecycleEnd: number
}

export function kafkaMessageOf({ partition, key, value, text, position }: KafkaRecord): Message {
  const written = value === null ? null : (text?.() ?? JSON.stringify(value))
  const message = { partition, key, value: written }
  if (!position) return message
  return { ...message, headers: { [POSITION_HEADER]: JSON.stringify(position) } }
}

/** An unreadable record is returned as such: its reader decides what to do with it. */
export const decode = (
  partition: number,
  { offset, value }: KafkaMessage,
  maxBytes = Infinity,
): Stored<unknown> => ({ partition, offset: Number(offset), value: read(value, maxBytes) })

/**
 * As `decode`, of the inbox: the value is parsed when it is first read, so one that is passed over
 * never is.
 */
export function inboxRecordOf(partition: number, message: KafkaMessage): Stored<unknown> {
  let decoded: Stored<unknown> | null = null
  return {
    partition,
    offset: Number(message.offset),
    newsOf: newsOf(message),
    get value() {
      decoded ??= decode(partition, message, MAX_INBOX_BYTES)
      return decoded.value
    },
  }
}

/** How the JSON of news begins, as ingest writes it; other news is known only once it is parsed. */
const NEWS = (['spend', 'output'] as const).map((kind) =>
  JSON.stringify({ schema: LOG_SCHEMA, kind }).replace('}', ','),
)
const NEWS_CHARACTERS = Math.max(...NEWS.map(({ length }) => length))

function newsOf({ key, value }: KafkaMessage): string | undefined {
  if (!key || !value || value.length > MAX_INBOX_BYTES) return undefined
  const begins = value.toString('latin1', 0, NEWS_CHARACTERS)
  if (!NEWS.some((news) => begins.startsWith(news))) return undefined
  const name = key.toString('latin1')
  return namesOutput(name) ? name : undefined
}

function read(value: Buffer | null, maxBytes: number): unknown {
  if (value === null) return { unreadable: 'an empty record' }
  if (value.length > maxBytes) return unreadable(value, `${value.length} bytes: too large`)
  try {
    return JSON.parse(value.toString('utf8'))
  } catch {
    return unreadable(value, 'not JSON')
  }
}

const unreadable = (value: Buffer, why: string) => ({
  unreadable: why,
  begins: value.subarray(0, SHOWN_CHARACTERS).toString('utf8'),
})

/** Null: the record carries none, or not one of ours. */
export function commitPositionOf({
  headers,
}: Pick<KafkaMessage, 'headers'>): CommitPosition | null {
  const header = headers?.[POSITION_HEADER]
  if (header === undefined || Array.isArray(header)) return null
  const { inbox, lifecycleEnd } = JSON.parse(header.toString()) as CommitPosition
  return Number.isSafeInteger(inbox) && Number.isSafeInteger(lifecycleEnd)
    ? { inbox, lifecycleEnd }
    : null
}
