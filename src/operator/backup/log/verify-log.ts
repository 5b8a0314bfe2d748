import { COPIED_TOPICS, copiedPlaces } from '../../../adapters/kafka/copy/copied-topics.ts'
import { HeadsCheck } from '../../../domain/heads/check-heads.ts'
import { TOPICS } from '../../../schemas/log.ts'
import type { BackupFiles } from '../files/backup-files.ts'
import { type LogManifest, type LogPart, partName } from './log-manifest.ts'
import type { LogBackup } from './open-log-backup.ts'
import { DamagedSegmentError, readSegment, recordsInFiles } from './read-segment.ts'
import { headAfter, NO_HEAD } from './record-frames.ts'

export interface VerifiedLog {
  /** What is wrong with it; empty: it can be restored. */
  problems: string[]
  /** By the names of the partitions: the offset after the last one without a record, null if all have one. */
  holes: ReadonlyMap<string, number | null>
}

/**
 * Reads every byte of a backup of the log: each file as it was written, the offsets in order, no file
 * between two others missing, each partition's records those that its head was made over, and the
 * lifecycle what was signed of it. `headKeys`: whose signatures count; empty: of any key that is named.
 */
export async function verifyLog(
  { files, manifest }: LogBackup,
  headKeys: readonly string[] = [],
): Promise<VerifiedLog> {
  const problems = partProblems(manifest)
  const holes = new Map<string, number | null>()
  if (problems.length > 0) return { problems, holes }
  for (const part of manifest.parts) {
    const read = await readPart(files, part)
    if (typeof read === 'string') problems.push(read)
    else holes.set(partName(part), read.afterHole)
  }
  if (problems.length === 0) problems.push(...(await headProblems({ files, manifest }, headKeys)))
  return { problems, holes }
}

/** What the manifest alone contradicts. */
function partProblems({ parts, partitions, cuts }: LogManifest): string[] {
  const named = new Map(parts.map((part) => [partName(part), part]))
  const missing = copiedPlaces(COPIED_TOPICS, partitions).filter(
    (place) => !named.has(partName(place)),
  )
  const problems = missing.map((place) => `${partName(place)} is not in the manifest`)
  for (const part of parts) {
    const { begin, next, end, segments } = part
    const name = partName(part)
    let at = begin
    for (const { from, next: after, path } of segments) {
      if (from !== at || after <= from) problems.push(`${path} does not follow what is before it`)
      at = after
    }
    if (at > next || next > end) problems.push(`${name} ends before its last record`)
  }
  for (const [partition, { inbox, lifecycleEnd }] of cuts.entries()) {
    const lifecycle = named.get(partName({ topic: TOPICS.lifecycle, partition }))
    const news = named.get(partName({ topic: TOPICS.inbox, partition }))
    if (lifecycle && lifecycle.next !== lifecycleEnd)
      problems.push(`${partName(lifecycle)} ends elsewhere than the commit of its snapshots`)
    if (news && news.begin < inbox)
      problems.push(`${partName(news)} begins elsewhere than the commit of its snapshots`)
  }
  return problems
}

/** The offset after its last hole, or what is wrong with it. */
async function readPart(
  files: BackupFiles,
  part: LogPart,
): Promise<{ afterHole: number | null } | string> {
  let head = NO_HEAD
  let records = 0
  let at = 0
  let afterHole: number | null = null
  try {
    for (const segment of part.segments) {
      for (const { record, frame } of await readSegment(files, segment)) {
        if (record.offset > at) afterHole = record.offset
        at = record.offset + 1
        head = headAfter(head, frame)
        records += 1
      }
    }
  } catch (error) {
    if (error instanceof DamagedSegmentError) return error.message
    throw error
  }
  if (part.end > at) afterHole = part.end
  if (records !== part.records || head !== part.head)
    return `${partName(part)} has other records than its head was made over`
  return { afterHole }
}

/** How the lifecycle differs from what was signed of it. */
async function headProblems(
  { files, manifest: { parts, partitions, network } }: LogBackup,
  keys: readonly string[],
): Promise<string[]> {
  const problems: string[] = []
  const named = new Map(parts.map((part) => [partName(part), part]))
  const recordsOf = (topic: LogPart['topic'], partition: number) =>
    recordsInFiles(files, named.get(partName({ topic, partition })) ?? { segments: [] })
  for (let partition = 0; partition < partitions; partition += 1) {
    const heads: unknown[] = []
    for await (const records of recordsOf(TOPICS.heads, partition))
      heads.push(...records.map(({ value }) => contentOf(value)))
    const check = new HeadsCheck(heads, { network, partition, keys })
    let records = 0
    for await (const some of recordsOf(TOPICS.lifecycle, partition)) {
      for (const { offset, value } of some) check.take(offset, contentOf(value))
      records += some.length
    }
    check.end()
    problems.push(...check.problems)
    if (keys.length > 0 && heads.length === 0 && records > 0)
      problems.push(`partition ${partition}: has no signed head`)
  }
  return problems
}

function contentOf(value: Buffer | null): unknown {
  try {
    return JSON.parse(String(value))
  } catch {
    return String(value)
  }
}
