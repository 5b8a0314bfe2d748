import { z } from 'zod'
import { Timestamp } from './scalars.ts'

/** Which build of the service a process runs. */
export const BuildInfo = z.strictObject({
  version: z.string().describe('of the release; `unknown`: started from its sources'),
  commit: z
    .string()
    .describe('that it was built from, `-dirty` if files were changed; `unknown`: not stated'),
  node: z.string().describe('version of Node.js that runs it'),
})
export type BuildInfo = z.infer<typeof BuildInfo>

const Height = z.int().nonnegative()

/** A reader's place in a partition of the log. */
export const ReaderPosition = z.strictObject({
  at: z.int().nonnegative().nullable().describe('its place; null: unavailable'),
  end: z.int().nonnegative().describe('the end of the partition'),
  left: z.int().nonnegative().nullable().describe('records still to be read; null: unavailable'),
})
export type ReaderPosition = z.infer<typeof ReaderPosition>

export const PartitionProgress = z.strictObject({
  partition: z.int().nonnegative().describe('number of the partition, from 0'),
  actors: ReaderPosition.describe('the order actors, reading the inbox'),
  views: ReaderPosition.describe('the order views, reading the lifecycle'),
  history: ReaderPosition.describe('the history, reading the lifecycle'),
  watermark: z
    .strictObject({
      at: Timestamp.describe('when it was written'),
      tipHeight: Height.describe('height of the node then'),
      indexHeight: Height.nullable().describe('null: the index had no usable answer'),
      indexStatus: z
        .enum(['ready', 'unconfigured', 'unreachable', 'behind', 'reorged'])
        .describe('state of the asset index then'),
    })
    .nullable()
    .describe('orders verified until then still are; null: none has covered the partition yet'),
})
export type PartitionProgress = z.infer<typeof PartitionProgress>

export const FeedStatus = z.strictObject({
  feed: z.enum(['portable-nostr802', 'asset-offers']).describe('as in `sources` of an order'),
  from: z.string().describe('its address, without a query'),
  state: z.enum(['connecting', 'catching up', 'following', 'paused']).describe('what it is doing'),
  trouble: z.string().nullable().describe('why it is paused; null: it is not'),
  detail: z
    .string()
    .max(300)
    .nullable()
    .describe('the trouble in the words of the other side; null: none'),
})
export type FeedStatus = z.infer<typeof FeedStatus>

export const SetAsideRecord = z.strictObject({
  partition: z.int().nonnegative().describe('number of the partition, from 0'),
  offset: z.int().nonnegative().describe('of the record, in the inbox'),
  reasons: z.array(z.string()).describe('one, or one for each order that could not take it'),
  retriedAt: Timestamp.nullable().describe('when it was tried again; null: it was not'),
})
export type SetAsideRecord = z.infer<typeof SetAsideRecord>

export const OperationsReport = z
  .strictObject({
    build: BuildInfo.describe('of the process that answered'),
    partitions: z.array(PartitionProgress).describe('how far the readers of each partition are'),
    feeds: z
      .array(FeedStatus)
      .nullable()
      .describe('null: another process reads them, and its metrics tell'),
    deadLetters: z
      .array(SetAsideRecord)
      .describe('inbox records that no worker could process: the newest 50 of each partition'),
  })
  .describe('How far each part of the service has come.')
export type OperationsReport = z.infer<typeof OperationsReport>
