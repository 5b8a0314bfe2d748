import { randomUUID } from 'node:crypto'
import type { Admin, Kafka } from 'kafkajs'
import { systemClock } from '../../../adapters/embedded/system-clock.ts'
import { openClient } from '../../../adapters/kafka/client/client.ts'
import { isKafkaRefusal, kafkaAway, loginRefusalOf } from '../../../adapters/kafka/client/errors.ts'
import { newAppendTransactions, OWN_TOPICS } from '../../../adapters/kafka/client/names.ts'
import { isTrimmed } from '../../../adapters/kafka/copy/copied-topics.ts'
import {
  cutTopic,
  makeEmptyTopics,
  setConsumed,
} from '../../../adapters/kafka/copy/empty-topics.ts'
import { OffsetWriter } from '../../../adapters/kafka/copy/offset-writer.ts'
import type { CopiedRecord } from '../../../adapters/kafka/copy/raw-record.ts'
import { readBack } from '../../../adapters/kafka/copy/read-back.ts'
import { type PartToWrite, writeLog } from '../../../adapters/kafka/copy/write-log.ts'
import { createTopics } from '../../../adapters/kafka/topics/settings.ts'
import { grouped } from '../../../domain/grouped.ts'
import { knownHeadKeys } from '../../../roles/keys/head-keys.ts'
import { kafkaSettings } from '../../../roles/open/open-log.ts'
import type { Config } from '../../../schemas/config/config.ts'
import { NEWEST_LOG_SCHEMA, TOPICS } from '../../../schemas/log.ts'
import type { BackupFiles } from '../files/backup-files.ts'
import { BackupRefusedError } from '../manifest.ts'
import { type LogManifest, type LogPart, partName } from './log-manifest.ts'
import type { LogBackup } from './open-log-backup.ts'
import { recordsInFiles } from './read-segment.ts'
import { frameOf, headAfter, NO_HEAD } from './record-frames.ts'
import { verifyLog } from './verify-log.ts'

/** What is in Kafka now. */
export interface RestoredLog extends LogManifest {
  /** The new log's: whatever followed the old one must not go on with this one. */
  restoredAs: string
}

/**
 * Writes a backup of the log into empty topics, each record at its own offset, reads all of it again,
 * and only then makes it a log. What an interrupted one leaves is no log to any role; it is deleted, then
 * this is repeated.
 *
 * @throws BackupRefusedError, KafkaRefusedError, StorageUnavailableError
 */
export async function restoreLog(config: Config, backup: LogBackup): Promise<RestoredLog> {
  const { files, manifest } = backup
  const { problems, holes } = await verifyLog(backup, knownHeadKeys(config))
  const [problem] = problems
  if (problem) throw new BackupRefusedError(`the backup in ${files.where} is damaged: ${problem}`)
  const brokers = requireFit(config, files.where, manifest)
  const settings = { ...kafkaSettings(config, systemClock), schema: manifest.schema }
  const kafka = openClient({ ...settings, brokers, onLog: () => {} })
  const admin = kafka.admin()
  await admin.connect().catch((error: unknown) => {
    const what = `Kafka (${brokers.join(', ')}) cannot be used`
    throw loginRefusalOf(error) ?? kafkaAway(what, error)
  })
  try {
    await makeEmptyTopics(admin, settings)
    const restore = new Restore(kafka, admin, settings.prefix, files, holes)
    const [own, others] = partition(manifest.parts, ({ topic }) => topic === OWN_TOPICS.settings)
    await restore.write(others)
    await restore.cut(others)
    await restore.check(others)
    await setConsumed(admin, settings.prefix, inboxBegins(manifest))
    // Last, since with its settings it is a log.
    await createTopics(admin, [OWN_TOPICS.settings], settings)
    const restoredAs = randomUUID()
    await restore.write(own, (record) => ownedBy(record, manifest.logId, restoredAs))
    return { ...manifest, restoredAs }
  } catch (error) {
    if (error instanceof BackupRefusedError || isKafkaRefusal(error)) throw error
    throw kafkaAway(UNFINISHED, error)
  } finally {
    await admin.disconnect().catch(() => undefined)
  }
}

const UNFINISHED =
  'the restore did not finish: mend what it names, delete the topics that it made, and run it again'

