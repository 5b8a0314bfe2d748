import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { OperatorError } from '../../ports/base-errors.ts'

/** The door is there, and this user may not use it. */
export class DoorClosedError extends OperatorError {
  override name = 'DoorClosedError'
}

/** Where the door is, and the key that opens it. */
const DoorFile = z.strictObject({
  release: z.string(),
  address: z.url(),
  key: z.string().regex(/^[A-Za-z0-9_-]{43}$/),
})
export type DoorFile = z.infer<typeof DoorFile>

/** The user of the service alone, as with the keys beside it: the same one may read the stores. */
const PRIVATE = 0o600

export const doorPath = (dataDir: string): string => join(dataDir, 'operator.door')

/** Replaces that of a process before; it appears whole. */
export function writeDoorFile(dataDir: string, file: DoorFile): void {
  const path = doorPath(dataDir)
  const part = `${path}.part`
  rmSync(part, { force: true })
  writeFileSync(part, `${JSON.stringify(file)}\n`, { mode: PRIVATE, flag: 'wx' })
  renameSync(part, path)
}

/** Removes it, if it is still this process's. */
export function removeDoorFile(dataDir: string, { key }: DoorFile): void {
  if (readDoorFile(dataDir)?.key === key) rmSync(doorPath(dataDir), { force: true })
}

/** Null if there is none, or one that no release wrote. @throws DoorClosedError */
export function readDoorFile(dataDir: string): DoorFile | null {
  const path = doorPath(dataDir)
  try {
    return DoorFile.safeParse(JSON.parse(readFileSync(path, 'utf8'))).data ?? null
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EACCES' || code === 'EPERM')
      throw new DoorClosedError(
        `${path} is for the user of the service alone: run the command as that user`,
        { cause: error },
      )
    return null
  }
}
