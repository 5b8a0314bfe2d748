import type { GraphReader, RecordChange } from '../ports/folds/circle-store.ts'
import type { Section, SectionRecords } from '../schemas/api/circles.ts'

type Records = { [S in Section]: Map<string, SectionRecords[S]> }

/**
 * Changes on top of an unmodified graph: reads see its writes, and earlier records are remembered.
 */
export class GraphEdit implements GraphReader {
  readonly #below: GraphReader
  readonly #written: Records = emptyRecords()

  constructor(below: GraphReader) {
    this.#below = below
  }

  get<S extends Section>(section: S, key: string): SectionRecords[S] | null {
    return this.#written[section].get(key) ?? this.#below.get(section, key)
  }

  put<S extends Section>(section: S, key: string, record: SectionRecords[S]): void {
    this.#written[section].set(key, record)
  }

  /** One for each record written: as it is in the graph below, and as it is now. */
  changes(): RecordChange[] {
    const of = <S extends Section>(section: S) =>
      [...this.#written[section]].map(([key, after]) => ({
        section,
        key,
        before: this.#below.get(section, key),
        after,
      }))
    return [...of('circles'), ...of('edges'), ...of('lineages'), ...of('shards')]
  }

  /** Applies the changes of another edit made on top of this one. */
  absorb(changes: readonly RecordChange[]): void {
    for (const change of changes) putAfter(this.#written, change)
  }
}

const emptyRecords = (): Records => ({
  circles: new Map(),
  edges: new Map(),
  lineages: new Map(),
  shards: new Map(),
})

function putAfter(records: Records, { section, key, after }: RecordChange): void {
  if (!after) throw new Error(`a fold never removes a record: ${section} ${key}`)
  const of: Map<string, typeof after> = records[section]
  of.set(key, after)
}
