import type { BackupFiles } from '../files/backup-files.ts'
import { isBucket, openFiles } from '../files/open-files.ts'
import { BackupRefusedError } from '../manifest.ts'
import { LOG_MANIFEST, type LogManifest, logManifestIn } from './log-manifest.ts'

export interface LogBackup {
  files: BackupFiles
  manifest: LogManifest
}

/**
 * The backup of a log that is there. Null: a folder without one, which may have a backup of DATA_DIR.
 *
 * @throws BackupRefusedError
 */
export async function openLogBackup(
  where: string,
  env: NodeJS.ProcessEnv,
): Promise<LogBackup | null> {
  const files = await openFiles(where, env)
  const manifest = await logManifestIn(files)
  if (manifest) return { files, manifest }
  if (!isBucket(where)) return null
  throw new BackupRefusedError(
    `${where} has no backup of a log, or one that was not finished: ${LOG_MANIFEST} is missing`,
  )
}
