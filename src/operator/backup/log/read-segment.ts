import { hash } from 'node:crypto'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import type { CopiedRecord } from '../../../adapters/kafka/copy/raw-record.ts'
import type { BackupFiles } from '../files/backup-files.ts'
import type { LogPart, Segment } from './log-manifest.ts'
import { framesIn } from './record-frames.ts'

const unpacked = promisify(gunzip)

/** A file is not as it was written; the message names it. */
export class DamagedSegmentError extends Error {
  override name = 'DamagedSegmentError'
}

interface Framed {
  record: CopiedRecord
  frame: Buffer
}

/** The records of a file. Throws `DamagedSegmentError`. */
export async function readSegment(files: BackupFiles, segment: Segment): Promise<Framed[]> {
  const { path, bytes, sha256, from, next, records } = segment
  const contents = await files.read(path)
  if (contents === null) throw new DamagedSegmentError(`${path} is missing`)
  if (contents.length !== bytes) {
    throw new DamagedSegmentError(
      `${path} has ${contents.length} bytes, it was written with ${bytes}`,
    )
  }
  if (hash('sha256', contents, 'hex') !== sha256)
    throw new DamagedSegmentError(`${path} has other contents than it was written with`)
  const framed = await framedIn(contents).catch(() => {
    throw new DamagedSegmentError(`${path} has no records in it that can be read`)
  })
  let after = from
  for (const { record } of framed) {
    if (record.offset < after || record.offset >= next)
      throw new DamagedSegmentError(`${path} has offset ${record.offset} out of order`)
    after = record.offset + 1
  }
  if (framed.length !== records)
    throw new DamagedSegmentError(`${path} has ${framed.length} records, not ${records}`)
  return framed
}

const framedIn = async (contents: Buffer): Promise<Framed[]> => [
  ...framesIn(await unpacked(contents)),
]

/** All records of a partition, in order. */
export async function* recordsInFiles(
  files: BackupFiles,
  { segments }: Pick<LogPart, 'segments'>,
): AsyncGenerator<CopiedRecord[]> {
  for (const segment of segments) {
    yield (await readSegment(files, segment)).map(({ record }) => record)
  }
}
