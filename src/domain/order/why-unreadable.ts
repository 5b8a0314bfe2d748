import type { z } from 'zod'
import {
  CommandRecord,
  EvidenceRecord,
  type InboxRecord,
  LOG_SCHEMA,
  OutputRecord,
  RenewalRecord,
  SpendRecord,
  Watermark,
} from '../../schemas/log.ts'

/** Longest reason in a dead letter, in characters. */
const MAX_CHARACTERS = 200

const KINDS: Record<InboxRecord['kind'], z.ZodType> = {
  output: OutputRecord,
  spend: SpendRecord,
  command: CommandRecord,
  evidence: EvidenceRecord,
  watermark: Watermark,
  renewal: RenewalRecord,
}

/** Why a value is not a valid inbox record, in words for an operator. */
export const whyUnreadable = (value: unknown): string => reasonOf(value).slice(0, MAX_CHARACTERS)

function reasonOf(value: unknown): string {
  if (typeof value !== 'object' || value === null) return 'it is not an object'
  // Set by an adapter for a value it could not decode.
  if ('unreadable' in value && typeof value.unreadable === 'string') return value.unreadable
  if (!('schema' in value) || value.schema !== LOG_SCHEMA) {
    const schema = 'schema' in value ? JSON.stringify(value.schema) : 'missing'
    return `this release reads schema ${LOG_SCHEMA}, and its schema is ${schema}`
  }
  const kind = 'kind' in value ? String(value.kind) : ''
  if (!Object.hasOwn(KINDS, kind)) return 'its kind is not one of the inbox'
  const [issue] = KINDS[kind as InboxRecord['kind']].safeParse(value).error?.issues ?? []
  return issue
    ? `${issue.path.join('.') || kind}: ${issue.message}`
    : 'it is not a record of the inbox'
}
