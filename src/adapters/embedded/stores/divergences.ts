import { createHash } from 'node:crypto'
import canonicalize from 'canonicalize'
import type { Database } from 'lmdb'
import { type Divergences, MAX_DIVERGENCES } from '../../../ports/folds/divergences.ts'
import type { Divergence } from '../../../schemas/api/pairing.ts'
import type { LmdbStore } from '../lmdb/lmdb-store.ts'
import { readStored } from './read-stored.ts'

const LEDGER = 'pairing divergences'
const LAST_PLACE = Number.MAX_SAFE_INTEGER

/** The ledger of divergences in an LMDB environment; closed by its opener. */
export function openDivergences(store: LmdbStore, most = MAX_DIVERGENCES): Divergences {
  /** Divergences in the order seen, and the place of each by its identity. */
  const { ledger, places } = store.opening(() => ({
    ledger: store.documents<Divergence, number>(LEDGER),
    places: store.table<number>('pairing divergence places'),
  }))

  const nextPlace = (): number => {
    // In reverse, `end` is exclusive.
    const [last] = ledger.getKeys({ start: LAST_PLACE, end: -1, reverse: true, limit: 1 })
    return last === undefined ? 0 : last + 1
  }

  function forgetOldest(next: number): void {
    for (const { key, value } of [...ledger.getRange({ start: 0, end: next - most })]) {
      ledger.removeSync(key)
      places.removeSync(identityOf(value))
    }
  }

  return {
    async note(divergence) {
      const identity = identityOf(divergence)
      // Called at every check while the pipelines differ: a known divergence costs no write.
      if (places.doesExist(identity)) return false
      return store.write(() => {
        if (places.doesExist(identity)) return false
        const place = nextPlace()
        ledger.putSync(place, divergence)
        places.putSync(identity, place)
        forgetOldest(place + 1)
        return true
      })
    },
    async page(limit, below) {
      const start = below === null ? LAST_PLACE : below - 1
      const range = { start, end: -1, reverse: true, limit }
      return [...ledger.getRange(range)].map(({ key, value }) => ({
        place: key,
        divergence: value,
      }))
    },
  }
}

/**
 * The divergences kept in a directory, even while a service writes; none if no pipeline wrote any.
 */
export const readDivergences = async (directory: string): Promise<Divergence[]> =>
  (await readStored(directory, LEDGER, newestFirst)) ?? []

const newestFirst = (ledger: Database<Divergence, number>): Divergence[] => [
  ...ledger.getRange({ start: LAST_PLACE, end: -1, reverse: true }).map(({ value }) => value),
]

/** What identifies a divergence: the height and both tuples, not the keys of their signatures. */
function identityOf({ height, own, peer }: Divergence): string {
  const said = canonicalize({ height, own: own.tuple, peer: peer.tuple })
  return createHash('sha256')
    .update(said ?? '')
    .digest('hex')
}
