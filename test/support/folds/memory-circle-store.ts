import type {
  CircleSettings,
  CircleStore,
  FoldedCircles,
  MadeState,
  RecordChange,
} from '../../../src/ports/folds/circle-store.ts'
import type {
  Circle,
  CircleState,
  Section,
  SectionRecords,
} from '../../../src/schemas/api/circles.ts'
import type { BlockHash, BlockRef } from '../../../src/schemas/scalars.ts'

/** The port in plain maps: the embedded store is compared with it. */
export class MemoryCircleStore implements CircleStore {
  readonly #records: Record<Section, Map<string, unknown>> = {
    circles: new Map(),
    edges: new Map(),
    lineages: new Map(),
    shards: new Map(),
  }
  readonly #blocks: FoldedCircles[] = []
  #settings: CircleSettings | null = null
  /** Thrown by the next write, which then does nothing. */
  failNext: Error | null = null
  writes = 0

  settings(): CircleSettings | null {
    return this.#settings
  }

  async keepSettings(settings: CircleSettings): Promise<void> {
    this.#settings = settings
  }

  tip(): BlockRef | null {
    const last = this.#blocks.at(-1)
    return last ? { height: last.height, hash: last.hash } : null
  }

  hashAt(height: number): BlockHash | null {
    return this.#blocks.find((block) => block.height === height)?.hash ?? null
  }

  get<S extends Section>(section: S, key: string): SectionRecords[S] | null {
    return (this.#records[section].get(key) as SectionRecords[S] | undefined) ?? null
  }

  circle(txid: string): Circle | null {
    const circles = [...this.#records.circles.values()] as Circle[]
    return circles.find((circle) => circle.txid === txid) ?? null
  }

  *records<S extends Section>(section: S): Iterable<{ key: string; record: SectionRecords[S] }> {
    const records = this.#records[section] as Map<string, SectionRecords[S]>
    for (const key of [...records.keys()].sort()) yield { key, record: records.get(key)! }
  }

  states(limit: number, below = Number.POSITIVE_INFINITY): readonly CircleState[] {
    return this.#blocks
      .filter(({ height }) => height < below)
      .flatMap(({ state }) => state ?? [])
      .toReversed()
      .slice(0, limit)
  }

  statesAbove(height: number, limit: number): readonly MadeState[] {
    const made = this.#blocks.flatMap(({ state, ...block }) =>
      state && block.height > height
        ? { block: { height: block.height, hash: block.hash }, state }
        : [],
    )
    return made.slice(0, limit)
  }

  async connect(blocks: readonly FoldedCircles[]): Promise<void> {
    this.#write(() => {
      for (const block of blocks) {
        for (const change of block.changes) this.#put(change)
        this.#blocks.push(structuredClone(block))
      }
    })
  }

  undo(): readonly RecordChange[] {
    const changes = this.#blocks.at(-1)?.changes ?? []
    return changes.map(
      (change) => ({ ...change, before: change.after, after: change.before }) as RecordChange,
    )
  }

  async disconnect(): Promise<void> {
    this.#write(() => {
      for (const change of this.undo()) this.#put(change)
      if (!this.#blocks.pop()) throw new Error('no block is left to disconnect')
    })
  }

  #write(action: () => void): void {
    const failure = this.failNext
    this.failNext = null
    if (failure) throw failure
    this.writes += 1
    action()
  }

  #put({ section, key, after }: RecordChange): void {
    if (after) this.#records[section].set(key, structuredClone(after))
    else this.#records[section].delete(key)
  }
}
