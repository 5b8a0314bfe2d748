import { copyFile, open, rename } from 'node:fs/promises'
import { dirname } from 'node:path'
import { StorageUnavailableError } from '../../ports/log/storage-errors.ts'

/** Bytes of a file, or entries of a folder, are on the disk when it resolves. */
export async function sync(path: string): Promise<void> {
  const file = await open(path, 'r')
  try {
    await file.sync()
  } finally {
    await file.close()
  }
}

/** A whole file, on the disk under its name when it resolves; never a part of it under that name. */
export async function writeSynced(path: string, contents: string | Uint8Array): Promise<void> {
  const part = `${path}.part`
  const file = await open(part, 'w', 0o600)
  try {
    await file.writeFile(contents)
    await file.sync()
  } catch (error) {
    throw diskFailureOf(error, path)
  } finally {
    await file.close()
  }
  await rename(part, path)
  await sync(dirname(path))
}

export async function copySynced(from: string, to: string): Promise<void> {
  await copyFile(from, to).catch((error: unknown) => {
    throw diskFailureOf(error, to)
  })
  await sync(to)
}

/** A full disk is the operator's to mend. */
const diskFailureOf = (error: unknown, path: string): unknown =>
  (error as NodeJS.ErrnoException).code === 'ENOSPC'
    ? new StorageUnavailableError('full', `the disk of ${path} is full: nothing of it counts`)
    : error
