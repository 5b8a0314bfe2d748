import { z } from 'zod'
import { COPIED_TOPICS, type CopiedPlace } from '../../../adapters/kafka/copy/copied-topics.ts'
import { grouped } from '../../../domain/grouped.ts'
import { Network } from '../../../schemas/scalars.ts'
import type { BackupFiles } from '../files/backup-files.ts'
import { BackupRefusedError } from '../manifest.ts'

/** Replaced at the end of each run: what it does not name is not in the backup. */
export const LOG_MANIFEST = 'log.json'

const Count = z.int().nonnegative()
const Sha256 = z.string().regex(/^[0-9a-f]{64}$/)

/** A file with the records of a partition from an offset up to another. */
const Segment = z.strictObject({
  /** In the backup: `orders.lifecycle-3/120-1f2e3d4c.gz`. */
  path: z.string().regex(/^[\w.]+-\d{1,4}\/\d{1,16}-[0-9a-f]{8}\.gz$/),
  from: Count,
  next: Count,
  records: Count,
  bytes: Count,
  sha256: Sha256,
})
export type Segment = z.infer<typeof Segment>

/** What a backup has of one partition. */
const LogPart = z.strictObject({
  topic: z.enum(COPIED_TOPICS as [CopiedPlace['topic'], ...CopiedPlace['topic'][]]),
  partition: Count,
  /** The first offset that is of interest: what was before is gone, or had its effect. */
  begin: Count,
  /** Where the next run continues. */
  next: Count,
  /** Where the log ended: a restored one is as long. */
  end: Count,
  records: Count,
  /** A hash over all records in order, with their offsets. */
  head: Sha256,
  /** Records at the end of the run that began this copy of the partition. */
  whole: Count,
  segments: z.array(Segment),
})
export type LogPart = z.infer<typeof LogPart>

const LogManifest = z.strictObject({
  format: z.literal(1),
  /** The version that wrote it last. */
  release: z.string(),
  madeAt: z.iso.datetime(),
  /** One more with each run. */
  runs: z.int().positive(),
  network: Network,
  partitions: z.int().positive(),
  /** The newest form that its records may have (ADR 111). */
  schema: z.int().positive(),
  /** The id of the log that was copied. */
  logId: z.uuid(),
  /** What each partition had committed. */
  cuts: z.array(z.strictObject({ snapshot: Count.nullable(), inbox: Count, lifecycleEnd: Count })),
  parts: z.array(LogPart),
})
export type LogManifest = z.infer<typeof LogManifest>

/** Null: there is none. Throws `BackupRefusedError`. */
export async function logManifestIn(files: BackupFiles): Promise<LogManifest | null> {
  const bytes = await files.read(LOG_MANIFEST)
  if (bytes === null) return null
  try {
    return LogManifest.parse(JSON.parse(String(bytes)))
  } catch (cause) {
    const what = `${LOG_MANIFEST} in ${files.where}`
    throw new BackupRefusedError(`${what} is no manifest of a backup that this release reads`, {
      cause,
    })
  }
}

export const partName = ({ topic, partition }: CopiedPlace): string => `${topic}-${partition}`

/** A backup for a person. */
export function logBackupLines({
  logId,
  madeAt,
  network,
  parts,
  release,
  runs,
}: LogManifest): string[] {
  const topics = grouped(parts, ({ topic }) => topic)
  return [
    `made at  ${madeAt} by ${release}, on ${network}`,
    `log      ${logId}, ${runs} ${runs === 1 ? 'run' : 'runs'}`,
    ...Array.from(topics, ([topic, those]) => {
      const bytes = those
        .flatMap(({ segments }) => segments)
        .reduce((sum, one) => sum + one.bytes, 0)
      const records = those.reduce((sum, one) => sum + one.records, 0)
      return `${topic}  ${records} records, ${bytes} bytes`
    }),
  ]
}
