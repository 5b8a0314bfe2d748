import { packTouched, readTouched, type Touched, touchedName } from '../../domain/order/touched.ts'
import type { WatermarkRef } from '../../schemas/evidence.ts'
import type { NewsSince } from '../../schemas/log.ts'
import type { OutpointText } from '../../schemas/scalars.ts'

/** Watermarks after which news is remembered: some six seconds of a quiet chain. */
const MAX_WATERMARKS = 4
/** Names after one watermark, 22 kB of text: more than a full block brings to one of 16 partitions. */
const MAX_NAMES = 4_096

/**
 * Names of the outputs that the partition had news of after each of its last watermarks. Evidence
 * that a gateway gathered after one of these is used only if no news of its output came since: the
 * order was not there to hear of them (ADR 108). It belongs to the partition's snapshot, so that a
 * replay decides alike.
 */
export class RecentNews {
  /** Oldest first. */
  #all: { after: number; names: Set<number> | 'all' }[]
  #isChanged = false

  constructor(stored: readonly NewsSince[] = []) {
    this.#all = stored.map(({ after, touched }) => ({ after, names: readTouched(touched) }))
  }

  /** Does it have news that the partition's last snapshot lacks? */
  get isChanged(): boolean {
    return this.#isChanged
  }

  add(outpoint: string): void {
    const last = this.#all.at(-1)
    if (!last || last.names === 'all') return
    const before = last.names.size
    last.names.add(touchedName(outpoint))
    if (last.names.size === before) return
    if (last.names.size > MAX_NAMES) last.names = 'all'
    this.#isChanged = true
  }

  /**
   * A watermark was consumed. If it ended an epoch, or moved orders above some height, nothing that
   * was asked before it counts.
   */
  advance({ n }: WatermarkRef, isCut: boolean): void {
    const kept = isCut ? [] : this.#all.slice(1 - MAX_WATERMARKS)
    this.#all = [...kept, { after: n, names: new Set() }]
    this.#isChanged = true
  }

  /** Is every piece of news since this watermark known, and none of it of this output? */
  isQuietSince({ n }: WatermarkRef, outpoint: OutpointText): boolean {
    const from = this.#all.findIndex(({ after }) => after === n)
    if (from < 0) return false
    const name = touchedName(outpoint)
    return this.#all.slice(from).every(({ names }) => names !== 'all' && !names.has(name))
  }

  /** As the partition's snapshot has it. */
  stored(): NewsSince[] {
    return this.#all.map(({ after, names }) => ({ after, touched: textOf(names) }))
  }

  /** The snapshot has been committed with `stored`. */
  committed(): void {
    this.#isChanged = false
  }
}

const textOf = (names: Set<number> | 'all'): Touched =>
  names === 'all' ? names : packTouched(names)
