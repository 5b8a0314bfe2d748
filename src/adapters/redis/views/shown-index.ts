import { META_FIELDS } from '../rights/key-names.ts'
import { GenerationIndex, type GenerationIndexOptions } from './generation-index.ts'
import { READERS_LOOK_MS, readStanding } from './hand-over.ts'
import type { Generation, Keyspace } from './keyspace.ts'

type ShownIndexOptions = Omit<GenerationIndexOptions, 'generation'>

/**
 * The query index of the views that are read. With `keep`, the index follows the views also without
 * readers, and the index of rebuilt views is filled before the switch.
 */
export class ShownIndex {
  readonly #keyspace: Keyspace
  readonly #clock: ShownIndexOptions['clock']
  readonly #closing = new AbortController()
  #shown: GenerationIndex | null = null
  #next: GenerationIndex | null = null
  #keeping: Promise<void> | null = null

  constructor({ keyspace, clock }: ShownIndexOptions) {
    this.#keyspace = keyspace
    this.#clock = clock
  }

  /** The index of the current views. */
  of(generation: Generation): GenerationIndex {
    const isOf = (index: GenerationIndex | null) => index?.generation.name === generation.name
    if (this.#shown && isOf(this.#shown)) return this.#shown
    const next = isOf(this.#next) ? this.#next : null
    this.#next = null
    this.#shown = next ?? this.#indexOf(generation)
    this.#shown.generation = generation
    return this.#shown
  }

  get isFilled(): boolean {
    return this.#shown?.isFilled ?? false
  }

  keep(): void {
    this.#keeping ??= this.#keep()
  }

  close(): void {
    this.#closing.abort()
  }

  async #keep(): Promise<void> {
    const { signal } = this.#closing
    while (!signal.aborted) {
      // Readers learn by their own reads that Redis is away.
      await this.#look().catch(() => undefined)
      await this.#clock.sleep(READERS_LOOK_MS, signal)
    }
  }

  async #look(): Promise<void> {
    const { current, next } = await readStanding(this.#keyspace)
    const prepared = this.#next?.generation.name ?? null
    if (prepared !== next && prepared !== current) {
      this.#next = next === null ? null : this.#indexOf({ role: META_FIELDS.next, name: next })
    }
    await this.of(await this.#keyspace.current()).current()
    await this.#next?.current()
  }

  #indexOf(generation: Generation): GenerationIndex {
    return new GenerationIndex({ keyspace: this.#keyspace, clock: this.#clock, generation })
  }
}
