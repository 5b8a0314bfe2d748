import { z } from 'zod'
import { TOPICS } from '../log.ts'
import { Timestamp } from '../scalars.ts'
import { MAX_CURSOR_LENGTH } from './api.ts'

const TopicName = z.enum(TOPICS)
const Offset = z.int().nonnegative()

export const TopicView = z.strictObject({
  topic: TopicName.describe('name of the topic, without the prefix of Kafka'),
  partitions: z.int().positive().describe('how many partitions it has'),
  offsets: Offset.describe(
    'offsets from the oldest record to the newest, of all partitions: records, and holes between them',
  ),
  bytes: Offset.nullable().describe(
    'what its tables take on the disk; null: not known, as in Kafka',
  ),
  cleanUp: z
    .enum(['delete', 'compact', 'keep'])
    .describe('of old records: deleted by age, all but the last of a key, or kept'),
  keptForMs: z.int().nullable().describe('age at which records are deleted; null: never by age'),
})
export type TopicView = z.infer<typeof TopicView>

export const TopicList = z
  .strictObject({ topics: z.array(TopicView).describe('every topic of the log') })
  .describe('What the log keeps.')
export type TopicList = z.infer<typeof TopicList>

export const TopicPath = z.object({ topic: TopicName.describe('name of the topic') })

const MAX_RECORDS = 100
const OFFSET_TEXT = /^[0-9]{1,15}$/

/** A time in UTC, or an offset. */
const From = z
  .string()
  .refine(
    (text) => OFFSET_TEXT.test(text) || z.iso.datetime().safeParse(text).success,
    'must be an offset, or a time in UTC, such as 2026-01-31T12:00:00Z',
  )
  .transform((text): { offset: number } | { time: number } =>
    OFFSET_TEXT.test(text) ? { offset: Number(text) } : { time: Date.parse(text) },
  )

export const RecordsQuery = z.object({
  partition: z
    .string()
    .regex(/^[0-9]{1,4}$/, 'must be the number of a partition')
    .transform(Number)
    .exactOptional()
    .describe('only this partition; all are read together by default, in the order of their times'),
  key: z
    .string()
    .min(1, 'must not be empty')
    .max(200)
    .exactOptional()
    .describe(
      'only records with exactly this key, or exactly this text in a field: an order, an output, a kind',
    ),
  from: From.exactOptional().describe(
    'where to start: a time in UTC, or an offset, the same in each partition; by default the end of the log',
  ),
  direction: z
    .enum(['older', 'newer'])
    .default('older')
    .describe('`older`: the records before `from`; `newer`: those from it on'),
  limit: z
    .string()
    .regex(/^[1-9][0-9]{0,2}$/, `must be a decimal number from 1 to ${MAX_RECORDS}`)
    .transform(Number)
    .refine((limit) => limit <= MAX_RECORDS, `must be a decimal number from 1 to ${MAX_RECORDS}`)
    .default(25)
    .describe(`records per page: 1 to ${MAX_RECORDS}, 25 by default`),
  cursor: z
    .string()
    .max(MAX_CURSOR_LENGTH)
    .exactOptional()
    .describe('`older` or `newer` of a page; `from` and `direction` do not count then'),
})
export type RecordsQuery = z.infer<typeof RecordsQuery>

export const RecordView = z.strictObject({
  partition: z.int().nonnegative().describe('number of the partition, from 0'),
  offset: Offset.describe('of the record in its partition'),
  at: Timestamp.describe('when it was appended'),
  key: z.string().nullable().describe('its key; null: none, or withheld'),
  schema: z.string().describe('name of the shape of the topic’s records, in src/schemas'),
  kind: z.string().describe('kind of record; `unreadable`: not of that shape'),
  what: z.string().describe('what it says, in words'),
  headers: z.record(z.string(), z.string()).describe('its headers; none in the embedded log'),
  chain: z
    .strictObject({
      prevHash: z
        .string()
        .nullable()
        .describe('hash of the order’s change before; null: the first'),
      hash: z.string().describe('hash of this change'),
    })
    .nullable()
    .describe('its link in the chain of an order’s changes; null: it is no change'),
  bytes: Offset.describe('of its value as JSON'),
  value: z.unknown().describe('the record; where `isCut`, the beginning of its JSON'),
  isCut: z.boolean().describe('true: it is larger than 128 KiB'),
})
export type RecordView = z.infer<typeof RecordView>

export const RecordPage = z
  .strictObject({
    topic: TopicName.describe('name of the topic'),
    records: z.array(RecordView).describe('the newest first, across partitions by their times'),
    older: z.string().nullable().describe('cursor to what is older; null: nothing is'),
    newer: z
      .string()
      .nullable()
      .describe('cursor to what is newer; null: nothing was when it was read'),
    scanned: z.int().nonnegative().describe('records that were looked at'),
    stopped: z
      .enum(['records', 'bytes', 'time'])
      .nullable()
      .describe(
        'the bound that ended the page before it was full: go on from the cursor; null: it is full, or nothing is left',
      ),
  })
  .describe('Records of a topic.')
export type RecordPage = z.infer<typeof RecordPage>
