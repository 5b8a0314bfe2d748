import type {
  PairingRecords,
  PairingStore,
  PairingTable,
  PairingTables,
  Range,
} from '../../../src/ports/folds/pairing-store.ts'

const NAMES = [
  'settings',
  'objects',
  'carriers',
  'transactions',
  'events',
  'checkpoints',
  'signatures',
  'undo',
  'rows',
] as const satisfies (keyof PairingRecords)[]

/** A pairing store without persistence: generated chains are folded into it by the thousand. */
export function memoryPairingStore(): PairingStore {
  let kept = new Map<string, Map<string | number, string>>(NAMES.map((name) => [name, new Map()]))
  return {
    read: (query) => query(tablesOver(kept)),
    write: async (action) => {
      const next = new Map([...kept].map(([name, rows]) => [name, new Map(rows)]))
      const result = action(tablesOver(next))
      kept = next
      return result
    },
  }
}

const tablesOver = (kept: ReadonlyMap<string, Map<string | number, string>>): PairingTables => ({
  settings: tableOver(kept.get('settings')),
  objects: tableOver(kept.get('objects')),
  carriers: tableOver(kept.get('carriers')),
  transactions: tableOver(kept.get('transactions')),
  events: tableOver(kept.get('events')),
  checkpoints: tableOver(kept.get('checkpoints')),
  signatures: tableOver(kept.get('signatures')),
  undo: tableOver(kept.get('undo')),
  rows: tableOver(kept.get('rows')),
})

/**
 * Values are stored as text, so that nothing read is the object that was written, and vice versa.
 */
function tableOver<K extends string | number, V>(
  rows: Map<string | number, string> = new Map(),
): PairingTable<K, V> {
  const keys = ({ from, below, reverse = false, limit }: Range<K>): K[] => {
    const within = ([...rows.keys()] as K[]).filter((key) => key >= from && key < below)
    const sorted = within.sort((one, other) => (one < other ? -1 : 1))
    return (reverse ? sorted.reverse() : sorted).slice(0, limit)
  }
  const get = (key: K): V | undefined => {
    const text = rows.get(key)
    return text === undefined ? undefined : JSON.parse(text)
  }
  return {
    get,
    keys,
    range: (range) => keys(range).map((key) => ({ key, value: get(key) as V })),
    put: (key, value) => void rows.set(key, JSON.stringify(value)),
    remove: (key) => void rows.delete(key),
  }
}
