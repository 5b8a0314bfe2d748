import type { OutputState } from './chain.ts'
import type { SimTransaction } from './transactions.ts'

/**
 * The true state of the offered outputs at each moment of the node, by its tip and mempool number.
 */
export class Moments {
  readonly #now: (outpoint: string) => OutputState
  readonly #versions = new Map<string, number>()
  readonly #stories = new Map<string, { version: number; state: OutputState }[]>()
  readonly #touched = new Set<string>()
  #version = 0

  constructor(now: (outpoint: string) => OutputState) {
    this.#now = now
  }

  /** From now on its history is recorded. */
  watch(outpoint: string): void {
    if (this.#stories.has(outpoint)) return
    this.#stories.set(outpoint, [{ version: 0, state: this.#now(outpoint) }])
  }

  touch({ txid, inputs, outputs }: SimTransaction): void {
    for (const outpoint of inputs) this.#touched.add(outpoint)
    for (const vout of outputs.keys()) this.#touched.add(`${txid}:${vout}`)
  }

  record(tip: string, sequence: number): void {
    this.#version += 1
    this.#versions.set(`${tip} ${sequence}`, this.#version)
    for (const outpoint of this.#touched) {
      this.#stories.get(outpoint)?.push({ version: this.#version, state: this.#now(outpoint) })
    }
    this.#touched.clear()
  }

  /** Null: the node never was at this moment. */
  stateAt(outpoint: string, tip: string, sequence: number | null): OutputState | null {
    const version = this.#versions.get(`${tip} ${sequence}`)
    if (version === undefined) return null
    const story = this.#stories.get(outpoint) ?? []
    return story.findLast((chapter) => chapter.version <= version)?.state ?? 'absent'
  }

  /** Did the node ever know it? */
  wasThere(outpoint: string): boolean {
    return this.#stories.get(outpoint)?.some(({ state }) => state !== 'absent') ?? false
  }

  wasAt(tip: string, sequence: number | null): boolean {
    return this.#versions.has(`${tip} ${sequence}`)
  }
}
