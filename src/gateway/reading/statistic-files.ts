import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import {
  type BoundStatistic,
  boundStatistic,
  type StatisticName,
} from '../../domain/statistics/statistics.ts'
import { type FileFormat, MAX_STATISTIC_ROWS } from '../../ports/views/statistics.ts'
import type { StatisticFileRequest } from '../../schemas/api/statistics.ts'
import type { Gateway } from '../gateway.ts'
import { sellerScript } from '../order/seller-script.ts'
import { RefusalError } from '../refusal.ts'
import { type QueuedRead, SharedReads } from './shared-reads.ts'

/** A larger file is refused: it is in memory until it is sent. */
const MAX_FILE_BYTES = 16_777_216
/** Bytes of files that are cached, all together. */
const MAX_CACHED_BYTES = 33_554_432
/** Programs that read parts of a Parquet file send many requests for the same bytes, milliseconds. */
const CACHED_MS = 60_000
/** What an entry takes beside its bytes, about. */
const ENTRY_BYTES = 1_024

export interface StatisticFile {
  bytes: Buffer
  /** SHA-256 of the bytes, base64url. */
  tag: string
}

/** A question of which all rows, or as many as were asked for, are to be a file. */
export interface FileQuestion {
  question: BoundStatistic
  format: FileFormat
  /** Undefined: all rows. */
  limit: number | undefined
}

/**
 * Statistics as files: made whole, so that none is sent that lacks rows without saying so. A file is
 * cached for a minute.
 */
export class StatisticFiles {
  readonly #gateway: Pick<Gateway, 'clock' | 'settings' | 'statistics'>
  readonly #reads: SharedReads<StatisticFile>

  constructor(gateway: Pick<Gateway, 'clock' | 'settings' | 'statistics'>, queued: QueuedRead) {
    this.#gateway = gateway
    const cached = new LRUCache<string, StatisticFile>({
      maxSize: MAX_CACHED_BYTES,
      ttl: CACHED_MS,
      sizeCalculation: ({ bytes }, name) => bytes.length + 2 * name.length + ENTRY_BYTES,
    })
    this.#reads = new SharedReads(cached, queued)
  }

  /** @throws RefusalError VALIDATION_FAILED with the bound */
  bind(name: StatisticName, format: FileFormat, request: StatisticFileRequest): FileQuestion {
    const { limit, seller, ...others } = request
    const { clock, settings } = this.#gateway
    const asked = { ...others, ...(seller && { seller: sellerScript(seller, settings.network) }) }
    const question = boundStatistic({ name, ...asked }, clock.now())
    if ('refused' in question) throw new RefusalError('VALIDATION_FAILED', question.refused)
    return { question, format, limit }
  }

  /** Is the file there, being made, or awaited by this source already? */
  has(question: FileQuestion, source: string): boolean {
    return this.#reads.has(JSON.stringify(question), source)
  }

  /**
   * @throws RefusalError VALIDATION_FAILED: there are more rows than a file has, or more bytes
   * @throws HistoryUnavailableError
   */
  async read(question: FileQuestion, source: string): Promise<StatisticFile> {
    return await this.#reads.read(JSON.stringify(question), source, () => this.#make(question))
  }

  async #make({ question, format, limit }: FileQuestion): Promise<StatisticFile> {
    const rows = limit ?? MAX_STATISTIC_ROWS
    const { bytes, isWhole } = await this.#gateway.statistics.file(question, format, rows)
    if (!isWhole && limit === undefined) throw tooLarge(question, `${rows} rows`)
    if (bytes.length > MAX_FILE_BYTES) throw tooLarge(question, `${MAX_FILE_BYTES} bytes`)
    return { bytes, tag: createHash('sha256').update(bytes).digest('base64url') }
  }
}

/** With its range, which may be wider than asked for: rows of a file need not have a time. */
export function fileNameOf({ question: { name, range }, format }: FileQuestion): string {
  const ends = range ? [range.from, range.to].map(textOfTime) : []
  return `${[name, ...ends].join('_')}.${format}`
}

/** A time as `toISOString` writes it: a day, or without what a name of a file may not have. */
const textOfTime = (time: string): string =>
  time.replace('T00:00:00.000Z', '').replace('.000Z', 'Z').replaceAll(':', '')

const tooLarge = ({ name, range }: BoundStatistic, most: string): RefusalError => {
  const narrower = range ? 'a shorter range (from, to)' : 'a filter'
  return new RefusalError(
    'VALIDATION_FAILED',
    `${name} would be a file of more than ${most}: name ${narrower}, or a limit`,
  )
}
