import type { KafkaMessage, TopicMessages } from 'kafkajs'
import type { NewRecord, Stored } from '../../ports/event-log.ts'
import type { KafkaTopic } from './topics.ts'

export type KafkaRecord = Omit<NewRecord, 'topic'> & { topic: KafkaTopic }

/** A record of the inbox that is larger goes to the dead letters unread. */
export const MAX_INBOX_BYTES = 2 ** 20
/** Of a record that cannot be read, this much is shown in its dead letter. */
const SHOWN_CHARACTERS = 1_000

/** Where the offset stands from which the inbox is to be consumed after this record's commit. */
const POSITION_HEADER = 'market-position'

export interface CommitPosition {
  inbox: number
  lifecycleEnd: number
}

/** Grouped by topic and partition, in their order. */
export function encode(
  records: readonly KafkaRecord[],
  prefix: string,
  position?: CommitPosition,
): TopicMessages[] {
  const topics = new Map<string, TopicMessages>()
  const headers = position && { [POSITION_HEADER]: JSON.stringify(position) }
  for (const { topic, partition, key, value } of records) {
    const messages = topics.get(topic) ?? { topic: prefix + topic, messages: [] }
    topics.set(topic, messages)
    const message = { partition, key, value: value === null ? null : JSON.stringify(value) }
    messages.messages.push(headers ? { ...message, headers } : message)
  }
  return [...topics.values()]
}

/** What cannot be read is told as such: its reader decides what becomes of it. */
export const decode = (
  partition: number,
  { offset, value }: KafkaMessage,
  maxBytes = Infinity,
): Stored<unknown> => ({ partition, offset: Number(offset), value: read(value, maxBytes) })

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

/** Null: the record carries none, or one that nobody here wrote. */
export function positionOf({ headers }: KafkaMessage): CommitPosition | null {
  const header = headers?.[POSITION_HEADER]
  if (header === undefined || Array.isArray(header)) return null
  const { inbox, lifecycleEnd } = JSON.parse(header.toString()) as CommitPosition
  return Number.isSafeInteger(inbox) && Number.isSafeInteger(lifecycleEnd)
    ? { inbox, lifecycleEnd }
    : null
}
