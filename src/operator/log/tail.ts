import type { EventLog, Stored } from '../../ports/log/event-log.ts'
import type { Config } from '../../schemas/config/config.ts'
import { TOPICS, type Topic } from '../../schemas/log.ts'
import { describeRecord } from '../../streams/records/describe-record.ts'
import { inboxPlaceText } from '../../streams/records/place.ts'
import { partitionsOf, withExistingLog } from './open-existing.ts'
import { requirePartition } from './place.ts'

export interface TailOptions {
  topics: readonly Topic[]
  /** Absent: all of them. */
  partition?: number
  order?: string
  outpoint?: string
  /** An offset, the same in every partition. */
  from: 'beginning' | 'end' | number
  /** Absent: until the signal. */
  limit?: number
  /** False: only what is there now. */
  follow: boolean
  json: boolean
}

type TopicPartition = { topic: Topic; partition: number }

/** Feeds have one partition. */
const FEEDS: ReadonlySet<Topic> = new Set([TOPICS.blocks, TOPICS.mempool, TOPICS.index])

/**
 * Prints records of the log, a line each, in the order of each partition, until the signal aborts,
 * the limit is reached, or (`follow` false) the records present were printed.
 */
export const tail = (
  config: Config,
  options: TailOptions,
  print: (line: string) => Promise<void>,
  signal: AbortSignal,
): Promise<void> =>
  withExistingLog(config, 'tail', async ({ log }) => {
    const enough = new AbortController()
    const run = AbortSignal.any([signal, enough.signal])
    let left = options.limit ?? Number.POSITIVE_INFINITY
    const tails = sourcesOf(log, options).map(async (source) => {
      for await (const batch of await batchesOf(log, source, options, run)) {
        for (const record of batch) {
          const line = run.aborted ? null : lineOf(source.topic, record, options)
          if (line === null) continue
          left -= 1
          if (left <= 0) enough.abort()
          await print(line)
        }
        if (run.aborted) return
      }
    })
    try {
      await Promise.all(tails)
    } finally {
      enough.abort()
      await Promise.allSettled(tails)
    }
  })

function sourcesOf(log: EventLog, { topics, partition }: TailOptions): TopicPartition[] {
  if (partition !== undefined) requirePartition(partition, log.partitions)
  return topics.flatMap((topic) =>
    (FEEDS.has(topic) ? [0] : partitionsOf(log))
      .filter((one) => partition === undefined || one === partition)
      .map((one) => ({ topic, partition: one })),
  )
}

async function batchesOf(
  log: EventLog,
  { topic, partition }: TopicPartition,
  { from, follow }: TailOptions,
  signal: AbortSignal,
): Promise<AsyncIterable<readonly Stored<unknown>[]>> {
  const first = { beginning: async () => 0, end: () => log.end(topic, partition) }
  const offset = typeof from === 'number' ? from : await first[from]()
  return follow ? log.read(topic, partition, offset, signal) : log.stored(topic, partition, offset)
}

/** Null if the filters exclude the record. */
function lineOf(
  topic: Topic,
  { partition, offset, value }: Stored<unknown>,
  { order, outpoint, json }: TailOptions,
): string | null {
  const described = describeRecord(topic, partition, value)
  if (order !== undefined && described.orderId !== order) return null
  if (outpoint !== undefined && described.outpoint !== outpoint) return null
  if (json) return JSON.stringify({ topic, partition, offset, value })
  const at = (described.at ?? '').padEnd('2026-01-01T00:00:00.000Z'.length)
  return `${topic} ${inboxPlaceText({ partition, offset })}  ${at}  ${described.kind}  ${described.what}`
}
