import { existsSync } from 'node:fs'
import { mkdir, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { assertFree, KEPT_FREE_BYTES } from '../../adapters/free-space.ts'
import { storeDirectory } from '../../roles/open/local-store.ts'
import type { Config } from '../../schemas/config/config.ts'
import { type BackupManifest, BackupRefusedError } from './manifest.ts'
import { copySynced, sync } from './synced.ts'
import { verifyBackup } from './verify-backup.ts'

/** Where it is copied to, on the disk of DATA_DIR, before it takes its place there. */
const ASIDE = '.restore'

/**
 * Puts a backup into a DATA_DIR that has no store and no history. Interrupted, or on a disk that fills, it leaves none
 * either, and can be repeated.
 *
 * @throws BackupRefusedError, StorageUnavailableError
 */
export async function restoreBackup(config: Config, folder: string): Promise<BackupManifest> {
  const { DATA_DIR, BITCOIN_NETWORK } = config
  const { manifest, problems } = await verifyBackup(folder)
  const [problem] = problems
  if (problem) throw new BackupRefusedError(`the backup in ${folder} is damaged: ${problem}`)
  if (manifest.network !== BITCOIN_NETWORK) {
    throw new BackupRefusedError(
      `the backup in ${folder} is of ${manifest.network}: set BITCOIN_NETWORK=${manifest.network}`,
    )
  }
  if (existsSync(storeDirectory(config))) {
    throw new BackupRefusedError(`${DATA_DIR} has a store: set DATA_DIR to a folder without one`)
  }
  const history = join(DATA_DIR, 'history')
  if (existsSync(history)) {
    throw new BackupRefusedError(
      `${history} may have changes that the backup has not: remove it, the log fills it again`,
    )
  }
  const aside = join(DATA_DIR, ASIDE)
  await rm(aside, { recursive: true, force: true })
  await mkdir(aside, { recursive: true, mode: 0o700 })
  try {
    const bytes = manifest.entries.reduce((sum, entry) => sum + entry.bytes, 0)
    assertFree(DATA_DIR, bytes + KEPT_FREE_BYTES)
    for (const { path } of manifest.entries) {
      await mkdir(dirname(join(aside, path)), { recursive: true })
      await copySynced(join(folder, path), join(aside, path))
    }
    const folders = new Set(manifest.entries.map(({ path }) => dirname(path)))
    for (const path of folders) await sync(join(aside, path))
    for (const name of namesOf(manifest)) {
      await rm(join(DATA_DIR, name), { recursive: true, force: true })
      await rename(join(aside, name), join(DATA_DIR, name))
      await sync(DATA_DIR)
    }
  } finally {
    await rm(aside, { recursive: true, force: true })
  }
  return manifest
}

/** What is put into DATA_DIR, the store last: with it, the restore is finished. */
function namesOf({ entries }: BackupManifest): string[] {
  const names = new Set(entries.map(({ path }) => path.split('/')[0] ?? path))
  return [...names].sort((one, other) => Number(one === 'store') - Number(other === 'store'))
}
