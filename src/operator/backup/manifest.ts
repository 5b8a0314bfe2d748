import { createHash } from 'node:crypto'
import { createReadStream, existsSync } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { OperatorError } from '../../ports/base-errors.ts'
import { Network } from '../../schemas/scalars.ts'

/** A backup that cannot be made, or used as it is: the message says why. */
export class BackupRefusedError extends OperatorError {
  override name = 'BackupRefusedError'
}

/** Written last: a backup without it is not finished. */
export const MANIFEST = 'backup.json'

/** The root of a disk has this folder, which root alone may read. */
export const LOST_AND_FOUND = 'lost+found'

/** A file of a backup, by its path in it and in DATA_DIR. */
const BackupEntry = z.strictObject({
  path: z.string().regex(/^(?:\w[\w.-]*\/)?\w[\w.-]*$/),
  bytes: z.int().nonnegative(),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
})
export type BackupEntry = z.infer<typeof BackupEntry>

/** What is in a backup. */
const BackupManifest = z.strictObject({
  format: z.literal(1),
  /** The version that made it. */
  release: z.string(),
  madeAt: z.iso.datetime(),
  network: Network,
  /** The id of the log in it. Null: the log is in Kafka, and not in the backup. */
  logId: z.string().nullable(),
  entries: z.array(BackupEntry).min(1),
})
export type BackupManifest = z.infer<typeof BackupManifest>

/** The manifest of a finished backup. Throws `BackupRefusedError`. */
export async function readManifest(folder: string): Promise<BackupManifest> {
  const path = join(folder, MANIFEST)
  if (!existsSync(path)) {
    throw new BackupRefusedError(
      `${folder} is no backup, or one that was not finished: ${MANIFEST} is missing`,
    )
  }
  try {
    return BackupManifest.parse(JSON.parse(await readFile(path, 'utf8')))
  } catch (cause) {
    throw new BackupRefusedError(`${path} is no manifest of a backup that this release reads`, {
      cause,
    })
  }
}

/** A backup for a person. */
export const backupLines = ({
  entries,
  logId,
  madeAt,
  network,
  release,
}: BackupManifest): string[] => [
  `made at  ${madeAt} by ${release}, on ${network}`,
  `log      ${logId ?? 'in Kafka, which is not in this backup'}`,
  ...entries.map(({ path, bytes }) => `${path}  ${bytes} bytes`),
]

/** What a file of the backup is now. */
export async function backupEntryOf(folder: string, path: string): Promise<BackupEntry> {
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(join(folder, path))) hash.update(chunk as Buffer)
  const { size } = await stat(join(folder, path))
  return { path, bytes: size, sha256: hash.digest('hex') }
}
