import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { essenceOf, mayRead, mediaRuleOf } from '../domain/content/media-rules.ts'
import { isOfClaimedType } from '../domain/content/true-type.ts'
import { IndexUnavailableError } from '../ports/authorities/authority-errors.ts'
import type { ContentSource, SourcedContent, Unread } from '../ports/authorities/content-source.ts'
import type { Clock } from '../runtime/clock.ts'
import { withDeadline } from '../runtime/deadline.ts'
import { LANES, openLanes } from '../runtime/lanes.ts'
import { SingleFlight } from '../runtime/single-flight.ts'
import { TokenBucket } from '../runtime/token-bucket.ts'
import { untilAborted } from '../runtime/until-aborted.ts'
import { RefusalError } from './refusal.ts'

/** Content that may be shown: its bytes are of the type that it is served as. */
export interface ShownContent {
  mediaType: string
  body: Uint8Array
  /** SHA-256 of the body, base64url. */
  tag: string
}

/** Bytes that are cached for the next reader. */
const MAX_CACHED_BYTES = 64 * 2 ** 20
/** What an entry takes beside its bytes, about. */
const ENTRY_BYTES = 512
/**
 * An inscription never changes, but a reorg can undo the block that the index read it from, and then
 * another witness may reveal other bytes under its id: milliseconds after which it is read again.
 */
const CACHED_MS = 600_000
/** Readings of the index at a time, and how many wait. */
const READINGS = { atOnce: 8, waiting: 128 }
/** A reading that is not begun within this is refused, milliseconds. */
const MAX_WAIT_MS = 5_000
/** For one reading, however slowly it arrives, milliseconds. */
const READING_MS = 10_000
/** What all clients together may have read of the index: 4 MiB a second, 64 MiB at once. */
const KIB = 1_024
const READ_KIB = { perSecond: 4 * KIB, burst: 64 * KIB }

type JudgedContent = { shown: ShownContent } | { refused: string }

/**
 * Reads each content once for all who ask at a time, judges it, and keeps it for a while. The index
 * is trusted with neither the size nor the type of what it answers.
 */
export class ContentReader {
  readonly #source: ContentSource
  readonly #clock: Pick<Clock, 'monotonic' | 'sleep'>
  readonly #cached = new LRUCache<string, { judged: JudgedContent; until: number }>({
    maxSize: MAX_CACHED_BYTES,
    sizeCalculation: ({ judged }) =>
      ENTRY_BYTES + ('shown' in judged ? judged.shown.body.length : 0),
  })
  readonly #reading = new SingleFlight<JudgedContent>()
  readonly #budget = new TokenBucket(READ_KIB)
  readonly #lanes

  constructor(source: ContentSource, clock: Pick<Clock, 'monotonic' | 'sleep'>) {
    this.#source = source
    this.#clock = clock
    this.#lanes = openLanes({
      rules: [READINGS, READINGS, READINGS],
      waitMs: MAX_WAIT_MS,
      now: () => clock.monotonic(),
    })
  }

  /**
   * @throws RefusalError CONTENT_NOT_FOUND, CONTENT_NOT_SHOWN, OVERLOADED
   * @throws BusyError, IndexUnavailableError
   */
  async read(inscriptionId: string, signal: AbortSignal): Promise<ShownContent> {
    const cached = this.#cached.get(inscriptionId)
    const isFresh = cached !== undefined && this.#clock.monotonic() < cached.until
    const judged = isFresh
      ? cached.judged
      : await untilAborted(this.#shared(inscriptionId), signal, leave)
    if ('refused' in judged) throw new RefusalError('CONTENT_NOT_SHOWN', judged.refused)
    return judged.shown
  }

  #shared(inscriptionId: string): Promise<JudgedContent> {
    return this.#reading.run(inscriptionId, () =>
      this.#lanes.run(LANES.first, () => this.#judge(inscriptionId)),
    )
  }

  async #judge(inscriptionId: string): Promise<JudgedContent> {
    const waitMs = this.#budget.waitMs(this.#clock.monotonic())
    if (waitMs > 0)
      throw new RefusalError('OVERLOADED', 'much content is being read: ask again', {
        retryAfterSeconds: Math.ceil(waitMs / 1_000),
      })
    const found = await withDeadline(this.#clock, READING_MS, NEVER, (deadline) =>
      this.#source.content(inscriptionId, mayRead, deadline),
    )
    if (found === null)
      throw new RefusalError('CONTENT_NOT_FOUND', 'the index has no content of this inscription')
    const judged = judge(found)
    const now = this.#clock.monotonic()
    this.#budget.spend(now, Math.ceil(bytesRead(found) / KIB))
    this.#cached.set(inscriptionId, { judged, until: now + CACHED_MS })
    return judged
  }
}

const leave = (): never => {
  throw new IndexUnavailableError('asset_index_unreachable', 'the request ended before its answer')
}

/** What was read of the index at most; what it says of a length is not believed. */
function bytesRead({ mediaType, body }: SourcedContent): number {
  if (typeof body !== 'string') return body.length
  return body === 'not_admitted' ? 0 : mayRead(mediaType)
}

/** A reading is for all who ask: no client ends it. */
const NEVER = new AbortController().signal

function judge(found: SourcedContent): JudgedContent {
  const { mediaType, body } = found
  const rule = mediaRuleOf(mediaType)
  if (typeof body === 'string') return { refused: `${describe(found)}: ${WHY[body]}` }
  if (!rule || !isOfClaimedType(mediaType, body))
    return { refused: `${describe(found)}: its bytes are not of this type` }
  const tag = createHash('sha256').update(body).digest('base64url')
  return { shown: { mediaType: rule.servedAs, body, tag } }
}

const WHY: Readonly<Record<Unread, string>> = {
  not_admitted: 'this type is not shown here',
  too_large: 'it is larger than is shown here',
  undecodable: 'its coding cannot be taken off',
}

/** A type as RFC 9110 writes it: anything else that an inscription claims is not repeated. */
const TYPE = /^[a-z0-9!#$&^_.+-]{1,64}\/[a-z0-9!#$&^_.+-]{1,64}$/

function describe({ mediaType, body, claimedBytes }: SourcedContent): string {
  const essence = essenceOf(mediaType)
  const type = TYPE.test(essence) ? essence : 'content of no known type'
  const bytes = claimedBytes ?? (typeof body === 'string' ? null : body.length)
  return bytes === null ? type : `${type}, ${bytes} bytes`
}
