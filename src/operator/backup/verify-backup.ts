import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { requireStoredLayout } from '../../adapters/embedded/stores/read-stored.ts'
import { StoreLayoutError } from '../../ports/log/storage-errors.ts'
import { type BackupManifest, backupEntryOf, readManifest } from './manifest.ts'

export interface VerifiedBackup {
  manifest: BackupManifest
  /** What is wrong with it; empty: this release can be started from it. */
  problems: string[]
}

/**
 * Reads every byte of a backup: each file must be as it was written, and the store one that this release
 * opens. Throws `BackupRefusedError` for what is no backup.
 */
export async function verifyBackup(folder: string): Promise<VerifiedBackup> {
  const manifest = await readManifest(folder)
  const problems: string[] = []
  for (const entry of manifest.entries) {
    if (!existsSync(join(folder, entry.path))) {
      problems.push(`${entry.path} is missing`)
      continue
    }
    const now = await backupEntryOf(folder, entry.path)
    if (now.bytes !== entry.bytes) {
      problems.push(`${entry.path} has ${now.bytes} bytes, it was written with ${entry.bytes}`)
    } else if (now.sha256 !== entry.sha256) {
      problems.push(`${entry.path} has other contents than it was written with`)
    }
  }
  if (problems.length === 0) problems.push(...(await layoutProblems(folder, manifest)))
  return { manifest, problems }
}

async function layoutProblems(folder: string, { entries }: BackupManifest): Promise<string[]> {
  const stores = entries.filter(({ path }) => path.endsWith('/market.mdb'))
  const problems: string[] = []
  for (const { path } of stores) {
    try {
      await requireStoredLayout(join(folder, dirname(path)))
    } catch (error) {
      if (!(error instanceof StoreLayoutError)) throw error
      problems.push(`${path}: ${error.message}`)
    }
  }
  return problems
}
