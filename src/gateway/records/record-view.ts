import type { BrowsedRecord } from '../../ports/log/record-browser.ts'
import type { RecordView } from '../../schemas/api/records.ts'
import { TOPICS, type Topic } from '../../schemas/log.ts'
import { describeRecord, RECORD_SCHEMAS } from '../../streams/records/describe-record.ts'
import { withoutSecrets } from '../../streams/records/withheld.ts'

/** Bytes of a value that is shown whole. */
const MAX_VALUE_BYTES = 2 ** 17
/** Characters of a larger one. */
const SHOWN_CHARACTERS = 4_000
/** How deep in a record a text is looked for. */
const DEPTH = 2

/** A record as an operator may see it, without secrets. */
export function recordView(topic: Topic, record: BrowsedRecord): RecordView {
  const { partition, offset, headers } = record
  const { key, value } = withoutSecrets(topic, record)
  const { kind, what } = describeRecord(topic, partition, record.value)
  const text = JSON.stringify(value) ?? 'null'
  const bytes = Buffer.byteLength(text)
  const isCut = bytes > MAX_VALUE_BYTES
  return {
    ...{ partition, offset, at: new Date(record.at).toISOString(), key },
    ...{ schema: RECORD_SCHEMAS[topic], kind, what: shownWhat(topic, kind, what) },
    ...{ headers, chain: chainOf(topic, value), bytes },
    ...{ value: isCut ? text.slice(0, SHOWN_CHARACTERS) : value, isCut },
  }
}

/** Whether its key, or a text in one of its fields, is exactly this: what is withheld is not found. */
export function hasText(topic: Topic, record: BrowsedRecord, text: string): boolean {
  const { key, value } = withoutSecrets(topic, record)
  return key === text || holds(value, text, DEPTH)
}

function holds(value: unknown, text: string, depth: number): boolean {
  if (typeof value === 'string') return value === text
  if (typeof value !== 'object' || value === null || depth === 0) return false
  return Object.values(value).some((one) => holds(one, text, depth - 1))
}

/** The words for an unreadable record quote it: not where it may have secrets. */
const shownWhat = (topic: Topic, kind: string, what: string): string =>
  kind === 'unreadable' && (topic === TOPICS.keys || topic === TOPICS.webhooks) ? 'withheld' : what

function chainOf(topic: Topic, value: unknown): RecordView['chain'] {
  if (topic !== TOPICS.lifecycle || typeof value !== 'object' || value === null) return null
  const { prevHash = null, hash } = value as { prevHash?: unknown; hash?: unknown }
  const isLink = prevHash === null || typeof prevHash === 'string'
  return typeof hash === 'string' && isLink ? { prevHash, hash } : null
}
