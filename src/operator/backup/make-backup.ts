import { existsSync, readdirSync, statSync } from 'node:fs'
import { mkdir, readdir } from 'node:fs/promises'
import { dirname, join, resolve, sep } from 'node:path'
import { copyStore } from '../../adapters/embedded/lmdb/copy-store.ts'
import { assertFree, KEPT_FREE_BYTES } from '../../adapters/free-space.ts'
import { BUILD_INFO } from '../../roles/observe/build-info.ts'
import type { Config } from '../../schemas/config/config.ts'
import { assertStore } from '../log/open-existing.ts'
import {
  type BackupManifest,
  BackupRefusedError,
  backupEntryOf,
  LOST_AND_FOUND,
  MANIFEST,
} from './manifest.ts'
import { copySynced, sync, writeSynced } from './synced.ts'

/**
 * A backup of DATA_DIR in a new folder, while a service uses it: of each store one moment, and the keys.
 * The history is left out, since it is filled again from the log. The chain of the devnet comes last: it
 * is never behind the log.
 *
 * @throws BackupRefusedError, NoStoreError, StorageUnavailableError
 */
export async function makeBackup(
  config: Config,
  folder: string,
  now = Date.now(),
): Promise<BackupManifest> {
  assertStore(config)
  const { DATA_DIR, BITCOIN_NETWORK: network } = config
  await prepareFolder(folder, DATA_DIR)
  const stores = storesIn(DATA_DIR)
  const keys = readdirSync(DATA_DIR).filter((name) => name.endsWith('.key'))
  const bytes = stores.reduce((sum, path) => sum + statSync(join(DATA_DIR, path)).size, 0)
  assertFree(folder, bytes + KEPT_FREE_BYTES)
  let logId: string | null = null
  for (const path of stores) {
    await mkdir(join(folder, dirname(path)), { recursive: true, mode: PRIVATE })
    const copied = await copyStore(join(DATA_DIR, path), join(folder, path))
    await sync(join(folder, path))
    logId ??= copied.logId
  }
  for (const path of keys) await copySynced(join(DATA_DIR, path), join(folder, path))
  for (const path of new Set(stores.map(dirname))) await sync(join(folder, path))
  const entries = []
  for (const path of [...stores, ...keys]) entries.push(await backupEntryOf(folder, path))
  const madeAt = new Date(now).toISOString()
  const manifest: BackupManifest = {
    format: 1,
    release: BUILD_INFO.version,
    madeAt,
    network,
    logId,
    entries,
  }
  await writeSynced(join(folder, MANIFEST), `${JSON.stringify(manifest, null, 2)}\n`)
  return manifest
}

/** Its keys sign: no other user may read it. */
const PRIVATE = 0o700

async function prepareFolder(folder: string, dataDir: string): Promise<void> {
  if (resolve(folder) === resolve(dataDir) || resolve(folder).startsWith(resolve(dataDir) + sep)) {
    throw new BackupRefusedError(
      `${folder} is in DATA_DIR: give a folder elsewhere, on another disk`,
    )
  }
  const names = existsSync(folder) ? await readdir(folder) : []
  if (names.some((name) => name !== LOST_AND_FOUND)) {
    throw new BackupRefusedError(`${folder} is not empty: give a new folder`)
  }
  await mkdir(folder, { recursive: true, mode: PRIVATE })
}

/**
 * The stores of DATA_DIR by their paths in it. What followed something as far as the log has it comes
 * before the log: a feed is then read twice, and nothing of it is missed.
 */
function storesIn(dataDir: string): string[] {
  const folders = readdirSync(dataDir, { withFileTypes: true }).filter(
    (one) => one.isDirectory() && one.name !== LOST_AND_FOUND,
  )
  const files = folders.flatMap(({ name }) =>
    readdirSync(join(dataDir, name))
      .filter((file) => file.endsWith('.mdb'))
      .map((file) => `${name}/${file}`),
  )
  const rank = (path: string) =>
    path.startsWith('store/') ? 1 : path.startsWith('devnet/') ? 2 : 0
  return files.sort((one, other) => rank(one) - rank(other) || (one < other ? -1 : 1))
}
