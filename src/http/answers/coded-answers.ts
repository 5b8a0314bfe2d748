import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { LRUCache } from 'lru-cache'
import { SingleFlight } from '../../runtime/single-flight.ts'
import type { Coding } from './codings.ts'

/** Bytes of compressed answers that are cached for the next request of the same answer. */
const MAX_CACHED_BYTES = 8 * 2 ** 20
/** What an entry takes beside its bytes and its name, about. */
const ENTRY_BYTES = 256
/** Compressions at a time: as many as Node has threads for them. */
const MAX_RUNNING = 4

const compressBrotli = promisify(brotliCompress)
const compressGzip = promisify(gzip)

/** Levels at which a page of orders takes less than a millisecond. */
const BROTLI_QUALITY = 4
const GZIP_LEVEL = 4
/** A window of 256 KiB: an encoder has no more memory than a few of the largest pages. */
const BROTLI_WINDOW = 18

const COMPRESS: Readonly<Record<Coding, (body: Buffer) => Promise<Buffer>>> = {
  br: (body) =>
    compressBrotli(body, {
      params: {
        [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY,
        [constants.BROTLI_PARAM_LGWIN]: BROTLI_WINDOW,
        [constants.BROTLI_PARAM_SIZE_HINT]: body.length,
      },
    }),
  gzip: (body) => compressGzip(body, { level: GZIP_LEVEL }),
}

/**
 * Answers in their codings, each compressed once, on Node's threads. The last answers are cached by
 * name: an answer that is cached elsewhere as it is, such as a page or the catalog, is here compressed.
 */
export class CodedAnswers {
  readonly #cached = new LRUCache<string, Buffer>({
    maxSize: MAX_CACHED_BYTES,
    sizeCalculation: (body, name) => body.length + 2 * name.length + ENTRY_BYTES,
  })
  readonly #running = new SingleFlight<Buffer>()

  /** The cached answer: no wait. */
  cached(name: string): Buffer | undefined {
    return this.#cached.get(name)
  }

  /**
   * Null: too many others are being compressed, so this one is to be sent as it is.
   *
   * @param name of these bytes in this coding, and of no others
   */
  code(name: string, coding: Coding, body: string | Buffer): Promise<Buffer> | null {
    if (!this.#running.has(name) && this.#running.size >= MAX_RUNNING) return null
    return this.#running.run(name, async () => {
      const coded = await COMPRESS[coding](Buffer.from(body))
      this.#cached.set(name, coded)
      return coded
    })
  }
}
