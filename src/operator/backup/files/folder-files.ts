import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { assertFree, KEPT_FREE_BYTES } from '../../../adapters/free-space.ts'
import { BackupRefusedError } from '../manifest.ts'
import { sync, writeSynced } from '../synced.ts'
import { type BackupFiles, MAX_FILE_BYTES } from './backup-files.ts'

/** The keys of a log are hashes and its orders public, but it names customers and webhooks. */
const PRIVATE = 0o700

/** A backup in a folder, which is made with its first file. */
export class FolderFiles implements BackupFiles {
  readonly where: string

  constructor(folder: string) {
    this.where = folder
  }

  async names(folder = ''): Promise<string[]> {
    return (await unlessMissing(readdir(join(this.where, folder)))) ?? []
  }

  async read(path: string): Promise<Buffer | null> {
    const whole = join(this.where, path)
    const size = (await unlessMissing(stat(whole)))?.size
    if (size === undefined) return null
    if (size > MAX_FILE_BYTES) throw new BackupRefusedError(`${whole} is no file of a backup`)
    return await unlessMissing(readFile(whole))
  }

  async write(path: string, contents: Uint8Array): Promise<void> {
    const whole = join(this.where, path)
    await makeSynced(dirname(whole))
    assertFree(this.where, contents.length + KEPT_FREE_BYTES)
    await writeSynced(whole, contents)
  }

  async remove(path: string): Promise<void> {
    await rm(join(this.where, path))
  }
}

/** Makes it, and what it is in, each on the disk before the next one. */
async function makeSynced(folder: string): Promise<void> {
  if (existsSync(folder)) return
  await makeSynced(dirname(folder))
  await mkdir(folder, { recursive: true, mode: PRIVATE })
  await sync(dirname(folder))
}

async function unlessMissing<T>(asked: Promise<T>): Promise<T | null> {
  try {
    return await asked
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}
