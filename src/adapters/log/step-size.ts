import type { Stored } from '../../ports/log/event-log.ts'

/** Records per step; the worker ends one earlier by its bytes, its changes and its time. */
export const STEP_RECORDS = 4_000
/** Records of the step after one that was refused: few of a large step have effects at all. */
const AFTER_REFUSAL = 100

/**
 * How many records one step may have. A step that the log refuses as too large is tried in halves,
 * until the record that cannot be written is known.
 */
export class StepSize {
  #most = STEP_RECORDS
  #last: readonly Stored<unknown>[] = []
  #refused: number | null = null

  /** The records of the next step. */
  firstOf(records: readonly Stored<unknown>[]): readonly Stored<unknown>[] {
    this.#last = records.slice(0, this.#most)
    return this.#last
  }

  /** The log refused the output of the last step. */
  halve(): void {
    this.#most = Math.min(AFTER_REFUSAL, Math.max(1, Math.floor(this.#last.length / 2)))
    if (this.#last.length === 1) this.#refused = this.#last[0]?.offset ?? null
  }

  /** The log accepted it. */
  grow(): void {
    this.#most = Math.min(2 * this.#most, STEP_RECORDS)
    this.#refused = null
  }

  /** Was it refused on its own? */
  isRefused({ offset }: Stored<unknown>): boolean {
    return this.#refused === offset
  }
}
