import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import kafkajs, { type Admin } from 'kafkajs'
import { z } from 'zod'
import { NEWEST_LOG_SCHEMA } from '../../../schemas/log.ts'
import { Network } from '../../../schemas/scalars.ts'
import { deniedBy, isDenied, KafkaDeniedError, type RightsAsked } from '../client/denied.ts'
import { isWithoutLeader, KafkaRefusedError } from '../client/errors.ts'
import { ALL_KAFKA_TOPICS, type KafkaTopic, LATER_TOPICS, OWN_TOPICS } from '../client/names.ts'
import { type CheckedLog, topicConfig } from './topics.ts'

const { TOPIC } = kafkajs.ConfigResourceTypes

/** The first record of `market.settings`: which service owns this log. Later ones with its id raise the schema. */
export const LogSettings = z.object({
  app: z.literal('market'),
  /** The newest form that records of the log may have: an upgrade raises it (ADR 111). */
  schema: z.int().positive(),
  network: Network,
  partitions: z.int().positive(),
  /** New each time the topics are created: copies of an older log must not be used. */
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
  schema: NEWEST_LOG_SCHEMA,
  network,
  partitions,
  id: randomUUID(),
})

/**
 * Creates the missing topics, the settings first: topics of these names without settings belong to
 * another application, and are refused. Any number of processes may do this at the same time. None is
 * missing then.
 */
export async function makeTopics(admin: Admin, wanted: Wanted): Promise<readonly KafkaTopic[]> {
  const missing = await missingTopics(admin, wanted)
  const made = { ...wanted, schema: NEWEST_LOG_SCHEMA }
  if (missing.includes(OWN_TOPICS.settings)) await createTopics(admin, [OWN_TOPICS.settings], made)
  await createTopics(
    admin,
    missing.filter((topic) => topic !== OWN_TOPICS.settings),
    made,
  )
  return []
}

/**
 * For callers that create none: the later topics that the log of an earlier release lacks. Throws
 * `KafkaRefusedError` if any other is missing.
 */
export async function requireTopics(admin: Admin, wanted: Wanted): Promise<readonly KafkaTopic[]> {
  const missing = await missingTopics(admin, wanted)
  const isLater = (topic: KafkaTopic): boolean => LATER_TOPICS.includes(topic)
  if (missing.every(isLater)) return missing
  const names = missing.map((topic) => wanted.prefix + topic).join(', ')
  throw new KafkaRefusedError(
    `no log in Kafka under this name: topic ${names} is missing; set KAFKA_PREFIX to the service's value, or start the service, which creates it`,
  )
}

/** Throws `KafkaRefusedError` if some exist and are not of this service. */
export async function missingTopics(
  admin: Admin,
  { prefix }: Pick<Wanted, 'prefix'>,
): Promise<readonly KafkaTopic[]> {
  const there = new Set(await admin.listTopics())
  const missing = ALL_KAFKA_TOPICS.filter((topic) => !there.has(prefix + topic))
  await Promise.all(missing.map((topic) => requireVisible(admin, prefix + topic)))
  const foreign = ALL_KAFKA_TOPICS.filter((topic) => there.has(prefix + topic))
  if (missing.includes(OWN_TOPICS.settings) && foreign.length > 0) {
    const names = foreign.map((topic) => prefix + topic).join(', ')
    throw new KafkaRefusedError(
      `topic ${names} exists without ${prefix}${OWN_TOPICS.settings}: not created by this service; set KAFKA_PREFIX to another prefix, or delete it`,
    )
  }
  return missing
}

/**
 * For a process that found no settings and would write them: records without settings are no log, but
 * what a restore has written so far.
 *
 * @throws KafkaRefusedError
 */
export async function requireUnwritten(
  admin: Admin,
  prefix: string,
  there: readonly KafkaTopic[],
): Promise<void> {
  const { settings } = OWN_TOPICS
  const full = await writtenTopics(
    admin,
    prefix,
    there.filter((topic) => topic !== settings),
  )
  if (full.length === 0) return
  // Another process made the log meanwhile.
  if ((await writtenTopics(admin, prefix, [settings])).length > 0) return
  throw new KafkaRefusedError(
    `topic ${full.join(', ')} has records, but ${prefix}${settings} has none: a restore goes on, or was interrupted; wait for its end, or delete the topics and repeat it`,
  )
}

/** Topics that have, or had, records, by their whole names. */
export async function writtenTopics(
  admin: Admin,
  prefix: string,
  topics: readonly KafkaTopic[],
): Promise<string[]> {
  const written: string[] = []
  for (const topic of topics) {
    const places = await admin.fetchTopicOffsets(prefix + topic)
    if (places.some(({ high }) => Number(high) > 0)) written.push(prefix + topic)
  }
  return written
}

