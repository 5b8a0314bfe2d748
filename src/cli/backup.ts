import type { Command } from 'commander'
import { readConfig } from './terminal/environment.ts'
import { printJson, printLine, printLines } from './terminal/output.ts'

/** Backups of the log in Kafka, or of DATA_DIR. */
export function addBackup(program: Command): void {
  program
    .command('backup <folder>')
    .description('copy the log in Kafka, or what DATA_DIR holds, while the service runs')
    .option('--data-dir', 'copy what DATA_DIR holds, although the log is in Kafka')
    .option('--json', 'print what is in it as JSON')
    .action(async (folder: string, { dataDir, json }: { dataDir?: true; json?: true }) => {
      const config = readConfig()
      if (config.KAFKA_BROKERS && !dataDir) {
        const { backUpLog } = await import('../operator/backup/log/back-up-log.ts')
        const { logBackupLines } = await import('../operator/backup/log/log-manifest.ts')
        const manifest = await backUpLog(config, folder)
        return await (json ? printJson(manifest) : printLines(logBackupLines(manifest)))
      }
      const { makeBackup } = await import('../operator/backup/make-backup.ts')
      const { backupLines } = await import('../operator/backup/manifest.ts')
      const manifest = await makeBackup(config, folder)
      await (json ? printJson(manifest) : printLines(backupLines(manifest)))
    })
  program
    .command('verify-backup <folder>')
    .description('read every byte of a backup: is it as it was written, and as it was signed?')
    .option('--heads-key <keys...>', 'public keys whose signatures of the log count')
    .option('--json', 'print what is in it, and what is wrong, as JSON')
    .action(async (folder: string, { headsKey, json }: { headsKey?: string[]; json?: true }) => {
      const { manifest, problems, lines } = await verified(folder, headsKey)
      if (json) await printJson({ manifest, problems })
      else {
        await printLines(lines)
        await printLines(problems.length > 0 ? problems : ['as it was written'])
      }
      process.exitCode = problems.length > 0 ? 1 : 0
    })
  program
    .command('restore <folder>')
    .description('put a backup into a DATA_DIR without a store, or a Kafka without the log')
    .option('--json', 'print what was restored as JSON')
    .action(async (folder: string, { json }: { json?: true }) => {
      const { isLogBackup } = await import('../operator/backup/log/log-manifest.ts')
      const config = readConfig()
      if (isLogBackup(folder)) {
        const { restoreLog } = await import('../operator/backup/log/restore-log.ts')
        const restored = await restoreLog(config, folder)
        return await (json
          ? printJson(restored)
          : printLine(
              `the log in Kafka is as it was at ${restored.madeAt}: empty Redis and every DATA_DIR, then start the roles`,
            ))
      }
      const { restoreBackup } = await import('../operator/backup/restore-backup.ts')
      const manifest = await restoreBackup(config, folder)
      await (json
        ? printJson(manifest)
        : printLine(`${config.DATA_DIR} is as it was at ${manifest.madeAt}: start the service`))
    })
}

async function verified(folder: string, headKeys: readonly string[] = []) {
  const { isLogBackup, logBackupLines } = await import('../operator/backup/log/log-manifest.ts')
  if (isLogBackup(folder)) {
    const { verifyLog } = await import('../operator/backup/log/verify-log.ts')
    const { manifest, problems } = await verifyLog(folder, headKeys)
    return { manifest, problems, lines: logBackupLines(manifest) }
  }
  const { verifyBackup } = await import('../operator/backup/verify-backup.ts')
  const { backupLines } = await import('../operator/backup/manifest.ts')
  const { manifest, problems } = await verifyBackup(folder)
  return { manifest, problems, lines: backupLines(manifest) }
}
