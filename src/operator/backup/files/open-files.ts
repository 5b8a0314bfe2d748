import type { BackupFiles } from './backup-files.ts'
import { FolderFiles } from './folder-files.ts'

const BUCKET = 's3:'

export const isBucket = (where: string): boolean => where.startsWith(BUCKET)

/**
 * The files of a backup: in the folder that is named, or in the bucket. Throws `BackupRefusedError`.
 *
 * `env`: what the client of the bucket is configured by.
 */
export async function openFiles(where: string, env: NodeJS.ProcessEnv): Promise<BackupFiles> {
  if (!isBucket(where)) return new FolderFiles(where)
  // Loaded only by who uses a bucket.
  const { BucketFiles } = await import('./bucket-files.ts')
  return new BucketFiles(where, env)
}
