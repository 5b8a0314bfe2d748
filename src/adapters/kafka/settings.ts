import { randomUUID } from 'node:crypto'
import type { Admin } from 'kafkajs'
import { z } from 'zod'
import { LOG_SCHEMA } from '../../schemas/log.ts'
import { Network } from '../../schemas/scalars.ts'
import { KafkaRefused } from './errors.ts'
import { ALL_KAFKA_TOPICS, OWN_TOPICS, topicConfig } from './topics.ts'

/** The first record of `market.settings`: whose log this is. */
export const LogSettings = z.object({
  app: z.literal('market'),
  schema: z.int().positive(),
  network: Network,
  partitions: z.int().positive(),
  /** Another one each time the topics are made: copies of an older log are worthless. */
  id: z.uuid(),
})
export type LogSettings = z.infer<typeof LogSettings>

export interface Wanted {
  prefix: string
  network: Network
  partitions: number
}

export const newSettings = ({ network, partitions }: Wanted): LogSettings => ({
  app: 'market',
  schema: LOG_SCHEMA,
  network,
  partitions,
  id: randomUUID(),
})

/**
 * Makes the topics that are missing, the settings first: topics of these names without settings are
 * somebody else's, and refused. Any number of processes may do this at the same time.
 */
export async function makeTopics(admin: Admin, wanted: Wanted): Promise<void> {
  const there = new Set(await admin.listTopics())
  const settings = wanted.prefix + OWN_TOPICS.settings
  if (!there.has(settings)) {
    const foreign = ALL_KAFKA_TOPICS.map((topic) => wanted.prefix + topic).filter((name) =>
      there.has(name),
    )
    if (foreign.length > 0) {
      throw new KafkaRefused(
        `topic ${foreign.join(', ')} is there without ${settings}: not made by this service; set KAFKA_PREFIX to another prefix, or delete it`,
      )
    }
    await create(admin, [OWN_TOPICS.settings], wanted)
  }
  const missing = ALL_KAFKA_TOPICS.filter((topic) => !there.has(wanted.prefix + topic))
  await create(admin, missing, wanted)
}

async function create(
  admin: Admin,
  topics: readonly (typeof ALL_KAFKA_TOPICS)[number][],
  wanted: Wanted,
): Promise<void> {
  if (topics.length === 0) return
  await admin.createTopics({
    waitForLeaders: true,
    topics: topics.map((topic) => topicConfig(topic, wanted)),
  })
}

/** Throws `KafkaRefused` where the log was made for something else. */
export function checkSettings(
  value: unknown,
  { prefix, network, partitions }: Wanted,
): LogSettings {
  const topic = prefix + OWN_TOPICS.settings
  const parsed = LogSettings.safeParse(value)
  if (!parsed.success) {
    throw new KafkaRefused(
      `topic ${topic} was not written by this service: set KAFKA_PREFIX to another prefix`,
    )
  }
  const made = parsed.data
  if (made.schema > LOG_SCHEMA) {
    throw new KafkaRefused(
      `the log of ${topic} has schema ${made.schema}, this release knows ${LOG_SCHEMA}: start a newer release`,
    )
  }
  if (made.network !== network) {
    throw new KafkaRefused(
      `the log of ${topic} was made for ${made.network}, BITCOIN_NETWORK is ${network}: set KAFKA_PREFIX to another prefix`,
    )
  }
  if (made.partitions !== partitions) {
    throw new KafkaRefused(
      `the log of ${topic} was made with ${made.partitions} partitions and ${partitions} are configured: set ORDER_PARTITIONS to ${made.partitions}`,
    )
  }
  return made
}