const KNOWN_WITHIN_MS = 30_000
const ASKED_AGAIN_MS = 100

/**
 * As the service makes them, unless another process made them meanwhile. When it resolves, the leader of
 * each partition knows that it is: it takes records.
 */
export async function createTopics(
  admin: Admin,
  topics: readonly KafkaTopic[],
  wanted: CheckedLog,
): Promise<void> {
  if (topics.length === 0) return
  const configs = topics.map((topic) => topicConfig(topic, wanted))
  const names = configs.map(({ topic }) => topic)
  // kafkajs would wait only for those that this request made, and not where a broker does not know them yet.
  await admin.createTopics({ waitForLeaders: false, topics: configs }).catch((error: unknown) => {
    const asked: RightsAsked = { topic: { operation: 'Create', names } }
    throw deniedBy(null, error, 'topics are missing', asked) ?? error
  })
  const until = knownUntil()
  for (const name of names) await untilKnown(admin, name, until, (error) => !isDenied(null, error))
}

/** When the leaders of new topics must know that they are, by `performance.now()`. */
export const knownUntil = (): number => performance.now() + KNOWN_WITHIN_MS

/**
 * Waits for the leaders of topics that another process may have made a moment ago: brokers list them
 * before their leaders know of them. That process writes the settings once they all do. What fails
 * otherwise, or for longer, fails the request that comes next.
 */
export async function untilLed(
  admin: Admin,
  prefix: string,
  there: readonly KafkaTopic[],
  until: number,
): Promise<void> {
  const { settings } = OWN_TOPICS
  try {
    if (there.includes(settings)) {
      const [first] = await untilKnown(admin, prefix + settings, until, isWithoutLeader)
      if (Number(first?.high ?? 0) > 0) return
    }
    for (const topic of there.filter((one) => one !== settings))
      await untilKnown(admin, prefix + topic, until, isWithoutLeader)
  } catch {
    return
  }
}

async function untilKnown(
  admin: Admin,
  topic: string,
  until: number,
  mayPass: (error: unknown) => boolean,
) {
  for (;;) {
    try {
      return await admin.fetchTopicOffsets(topic)
    } catch (error) {
      if (!mayPass(error) || performance.now() > until) throw error
      await delay(ASKED_AGAIN_MS)
    }
  }
}

/**
 * Brokers list no topic that a user may not describe: such a one is not missing. Its settings are asked
 * for, since that creates none.
 *
 * @throws KafkaDeniedError
 */
async function requireVisible(admin: Admin, name: string): Promise<void> {
  const what = 'it is not known which topics exist'
  const isThere = await admin
    .describeConfigs({ includeSynonyms: false, resources: [{ type: TOPIC, name }] })
    .then(
      () => true,
      (error: unknown) => {
        const asked: RightsAsked = { topic: { operation: 'DescribeConfigs', names: [name] } }
        const denied = deniedBy(null, error, what, asked)
        if (denied) throw denied
        return false
      },
    )
  // Created since it was listed, unless it is still not listed.
  if (!isThere || (await admin.listTopics()).includes(name)) return
  throw new KafkaDeniedError(what, `the right Describe on topic ${name}`, null)
}

/**
 * What all records of the topic together say. Throws `KafkaRefusedError` if the log was created with
 * other settings, or is of a newer release.
 */
export function checkSettings(
  values: readonly unknown[],
  { prefix, network, partitions }: Wanted,
): LogSettings {
  const topic = prefix + OWN_TOPICS.settings
  const [first, ...later] = values.map((value) => LogSettings.safeParse(value).data)
  if (!first) {
    throw new KafkaRefusedError(
      `topic ${topic} was not written by this service: set KAFKA_PREFIX to another prefix`,
    )
  }
  // Several processes may have made the log at the same time: the first one's settings count.
  const raised = later.filter((one) => one?.id === first.id).map((one) => one?.schema ?? 0)
  const made = { ...first, schema: Math.max(first.schema, ...raised) }
  if (made.schema > NEWEST_LOG_SCHEMA) {
    throw new KafkaRefusedError(
      `the log of ${topic} has schema ${made.schema}, but this release reads ${NEWEST_LOG_SCHEMA}: start a newer release`,
    )
  }
  if (made.network !== network) {
    throw new KafkaRefusedError(
      `the log of ${topic} was created for ${made.network}, but BITCOIN_NETWORK is ${network}: set KAFKA_PREFIX to another prefix`,
    )
  }
  if (made.partitions !== partitions) {
    throw new KafkaRefusedError(
      `the log of ${topic} was created with ${made.partitions} partitions, but ${partitions} are configured: set ORDER_PARTITIONS to ${made.partitions}`,
    )
  }
  return made
}
