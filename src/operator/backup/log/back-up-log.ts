import { isCompacted } from '../../../adapters/kafka/copy/copied-topics.ts'
import { copyLog } from '../../../adapters/kafka/copy/copy-log.ts'
import { KafkaLog } from '../../../adapters/kafka/log.ts'
import { BUILD_INFO } from '../../../roles/observe/build-info.ts'
import { NeedsNotListedError } from '../../../roles/rights/server-needs.ts'
import type { Config } from '../../../schemas/config/config.ts'
import { withExistingLog } from '../../log/open-existing.ts'
import type { BackupFiles } from '../files/backup-files.ts'
import { BackupRefusedError } from '../manifest.ts'
import { LogBackupWriter } from './log-backup-writer.ts'
import type { LogManifest, LogPart } from './log-manifest.ts'

/**
 * Brokers keep the mark of a deleted key for a day: a copy of a compacted topic that did not read for
 * longer than this begins again, else it could keep what was deleted.
 */
const COMPACTED_MS = 12 * 3_600_000
/** So does one in which most records were written over. */
const OUTGROWN = 2
const OUTGROWN_RECORDS = 10_000

/**
 * A backup of the log in Kafka while the service runs, where nothing is or an earlier backup of it: what
 * came since is added.
 *
 * @throws BackupRefusedError, LogNotCopiedError, KafkaRefusedError, StorageUnavailableError
 */
export async function backUpLog(
  config: Config,
  files: BackupFiles,
  now = Date.now(),
): Promise<LogManifest> {
  const last = await LogBackupWriter.lastOf(files)
  if (last && last.network !== config.BITCOIN_NETWORK)
    throw new BackupRefusedError(
      `the backup in ${files.where} is of ${last.network}: give another folder`,
    )
  return await withExistingLog(config, 'backup', async ({ context, log }) => {
    if (!(log instanceof KafkaLog)) throw new NeedsNotListedError('Kafka')
    if (last && last.logId !== log.id)
      throw new BackupRefusedError(
        `${files.where} has a backup of another log (${last.logId}, not ${log.id}): give a new folder`,
      )
    const copy = new LogBackupWriter(files, last, log.partitions)
    for (const part of last?.parts ?? []) {
      if (last && beginsAgain(part, now - Date.parse(last.madeAt))) copy.beginAgain(part, 0)
    }
    await copyLog(log, copy, context.clock)
    return await copy.finish({
      format: 1,
      release: BUILD_INFO.version,
      madeAt: new Date(now).toISOString(),
      runs: (last?.runs ?? 0) + 1,
      network: config.BITCOIN_NETWORK,
      partitions: log.partitions,
      schema: log.settings.schema,
      logId: log.id,
    })
  })
}

const beginsAgain = ({ topic, records, whole }: LogPart, ageMs: number): boolean =>
  isCompacted(topic) && (ageMs > COMPACTED_MS || records > OUTGROWN * whole + OUTGROWN_RECORDS)
