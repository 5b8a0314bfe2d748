import { existsSync, readdirSync, statSync } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { copyStore } from '../../adapters/embedded/lmdb/copy-store.ts'
import { assertFree, KEPT_FREE_BYTES } from '../../adapters/free-space.ts'
import { storeDirectory } from '../../roles/open/local-store.ts'
import { type Config, usesDevnet } from '../../schemas/config/config.ts'
import { serviceBeside } from './open-existing.ts'
import { deleteAtSignals, makeTemporaryFolder } from './temporary-folder.ts'

/**
 * Runs a command that needs the stores of DATA_DIR to hold still. While a service writes them it gets a
 * copy, made in a temporary folder as they were at one moment; else the stores themselves.
 *
 * @throws StorageUnavailableError if the disk of the temporary folder has no room
 */
export async function withStillStores<T>(
  config: Config,
  work: (config: Config) => Promise<T>,
): Promise<T> {
  const door = await serviceBeside(config)
  if (!door) return await work(config)
  await door.close()
  const folder = makeTemporaryFolder('market-copy-')
  const stay = deleteAtSignals(folder)
  try {
    await copyInto(folder, storeDirectory(config))
    // After the log: a chain is never behind what the log says of it.
    if (usesDevnet(config)) await copyInto(folder, join(config.DATA_DIR, 'devnet'))
    return await work({ ...config, DATA_DIR: folder })
  } finally {
    await rm(folder, { recursive: true, force: true })
    stay()
  }
}

async function copyInto(folder: string, directory: string): Promise<void> {
  if (!existsSync(directory)) return
  const to = join(folder, basename(directory))
  await mkdir(to)
  for (const name of readdirSync(directory).filter((one) => one.endsWith('.mdb'))) {
    assertFree(folder, statSync(join(directory, name)).size + KEPT_FREE_BYTES)
    await copyStore(join(directory, name), join(to, name))
  }
}
