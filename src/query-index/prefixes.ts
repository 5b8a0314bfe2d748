import { type Columns, PROBE } from './columns.ts'
import { comparePrefix, type HashPrefix } from './hash-prefix.ts'
import { compareHashes } from './hashes.ts'
import { sortByHash } from './sort-all.ts'
import { SortedSlots } from './sorted.ts'

/** The hashes that a search by prefix compares. */
export const PREFIXED = ['id', 'txid', 'inscriptionTxid', 'spender'] as const
type Hash = (typeof PREFIXED)[number]
/** The hashes that an order may lack, gain and lose, and the column that says whether it has one. */
const CHANGING = { inscriptionTxid: 'hasAsset', spender: 'hasSpender' } as const
type ChangingHash = keyof typeof CHANGING
const CHANGING_HASHES = Object.keys(CHANGING) as ChangingHash[]
export type PrefixParts = Record<Hash, Uint32Array>

/** Finds slots by the first digits of an order's id, output, inscription or spender: 16 bytes an order. */
export class Prefixes {
  readonly #columns: Columns
  readonly #sorted: Record<Hash, SortedSlots>
  /** Slots that have each of these hashes. */
  readonly #having: Record<ChangingHash, number> = { inscriptionTxid: 0, spender: 0 }

  constructor(columns: Columns) {
    this.#columns = columns
    const sorted = (hash: Hash) =>
      new SortedSlots(
        (a, b) =>
          compareHashes(columns[hash], a, columns[hash], b) ||
          compareHashes(columns.id, a, columns.id, b),
      )
    this.#sorted = {
      id: sorted('id'),
      txid: sorted('txid'),
      inscriptionTxid: sorted('inscriptionTxid'),
      spender: sorted('spender'),
    }
  }

  /** Adds a slot whose columns are set. */
  add(slot: number): void {
    this.#sorted.id.insert(slot)
    this.#sorted.txid.insert(slot)
    this.addChanging(slot)
  }

  /** Call it before and after the columns of a slot change; id and output never change. */
  removeChanging(slot: number): void {
    for (const hash of CHANGING_HASHES) {
      if (!this.#has(hash, slot)) continue
      this.#sorted[hash].remove(slot)
      this.#having[hash] -= 1
    }
  }

  addChanging(slot: number): void {
    for (const hash of CHANGING_HASHES) {
      if (!this.#has(hash, slot)) continue
      this.#sorted[hash].insert(slot)
      this.#having[hash] += 1
    }
  }

  /** Sorts all slots; they must be in id order. */
  fill(): void {
    const all = Uint32Array.from({ length: this.#columns.size - 1 }, (_, at) => at + PROBE + 1)
    const sortedBy = (hash: ChangingHash) =>
      sortByHash(
        this.#columns,
        hash,
        all.filter((slot) => this.#has(hash, slot)),
      )
    this.take({
      id: all,
      txid: sortByHash(this.#columns, 'txid', all),
      inscriptionTxid: sortedBy('inscriptionTxid'),
      spender: sortedBy('spender'),
    })
  }

  get parts(): PrefixParts {
    const count = this.#columns.size - 1
    return {
      id: this.#sorted.id.all(count),
      txid: this.#sorted.txid.all(count),
      inscriptionTxid: this.#sorted.inscriptionTxid.all(this.#having.inscriptionTxid),
      spender: this.#sorted.spender.all(this.#having.spender),
    }
  }

  take(parts: PrefixParts): void {
    for (const hash of PREFIXED) this.#sorted[hash].fill(parts[hash])
    for (const hash of CHANGING_HASHES) this.#having[hash] = parts[hash].length
  }

  #has(hash: ChangingHash, slot: number): boolean {
    return this.#columns[CHANGING[hash]][slot] === 1
  }

  /** Visits the slots whose hash has this prefix. */
  each(hash: Hash, prefix: HashPrefix, visit: (slot: number) => void): void {
    const column = this.#columns[hash]
    this.#sorted[hash].walkFrom(
      (slot) => comparePrefix(column, slot, prefix) < 0,
      (slot) => {
        if (comparePrefix(column, slot, prefix) !== 0) return false
        visit(slot)
        return true
      },
    )
  }
}
