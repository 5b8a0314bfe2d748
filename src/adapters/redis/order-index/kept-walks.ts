import { LRUCache } from 'lru-cache'
import type { OrderSort } from '../../../domain/listing/sorts.ts'
import type { SortPosition } from '../../../ports/views/order-views.ts'
import type { List } from './kept-lists.ts'
import type { MemberRange } from './sort-members.ts'

/** An order found in a sort. */
export interface IndexHit {
  id: string
  slot: number
  /** As in the sort's set, without the slot. */
  member: string
}

/** A walk of a sort: where it begins and ends, and how many orders it looks for. */
export interface Walk {
  sort: OrderSort
  /** Null: all of it. */
  part: MemberRange | null
  after: SortPosition | undefined
  limit: number
}

/** Of all walks together. */
const KEPT_BYTES = 8 * 2 ** 20
/** An order found: its id, its member and what holds them. */
const HIT_BYTES = 320
/** A walk's name, and what holds it. */
const WALK_BYTES = 512

/** What walks of kept lists found, as long as none of the list's orders changed. */
export class KeptWalks {
  readonly #found = new LRUCache<string, readonly IndexHit[]>({
    maxSize: KEPT_BYTES,
    sizeCalculation: (hits) => WALK_BYTES + hits.length * HIT_BYTES,
  })

  get(list: List, walk: Walk): readonly IndexHit[] | undefined {
    return this.#found.get(nameOf(list, walk))
  }

  /** Keeps what was found while none of the list's orders changed. */
  put(list: List, walk: Walk, hits: readonly IndexHit[]): void {
    if (list.version !== null) this.#found.set(nameOf(list, walk), hits)
  }

  clear(): void {
    this.#found.clear()
  }
}

const nameOf = ({ version }: List, { sort, part, after, limit }: Walk): string =>
  JSON.stringify([version, sort, part, after, limit])