function requireFit(config: Config, where: string, manifest: LogManifest): readonly string[] {
  const { network, partitions, schema } = manifest
  const { KAFKA_BROKERS, BITCOIN_NETWORK, ORDER_PARTITIONS } = config
  const refused = (cure: string) => new BackupRefusedError(`the backup in ${where} is ${cure}`)
  if (!KAFKA_BROKERS)
    throw refused('of a log in Kafka: set KAFKA_BROKERS to where it is to be restored')
  if (network !== BITCOIN_NETWORK) throw refused(`of ${network}: set BITCOIN_NETWORK=${network}`)
  if (schema > NEWEST_LOG_SCHEMA)
    throw refused('of a log with records of a newer release: start that one, or a later one')
  if (partitions !== ORDER_PARTITIONS)
    throw refused(`of ${partitions} partitions: set ORDER_PARTITIONS=${partitions}`)
  return KAFKA_BROKERS
}

class Restore {
  readonly #kafka: Kafka
  readonly #admin: Admin
  readonly #prefix: string
  readonly #files: BackupFiles
  readonly #holes: ReadonlyMap<string, number | null>

  constructor(
    kafka: Kafka,
    admin: Admin,
    prefix: string,
    files: BackupFiles,
    holes: ReadonlyMap<string, number | null>,
  ) {
    this.#kafka = kafka
    this.#admin = admin
    this.#prefix = prefix
    this.#files = files
    this.#holes = holes
  }

  async write(
    parts: readonly LogPart[],
    changed: (record: CopiedRecord) => CopiedRecord = (record) => record,
  ): Promise<void> {
    const topics = [...new Set(parts.map(({ topic }) => this.#prefix + topic))]
    const writer = await OffsetWriter.open(this.#kafka, topics, newAppendTransactions(this.#prefix))
    try {
      const toWrite = parts.map((part) => this.#toWrite(part, changed))
      await writeLog(writer, this.#prefix, toWrite, () => systemClock.monotonic())
    } finally {
      await writer.close()
    }
  }

  /** What was deleted there, or has had its effect, is deleted here. */
  async cut(parts: readonly LogPart[]): Promise<void> {
    const begun = parts.filter(({ topic, begin }) => isTrimmed(topic) && begin > 0)
    for (const [topic, those] of grouped(begun, (part) => part.topic)) {
      const begins = those.map(({ partition, begin }) => ({ partition, offset: begin }))
      await cutTopic(this.#admin, this.#prefix + topic, begins)
    }
  }

  async check(parts: readonly LogPart[]): Promise<void> {
    const written = parts.map((part) => ({
      ...part,
      topic: this.#prefix + part.topic,
      name: partName(part),
      hash: NO_HEAD,
    }))
    for await (const { part, records } of readBack(this.#kafka, this.#prefix, written)) {
      for (const record of records) part.hash = headAfter(part.hash, frameOf(record))
    }
    const wrong = written.filter(({ hash, head }) => hash !== head).map(({ name }) => name)
    if (wrong.length > 0) {
      throw new BackupRefusedError(
        `Kafka gives other records than were written: ${wrong.join(', ')}; delete the topics, and run it again`,
      )
    }
  }

  #toWrite(part: LogPart, changed: (record: CopiedRecord) => CopiedRecord): PartToWrite {
    const { topic, partition, end } = part
    // Not consumed yet: it must not be deleted for its age before it is.
    const now = topic === TOPICS.inbox ? { timestamp: systemClock.now() } : {}
    const files = this.#files
    return {
      ...{ topic, partition, end },
      afterHole: this.#holes.get(partName(part)) ?? null,
      records: (async function* () {
        for await (const records of recordsInFiles(files, part))
          yield records.map((record) => changed({ ...record, ...now }))
      })(),
    }
  }
}

const inboxBegins = ({ parts, partitions }: LogManifest): number[] =>
  Array.from(
    { length: partitions },
    (_, at) =>
      parts.find(({ topic, partition }) => topic === TOPICS.inbox && partition === at)?.begin ?? 0,
  )

/** The settings of the log, with the id of the new one. */
function ownedBy(record: CopiedRecord, from: string, to: string): CopiedRecord {
  const settings = JSON.parse(String(record.value)) as { id?: string }
  if (settings.id !== from) return record
  return { ...record, value: Buffer.from(JSON.stringify({ ...settings, id: to })) }
}

function partition<T>(items: readonly T[], is: (item: T) => boolean): [T[], T[]] {
  return [items.filter(is), items.filter((item) => !is(item))]
}
