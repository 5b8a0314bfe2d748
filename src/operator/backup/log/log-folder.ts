import { hash, randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { assertFree, KEPT_FREE_BYTES } from '../../../adapters/free-space.ts'
import {
  COPIED_TOPICS,
  type CopiedPlace,
  copiedPlaces,
} from '../../../adapters/kafka/copy/copied-topics.ts'
import type { LogCopy, PartitionCut } from '../../../adapters/kafka/copy/copy-log.ts'
import type { CopiedRecord } from '../../../adapters/kafka/copy/raw-record.ts'
import { BackupRefusedError } from '../manifest.ts'
import { sync, writeSynced } from '../synced.ts'
import {
  isLogBackup,
  LOG_MANIFEST,
  type LogManifest,
  type LogPart,
  partName,
  readLogManifest,
  type Segment,
} from './log-manifest.ts'
import { frameOf, headAfter, NO_HEAD } from './record-frames.ts'

/** Bytes of records in a file, before they are packed. */
const SEGMENT_BYTES = 2 ** 22
/** Its keys are hashes and its orders public, but it names customers and webhooks. */
const PRIVATE = 0o700

const packed = promisify(gzip)

interface OpenPart extends LogPart {
  frames: Buffer[]
  /** Bytes of the frames, and the offset of the first that they may have. */
  bytes: number
  from: number
}

/**
 * The folder of a backup, while a run adds to it. Files are new ones; those that it no longer needs are
 * removed once the manifest names them no more, so an interrupted run leaves the backup as it was.
 */
export class LogFolder implements LogCopy {
  readonly #folder: string
  readonly #run = randomBytes(4).toString('hex')
  readonly #parts = new Map<string, OpenPart>()
  cuts: PartitionCut[]

  /**
   * `last`: what the folder has; null: nothing.
   *
   * @throws BackupRefusedError for a folder of something else
   */
  static async lastOf(folder: string): Promise<LogManifest | null> {
    if (isLogBackup(folder)) return await readLogManifest(folder)
    const names = existsSync(folder) ? await readdir(folder) : []
    // What a first run left that did not come to its end.
    if (names.every((name) => /^[\w.]+-\d{1,4}$/.test(name))) return null
    throw new BackupRefusedError(
      `${folder} is not empty: give a new folder, or one of a backup of this log`,
    )
  }

  constructor(folder: string, last: LogManifest | null, partitions: number) {
    this.#folder = folder
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
    const now = await LogFolder.lastOf(this.#folder)
    if ((now?.runs ?? 0) !== manifest.runs - 1)
      throw new BackupRefusedError(
        `another backup wrote to ${this.#folder} meanwhile: run one at a time`,
      )
    await writeSynced(join(this.#folder, LOG_MANIFEST), `${JSON.stringify(finished, null, 1)}\n`)
    await this.#removeOthers(finished)
    return finished
  }

  async #flush(part: OpenPart): Promise<void> {
    const { frames, from, next } = part
    if (frames.length === 0) return
    const name = partName(part)
    const bytes = await packed(Buffer.concat(frames), { level: 1 })
    assertFree(this.#folder, bytes.length + KEPT_FREE_BYTES)
    const made = await mkdir(join(this.#folder, name), { recursive: true, mode: PRIVATE })
    if (made !== undefined) await sync(this.#folder)
    const path = `${name}/${from}-${this.#run}.gz`
    await writeSynced(join(this.#folder, path), bytes)
    const segment: Segment = {
      ...{ path, from, next, records: frames.length, bytes: bytes.length },
      sha256: hash('sha256', bytes, 'hex'),
    }
    part.segments.push(segment)
    part.frames = []
    part.bytes = 0
    part.from = next
  }

  async #removeOthers({ parts }: LogManifest): Promise<void> {
    const kept = new Set(parts.flatMap(({ segments }) => segments.map(({ path }) => path)))
    const folders = new Set(parts.map(partName))
    for (const name of (await readdir(this.#folder)).filter((one) => folders.has(one))) {
      for (const file of await readdir(join(this.#folder, name))) {
        if (!kept.has(`${name}/${file}`)) await rm(join(this.#folder, name, file))
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
