import { hash, randomBytes } from 'node:crypto'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import {
  COPIED_TOPICS,
  type CopiedPlace,
  copiedPlaces,
} from '../../../adapters/kafka/copy/copied-topics.ts'
import type { LogCopy, PartitionCut } from '../../../adapters/kafka/copy/copy-log.ts'
import type { CopiedRecord } from '../../../adapters/kafka/copy/raw-record.ts'
import type { BackupFiles } from '../files/backup-files.ts'
import { BackupRefusedError, LOST_AND_FOUND } from '../manifest.ts'
import {
  LOG_MANIFEST,
  type LogManifest,
  type LogPart,
  logManifestIn,
  partName,
  type Segment,
} from './log-manifest.ts'
import { DamagedSegmentError, readSegment } from './read-segment.ts'
import { frameOf, headAfter, NO_HEAD } from './record-frames.ts'

/** Bytes of records in a file, before they are packed. */
const SEGMENT_BYTES = 2 ** 22

/** The folder of a partition. */
const IS_PART = /^[\w.]+-\d{1,4}$/
/** What a first run that was killed, or the root of a disk, may have besides. */
const NO_CONTENT: ReadonlySet<string> = new Set([`${LOG_MANIFEST}.part`, LOST_AND_FOUND])

const packed = promisify(gzip)

interface OpenPart extends LogPart {
  frames: Buffer[]
  /** Bytes of the frames, and the offset of the first that they may have. */
  bytes: number
  from: number
}

/**
 * A backup of the log, while a run adds to it. Files are new ones; those that it no longer needs are
 * removed once the manifest names them no more, so an interrupted run leaves the backup as it was.
 */
export class LogBackupWriter implements LogCopy {
  readonly #files: BackupFiles
  readonly #run = randomBytes(4).toString('hex')
  readonly #parts = new Map<string, OpenPart>()
  cuts: PartitionCut[]

  /**
   * What the last run left there; null: nothing, or a first run that did not come to its end.
   *
   * @throws BackupRefusedError where something else is
   */
  static async lastOf(files: BackupFiles): Promise<LogManifest | null> {
    const last = await logManifestIn(files)
    if (last !== null) return last
    const names = await files.names()
    if (names.every((name) => IS_PART.test(name) || NO_CONTENT.has(name))) return null
    throw new BackupRefusedError(
      `${files.where} is not empty: give a new folder, or one of a backup of this log`,
    )
  }

  /** `last`: what is there; null: nothing. */
  constructor(files: BackupFiles, last: LogManifest | null, partitions: number) {
    this.#files = files
    this.cuts = Array.from(
      { length: partitions },
      (_, partition) => last?.cuts[partition] ?? NOTHING_COMMITTED,
    )
    for (const place of copiedPlaces(COPIED_TOPICS, partitions)) {
      const part = last?.parts.find((one) => partName(one) === partName(place))
      this.#parts.set(partName(place), part ? opened(part) : newPart(place, 0))
    }
  }

  next(place: CopiedPlace): number {
    return this.#part(place).next
  }

  beginAgain(place: CopiedPlace, offset: number): void {
    this.#parts.set(partName(place), newPart(place, offset))
  }

  ends(place: CopiedPlace, end: number): void {
    this.#part(place).end = end
  }

  async put(place: CopiedPlace, records: readonly CopiedRecord[], next: number): Promise<void> {
    const part = this.#part(place)
    for (const record of records) {
      const frame = frameOf(record)
      part.frames.push(frame)
      part.bytes += frame.length
      part.head = headAfter(part.head, frame)
      part.records += 1
      part.next = record.offset + 1
      if (part.bytes >= SEGMENT_BYTES) await this.#flush(part)
    }
    part.next = next
  }

  /** The backup is what was put when this resolves, and was what it had been before. */
  async finish(manifest: Omit<LogManifest, 'cuts' | 'parts'>): Promise<LogManifest> {
    for (const part of this.#parts.values()) await this.#flush(part)
    const finished: LogManifest = {
      ...manifest,
      cuts: this.cuts,
      parts: [...this.#parts.values()].map(({ frames, bytes, from, ...part }) => ({
        ...part,
        whole: part.whole === 0 ? part.records : part.whole,
      })),
    }
    const now = await LogBackupWriter.lastOf(this.#files)
    if ((now?.runs ?? 0) !== manifest.runs - 1)
      throw new BackupRefusedError(
        `another backup wrote to ${this.#files.where} meanwhile: run one at a time`,
      )
    await this.#files.write(LOG_MANIFEST, Buffer.from(`${JSON.stringify(finished, null, 1)}\n`))
    await this.#removeOthers(finished)
    return finished
  }

  async #flush(part: OpenPart): Promise<void> {
    if (part.frames.length === 0) return
    await this.#takeUpLast(part)
    const { frames, from, next } = part
    const name = partName(part)
    const bytes = await packed(Buffer.concat(frames), { level: 1 })
    const path = `${name}/${from}-${this.#run}.gz`
    await this.#files.write(path, bytes)
    const segment: Segment = {
      ...{ path, from, next, records: frames.length, bytes: bytes.length },
      sha256: hash('sha256', bytes, 'hex'),
    }
    part.segments.push(segment)
    part.frames = []
    part.bytes = 0
    part.from = next
  }

  /** A last file of an earlier run that has room is written anew: else each run would leave small ones. */
  async #takeUpLast(part: OpenPart): Promise<void> {
    const last = part.segments.at(-1)
    if (!last || last.path.endsWith(`-${this.#run}.gz`) || last.bytes >= SEGMENT_BYTES) return
    const framed = await readSegment(this.#files, last).catch((cause: unknown) => {
      if (!(cause instanceof DamagedSegmentError)) throw cause
      throw new BackupRefusedError(
        `the backup in ${this.#files.where} is damaged: ${cause.message}; give a new folder`,
        { cause },
      )
    })
    const frames = framed.map(({ frame }) => frame)
    if (frames.reduce((sum, { length }) => sum + length, 0) >= SEGMENT_BYTES) return
    part.segments.pop()
    part.frames = [...frames, ...part.frames]
    part.from = last.from
  }

  async #removeOthers({ parts }: LogManifest): Promise<void> {
    const kept = new Set(parts.flatMap(({ segments }) => segments.map(({ path }) => path)))
    const folders = new Set(parts.map(partName))
    for (const name of (await this.#files.names()).filter((one) => folders.has(one))) {
      for (const file of await this.#files.names(name)) {
        if (!kept.has(`${name}/${file}`)) await this.#files.remove(`${name}/${file}`)
      }
    }
  }

  #part(place: CopiedPlace): OpenPart {
    const part = this.#parts.get(partName(place))
    if (!part) throw new Error(`${partName(place)} is not copied`)
    return part
  }
}

const NOTHING_COMMITTED: PartitionCut = { snapshot: null, inbox: 0, lifecycleEnd: 0 }

const opened = (part: LogPart): OpenPart => ({
  ...part,
  segments: [...part.segments],
  ...{ frames: [], bytes: 0, from: part.segments.at(-1)?.next ?? part.begin },
})

const newPart = ({ topic, partition }: CopiedPlace, begin: number): OpenPart => ({
  ...{ topic, partition, begin, next: begin, end: begin },
  ...{ records: 0, head: NO_HEAD, whole: 0, segments: [] },
  ...{ frames: [], bytes: 0, from: begin },
})
