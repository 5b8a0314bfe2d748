import type { Database, Key } from 'lmdb'
import type { PoolStore } from '../../src/adapters/embedded/stores/unproved-pool.ts'
import { StorageUnavailableError } from '../../src/ports/log/storage-errors.ts'
import type { Process } from './process.ts'

/** The store of the pool of unproved orders. */
export class SimPoolStore {
  readonly #tables = new Map<string, SimTable>()
  readonly #written: () => void

  /** `written` is run after every write that took effect. */
  constructor(written: () => void) {
    this.#written = written
  }

  table(name: string): SimTable {
    const table = this.#tables.get(name) ?? new SimTable()
    this.#tables.set(name, table)
    return table
  }

  write<T>(action: () => T): T {
    const result = action()
    this.#written()
    return result
  }

  /** Everything is gone. */
  flush(): void {
    for (const table of this.#tables.values()) table.clear()
    this.#written()
  }

  /** The non-empty tables. */
  get full(): string[] {
    return [...this.#tables].flatMap(([name, table]) => (table.size > 0 ? name : []))
  }
}

/** The store as one process has it: its writes may be late, fail, or be its last act. */
export const poolStoreOf = (store: SimPoolStore, process: Process): PoolStore => ({
  table: <V, K extends Key = string>(name: string) =>
    store.table(name) as unknown as Database<V, K>,
  write: (action) =>
    process.call({
      kind: 'write',
      name: 'pool.write',
      effect: () => store.write(action),
      trouble: () => new StorageUnavailableError('io', 'simulated: no answer of the pool'),
    }),
})

type Part = string | number
type TableKey = Part | readonly Part[]

interface Range {
  start?: TableKey
  end?: TableKey
  limit?: number
}

interface Row {
  key: TableKey
  value: unknown
}

/** The few calls of an LMDB table that the pool makes, in LMDB's order. */
class SimTable {
  readonly #rows = new Map<string, Row>()

  get size(): number {
    return this.#rows.size
  }

  get(key: TableKey): unknown {
    return this.#rows.get(JSON.stringify(key))?.value
  }

  putSync(key: TableKey, value: unknown): void {
    this.#rows.set(JSON.stringify(key), { key, value })
  }

  removeSync(key: TableKey): boolean {
    return this.#rows.delete(JSON.stringify(key))
  }

  getKeys({ start, end, limit = Infinity }: Range = {}): TableKey[] {
    const keys = [...this.#rows.values()].map(({ key }) => key)
    return keys
      .filter((key) => start === undefined || compare(key, start) >= 0)
      .filter((key) => end === undefined || compare(key, end) < 0)
      .sort(compare)
      .slice(0, limit)
  }

  getKeysCount(range?: Range): number {
    return this.getKeys(range).length
  }

  *entries(): Generator<[TableKey, unknown]> {
    for (const { key, value } of this.#rows.values()) yield [key, value]
  }

  clear(): void {
    this.#rows.clear()
  }
}

/** Part by part: numbers before texts, and a prefix before what it begins. */
function compare(one: TableKey, other: TableKey): number {
  const [a, b] = [[one].flat(), [other].flat()] as [Part[], Part[]]
  for (let at = 0; at < Math.min(a.length, b.length); at += 1) {
    const [x, y] = [a[at]!, b[at]!]
    if (x === y) continue
    if (typeof x !== typeof y) return typeof x === 'number' ? -1 : 1
    return x < y ? -1 : 1
  }
  return a.length - b.length
}
