import type { Database } from 'lmdb'
import type {
  CircleSettings,
  CircleStore,
  FoldedCircles,
  MadeState,
  RecordChange,
} from '../../../ports/folds/circle-store.ts'
import type { CircleState, Section, SectionRecords } from '../../../schemas/api/circles.ts'
import type { BlockHash, BlockRef, Txid } from '../../../schemas/scalars.ts'
import type { LmdbStore } from '../lmdb/lmdb-store.ts'

/** The circles' own tables in the environment of DATA_DIR; closed by its opener. */
export const openCircleStore = (store: LmdbStore): CircleStore =>
  store.opening(() => new EmbeddedCircleStore(store))

type Tables = { [S in Section]: Database<SectionRecords[S], string> }

class EmbeddedCircleStore implements CircleStore {
  readonly #store: LmdbStore
  readonly #settings: Database<CircleSettings, string>
  /** Block hashes by height: all that is kept of a block. */
  readonly #blocks: Database<BlockHash, number>
  readonly #undo: Database<readonly RecordChange[], number>
  readonly #states: Database<CircleState, number>
  readonly #records: Tables
  /** Each circle's key, by txid. */
  readonly #circleKeys: Database<string, string>

  constructor(store: LmdbStore) {
    this.#store = store
    this.#settings = store.table('circles-settings')
    this.#blocks = store.table('circles-blocks')
    this.#undo = store.documents('circles-undo')
    this.#states = store.table('circles-states')
    this.#records = {
      circles: store.documents('circles-circles'),
      edges: store.documents('circles-edges'),
      lineages: store.documents('circles-lineages'),
      shards: store.documents('circles-shards'),
    }
    this.#circleKeys = store.table('circles-by-txid')
  }

  settings(): CircleSettings | null {
    return this.#settings.get('settings') ?? null
  }

  keepSettings(settings: CircleSettings): Promise<void> {
    return this.#store.write(() => this.#settings.putSync('settings', settings))
  }

  tip(): BlockRef | null {
    for (const { key: height, value: hash } of this.#blocks.getRange({ reverse: true, limit: 1 })) {
      return { height, hash }
    }
    return null
  }

  hashAt(height: number): BlockHash | null {
    return this.#blocks.get(height) ?? null
  }

  get<S extends Section>(section: S, key: string): SectionRecords[S] | null {
    return this.#records[section].get(key) ?? null
  }

  circle(txid: Txid): SectionRecords['circles'] | null {
    const key = this.#circleKeys.get(txid)
    return key === undefined ? null : this.get('circles', key)
  }

  *records<S extends Section>(section: S): Iterable<{ key: string; record: SectionRecords[S] }> {
    for (const { key, value: record } of this.#records[section].getRange()) yield { key, record }
  }

  states(limit: number, below?: number): readonly CircleState[] {
    // In reverse, `start` is where the range ends: inclusive.
    const from = below === undefined ? {} : { start: below - 1 }
    return [...this.#states.getRange({ ...from, reverse: true, limit })].map(({ value }) => value)
  }

  statesAbove(height: number, limit: number): readonly MadeState[] {
    const above = this.#states.getRange({ start: height + 1, limit })
    return [...above].flatMap(({ key, value: state }) => {
      const hash = this.hashAt(key)
      return hash === null ? [] : { block: { height: key, hash }, state }
    })
  }

  undo(): readonly RecordChange[] {
    const tip = this.tip()
    return (tip && this.#undo.get(tip.height)) ?? []
  }

  connect(blocks: readonly FoldedCircles[]): Promise<void> {
    return this.#store.writeGrouped(() => {
      for (const { height, hash, changes, state } of blocks) {
        this.#blocks.putSync(height, hash)
        if (state) this.#states.putSync(height, state)
        if (changes.length > 0) this.#undo.putSync(height, changes.map(reversed))
        for (const change of changes) this.#apply(change)
      }
    })
  }

  disconnect(): Promise<void> {
    return this.#store.writeGrouped(() => {
      const tip = this.tip()
      if (!tip) throw new Error('no block of the circles is left to disconnect')
      for (const change of this.undo()) this.#apply(change)
      this.#blocks.removeSync(tip.height)
      this.#states.removeSync(tip.height)
      this.#undo.removeSync(tip.height)
    })
  }

  /** Only within a write. */
  #apply({ section, key, before, after }: RecordChange): void {
    const table: Database<typeof after & object, string> = this.#records[section]
    if (after) table.putSync(key, after)
    else table.removeSync(key)
    if (section !== 'circles') return
    if (after) this.#circleKeys.putSync(after.txid, key)
    else if (before) this.#circleKeys.removeSync(before.txid)
  }
}

/** The change that undoes a change. */
const reversed = ({ before, after, ...place }: RecordChange): RecordChange =>
  ({ ...place, before: after, after: before }) as RecordChange
