import type { Command } from 'commander'
import type { Config } from '../schemas/config/config.ts'
import { awsVariables, readConfig } from './terminal/environment.ts'
import { printJson, printLine, printLines } from './terminal/output.ts'

const WHERE = 'a folder, or s3://BUCKET/PREFIX for the log in Kafka'

/** Backups of the log in Kafka, or of DATA_DIR. */
export function addBackup(program: Command): void {
  program
    .command('backup')
    .argument('<where>', WHERE)
    .description('copy the log in Kafka, or what DATA_DIR holds, while the service runs')
    .option('--data-dir', 'copy what DATA_DIR holds, although the log is in Kafka')
    .option('--json', 'print what is in it as JSON')
    .action(async (where: string, { dataDir, json }: { dataDir?: true; json?: true }) => {
      const config = readConfig()
      const { isBucket, openFiles } = await import('../operator/backup/files/open-files.ts')
      if (config.KAFKA_BROKERS && !dataDir) {
        const { backUpLog } = await import('../operator/backup/log/back-up-log.ts')
        const { logBackupLines } = await import('../operator/backup/log/log-manifest.ts')
        const manifest = await backUpLog(config, await openFiles(where, awsVariables()))
        return await (json ? printJson(manifest) : printLines(logBackupLines(manifest)))
      }
      const { makeBackup } = await import('../operator/backup/make-backup.ts')
      const { BackupRefusedError, backupLines } = await import('../operator/backup/manifest.ts')
      if (isBucket(where)) {
        const cure = `give one, and copy it to ${where}`
        throw new BackupRefusedError(`what DATA_DIR holds is copied to a folder alone: ${cure}`)
      }
      const manifest = await makeBackup(config, where)
      await (json ? printJson(manifest) : printLines(backupLines(manifest)))
    })
  program
    .command('verify-backup')
    .argument('<where>', WHERE)
    .description(
      'read every byte of a backup: is it as it was written, and the log in Kafka as it was signed?',
    )
    .option('--heads-key <keys...>', 'public keys whose signatures of the log count')
    .option('--json', 'print what is in it, and what is wrong, as JSON')
    .action(async (where: string, { headsKey, json }: { headsKey?: string[]; json?: true }) => {
      const { manifest, problems, lines } = await verified(where, headsKey)
      if (json) await printJson({ manifest, problems })
      else {
        await printLines(lines)
        await printLines(problems.length > 0 ? problems : ['as it was written'])
      }
      process.exitCode = problems.length > 0 ? 1 : 0
    })
  program
    .command('restore')
    .argument('<where>', WHERE)
    .description('put a backup into a DATA_DIR without a store, or a Kafka without the log')
    .option('--json', 'print what was restored as JSON')
    .action(async (where: string, { json }: { json?: true }) => {
      const config = readConfig()
      const { openLogBackup } = await import('../operator/backup/log/open-log-backup.ts')
      const backup = await openLogBackup(where, awsVariables())
      if (backup) {
        const { restoreLog } = await import('../operator/backup/log/restore-log.ts')
        const restored = await restoreLog(config, backup)
        return await (json
          ? printJson(restored)
          : printLine(
              `the log in Kafka is as it was at ${restored.madeAt}: empty Redis and every DATA_DIR, then start the roles`,
            ))
      }
      const { restoreBackup } = await import('../operator/backup/restore-backup.ts')
      const manifest = await restoreBackup(config, where)
      await (json
        ? printJson(manifest)
        : printLine(
            `${config.DATA_DIR} is as it was at ${manifest.madeAt}: ${emptied(config)}start the service`,
          ))
    })
}

/** What is filled from the log, and may have followed further than the backup. */
function emptied({ KAFKA_BROKERS, REDIS_URL, CLICKHOUSE_URL }: Config): string {
  const stores = [...(REDIS_URL ? ['Redis'] : []), ...(CLICKHOUSE_URL ? ['the history'] : [])]
  return KAFKA_BROKERS || stores.length === 0 ? '' : `empty ${stores.join(' and ')}, then `
}

async function verified(where: string, headKeys: readonly string[] = []) {
  const { openLogBackup } = await import('../operator/backup/log/open-log-backup.ts')
  const backup = await openLogBackup(where, awsVariables())
  if (backup) {
    const { logBackupLines } = await import('../operator/backup/log/log-manifest.ts')
    const { verifyLog } = await import('../operator/backup/log/verify-log.ts')
    const { problems } = await verifyLog(backup, headKeys)
    return { manifest: backup.manifest, problems, lines: logBackupLines(backup.manifest) }
  }
  const { verifyBackup } = await import('../operator/backup/verify-backup.ts')
  const { BackupRefusedError, backupLines } = await import('../operator/backup/manifest.ts')
  if (headKeys.length > 0)
    throw new BackupRefusedError(
      `${where} is a backup of DATA_DIR, and --heads-key is of a log in Kafka: restore it, and run market audit with HEADS_PUBLIC_KEYS`,
    )
  const { manifest, problems } = await verifyBackup(where)
  return { manifest, problems, lines: backupLines(manifest) }
}
