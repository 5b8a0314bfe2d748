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

const Bytes = z.number().nonnegative()

export const DiskFacts = z.strictObject({
  freeBytes: Bytes.describe('free on the disk of DATA_DIR'),
  sizeBytes: Bytes.describe('size of that disk'),
  storeBytes: Bytes.describe('what the store in DATA_DIR takes of it'),
  bytesPerDay: z
    .number()
    .nullable()
    .describe(
      'how fast the disk fills, whatever fills it, over the last day or since the start; null: known after an hour',
    ),
  daysLeft: z
    .number()
    .nullable()
    .describe('until the disk is full at that pace; null: not known, or it does not fill'),
})
export type DiskFacts = z.infer<typeof DiskFacts>

const Rate = z.number().nullable()

/** What one process says of itself: others of a fleet say it at their own ports. */
export const ProcessFacts = z.strictObject({
  role: z
    .enum(['all', 'gateway'])
    .describe('`all`: the whole service is one process; `gateway`: other processes do the rest'),
  startedAt: Timestamp.describe('when it started'),
  uptimeSeconds: z.int().nonnegative().describe('how long it runs'),
  requestsPerSecond: Rate.describe('answers over HTTP, in the last minute; null: not known yet'),
  importsPerSecond: Rate.describe(
    'imports that were answered with an order, in the last minute; null: not known yet',
  ),
  disk: DiskFacts.nullable().describe('null: this process has no store on its disk'),
})
export type ProcessFacts = z.infer<typeof ProcessFacts>

/** Rates of the whole service's log, by all its processes; in Kafka the end of a transaction counts, too. */
export const LogRates = z.strictObject({
  inboxPerSecond: z.number().nonnegative().describe('records of the inbox, in the last minute'),
  lifecyclePerSecond: z
    .number()
    .nonnegative()
    .describe('changes of orders and outcomes of commands, in the last minute'),
})
export type LogRates = z.infer<typeof LogRates>

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

/** Where a dead letter's record is in the inbox. */
export const LetterPlace = z.strictObject({
  partition: z.int().nonnegative().describe('number of the partition, from 0'),
  offset: z.int().nonnegative().describe('of the record, in the inbox'),
})
export type LetterPlace = z.infer<typeof LetterPlace>

export const SetAsideRecord = z.strictObject({
  ...LetterPlace.shape,
  reasons: z.array(z.string()).describe('one, or one for each order that could not take it'),
  retriedAt: Timestamp.nullable().describe('when it was tried again; null: it was not'),
})
export type SetAsideRecord = z.infer<typeof SetAsideRecord>

const PathNumber = z
  .string()
  .regex(/^[0-9]{1,15}$/, 'must be a whole number')
  .transform(Number)

export const LetterPath = z.object({
  partition: PathNumber.describe('number of the partition, from 0'),
  offset: PathNumber.describe('of the record, in the inbox'),
})

export const ShownLetter = z
  .strictObject({
    ...SetAsideRecord.shape,
    record: z
      .unknown()
      .describe(
        'as the inbox still has it, else as the letter has it: the beginning of a large one',
      ),
    isOriginal: z.boolean().describe('false: `record` is the letter’s, the inbox no longer has it'),
  })
  .describe('A dead letter and its record.')
export type ShownLetter = z.infer<typeof ShownLetter>

/** Letters that one request may name. */
const MAX_LETTERS = 100

export const RetryLetters = z.strictObject({
  places: z
    .union([z.literal('all'), z.array(LetterPlace).min(1).max(MAX_LETTERS)])
    .describe(
      `up to ${MAX_LETTERS} places of the inbox, or \`all\`: each that was not retried yet`,
    ),
  after: LetterPlace.exactOptional().describe(
    'of `all` only those after this place: `next` of an answer',
  ),
})
export type RetryLetters = z.infer<typeof RetryLetters>

export const LetterRetry = z.strictObject({
  place: LetterPlace.describe('where the record is in the inbox'),
  toPartition: z
    .int()
    .nonnegative()
    .nullable()
    .describe('partition of the inbox that it was appended to; null: it was not'),
  why: z.string().nullable().describe('why it was not retried; null: it was'),
})
export type LetterRetry = z.infer<typeof LetterRetry>

export const LettersRetried = z
  .strictObject({
    retries: z.array(LetterRetry).describe('in the order of the places'),
    next: LetterPlace.nullable().describe(
      'the last place that this request came to, where others are left; null: none is left',
    ),
  })
  .describe('What became of each letter.')
export type LettersRetried = z.infer<typeof LettersRetried>

export const OperatorAct = z.strictObject({
  at: Timestamp.describe('when it was done or refused'),
  operator: z.string().describe('the name of the operator’s token'),
  act: z.string().describe('what was done, or asked for where it was refused'),
  about: z.string().max(1_000).describe('what it concerned'),
  refused: z.string().nullable().describe('code of the refusal, or `failed`; null: it was done'),
})
export type OperatorAct = z.infer<typeof OperatorAct>

export const OperationsReport = z
  .strictObject({
    build: BuildInfo.describe('of the process that answered'),
    process: ProcessFacts.describe('the process that answered: uptime, rates, disk'),
    rates: LogRates.describe('of the log, by all processes'),
    partitions: z.array(PartitionProgress).describe('how far the readers of each partition are'),
    feeds: z
      .array(FeedStatus)
      .nullable()
      .describe('null: another process reads them, and its metrics tell'),
    deadLetters: z
      .array(SetAsideRecord)
      .describe('inbox records that no worker could process: the newest 50 of each partition'),
    acts: z
      .array(OperatorAct)
      .describe('the newest 100 acts of operators at the gateway that answered, since its start'),
  })
  .describe('How far each part of the service has come.')
export type OperationsReport = z.infer<typeof OperationsReport>
