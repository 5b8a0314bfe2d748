import type { BrowsedRange, BrowsedRecord, RecordBrowser } from '../../ports/log/record-browser.ts'
import type { Topic } from '../../schemas/log.ts'

export type PageDirection = 'older' | 'newer'

export interface Walk {
  browser: Pick<RecordBrowser, 'between'>
  topic: Topic
  direction: PageDirection
  /** Offsets that are fetched of a partition at once, at first. */
  window: number
  signal: AbortSignal
}

/** More is not fetched at once, however many offsets were found without a record. */
const MAX_WINDOW = 4_096

/**
 * The records of several partitions, one after the other, by their times: `older` goes back from the
 * cuts, `newer` on from them. A cut is between two offsets: that after the record before it.
 */
export class MergedRecords {
  readonly #walk: Walk
  readonly #lanes: PartitionWalk[]

  constructor(walk: Walk, ranges: readonly BrowsedRange[], cuts: readonly number[]) {
    this.#walk = walk
    this.#lanes = ranges.map((range, at) => new PartitionWalk(walk, range, cuts[at] ?? range.end))
  }

  /** The next record, left where it is; null: none is left, or the signal aborted. */
  async peek(): Promise<BrowsedRecord | null> {
    await Promise.all(this.#lanes.map((lane) => lane.fill()))
    if (this.#walk.signal.aborted) return null
    return this.#next()?.head ?? null
  }

  /** Goes past the record that `peek` gave. */
  take(): void {
    this.#next()?.take()
  }

  /** Where it is, by partition. */
  get cuts(): number[] {
    return this.#lanes.map(({ cut }) => cut)
  }

  #next(): PartitionWalk | undefined {
    const sign = this.#walk.direction === 'older' ? -1 : 1
    return this.#lanes
      .filter(({ head }) => head !== undefined)
      .sort((a, b) => sign * ((a.head?.at ?? 0) - (b.head?.at ?? 0)))[0]
  }
}

/** One partition, read in windows: towards older records each window is turned around. */
class PartitionWalk {
  cut: number
  readonly #walk: Walk
  readonly #range: BrowsedRange
  #window: number
  #fetched: BrowsedRecord[] = []
  /** Where the next window begins. */
  #edge: number

  constructor(walk: Walk, range: BrowsedRange, cut: number) {
    this.#walk = walk
    this.#range = range
    this.#window = walk.window
    this.cut = Math.min(Math.max(cut, range.first), range.end)
    this.#edge = this.cut
  }

  get head(): BrowsedRecord | undefined {
    return this.#fetched[0]
  }

  take(): void {
    const record = this.#fetched.shift()
    if (!record) return
    this.cut = this.#walk.direction === 'older' ? record.offset : record.offset + 1
    if (this.#fetched.length === 0) this.cut = this.#edge
  }

  /** Until it has a record, or none is left. A window that was not read whole is not used. */
  async fill(): Promise<void> {
    const { direction, signal } = this.#walk
    const { first, end } = this.#range
    const isOver = () => (direction === 'older' ? this.#edge <= first : this.#edge >= end)
    while (this.#fetched.length === 0 && !isOver() && !signal.aborted) {
      const [from, to] =
        direction === 'older'
          ? [Math.max(first, this.#edge - this.#window), this.#edge]
          : [this.#edge, Math.min(end, this.#edge + this.#window)]
      const records = await this.#read(from, to)
      if (signal.aborted) return
      this.#fetched = direction === 'older' ? records.reverse() : records
      this.#edge = direction === 'older' ? from : to
      if (records.length > 0) continue
      this.cut = this.#edge
      this.#window = Math.min(MAX_WINDOW, this.#window * 4)
    }
  }

  async #read(from: number, to: number): Promise<BrowsedRecord[]> {
    const { browser, topic, signal } = this.#walk
    const records: BrowsedRecord[] = []
    for await (const batch of browser.between(topic, this.#range.partition, from, to, signal))
      records.push(...batch)
    return records
  }
}
