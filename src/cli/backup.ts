import type { Command } from 'commander'
import { readConfig } from './terminal/environment.ts'
import { printJson, printLine, printLines } from './terminal/output.ts'

/** Backups of DATA_DIR. */
export function addBackup(program: Command): void {
  program
    .command('backup <folder>')
    .description('copy what DATA_DIR holds to a new folder, while the service runs')
    .option('--json', 'print what is in it as JSON')
    .action(async (folder: string, { json }: { json?: true }) => {
      const { makeBackup } = await import('../operator/backup/make-backup.ts')
      const { backupLines } = await import('../operator/backup/manifest.ts')
      const manifest = await makeBackup(readConfig(), folder)
      await (json ? printJson(manifest) : printLines(backupLines(manifest)))
    })
  program
    .command('verify-backup <folder>')
    .description('read every byte of a backup: is it as it was written?')
    .option('--json', 'print what is in it, and what is wrong, as JSON')
    .action(async (folder: string, { json }: { json?: true }) => {
      const { verifyBackup } = await import('../operator/backup/verify-backup.ts')
      const { backupLines } = await import('../operator/backup/manifest.ts')
      const { manifest, problems } = await verifyBackup(folder)
      if (json) await printJson({ manifest, problems })
      else {
        await printLines(backupLines(manifest))
        await printLines(problems.length > 0 ? problems : ['as it was written'])
      }
      process.exitCode = problems.length > 0 ? 1 : 0
    })
  program
    .command('restore <folder>')
    .description('put a backup into DATA_DIR, which must have no store; then start the service')
    .option('--json', 'print what was restored as JSON')
    .action(async (folder: string, { json }: { json?: true }) => {
      const { restoreBackup } = await import('../operator/backup/restore-backup.ts')
      const config = readConfig()
      const manifest = await restoreBackup(config, folder)
      await (json
        ? printJson(manifest)
        : printLine(`${config.DATA_DIR} is as it was at ${manifest.madeAt}: start the service`))
    })
}
