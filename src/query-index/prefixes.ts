import { type Columns, PROBE } from './columns.ts'
import { comparePrefix, type HashPrefix } from './hash-prefix.ts'
import { compareHashes } from './hashes.ts'
import { sortByHash } from './sort-all.ts'
import { SortedSlots } from './sorted.ts'

/** The hashes that a search by prefix compares. */
export const PREFIXED = ['id', 'txid', 'inscriptionTxid'] as const
type Hash = (typeof PREFIXED)[number]
export type PrefixParts = Record<Hash, Uint32Array>

/** Finds slots by the first digits of an order's id, output or inscription: 12 bytes an order. */
export class Prefixes {
  readonly #columns: Columns
  readonly #sorted: Record<Hash, SortedSlots>
  /** Slots with an inscription. */
  #inscribed = 0

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
    }
  }

  /** Adds a slot whose columns are set. */
  add(slot: number): void {
    this.#sorted.id.insert(slot)
    this.#sorted.txid.insert(slot)
    this.addInscription(slot)
  }

  /** Call it before and after the inscription of a slot changes; id and output never change. */
  removeInscription(slot: number): void {
    if (this.#columns.hasAsset[slot] !== 1) return
    this.#sorted.inscriptionTxid.remove(slot)
    this.#inscribed -= 1
  }

  addInscription(slot: number): void {
    if (this.#columns.hasAsset[slot] !== 1) return
    this.#sorted.inscriptionTxid.insert(slot)
    this.#inscribed += 1
  }

  /** Sorts all slots; they must be in id order. */
  fill(): void {
    const { size, hasAsset } = this.#columns
    const all = Uint32Array.from({ length: size - 1 }, (_, at) => at + PROBE + 1)
    const inscribed = all.filter((slot) => hasAsset[slot] === 1)
    this.take({
      id: all,
      txid: sortByHash(this.#columns, 'txid', all),
      inscriptionTxid: sortByHash(this.#columns, 'inscriptionTxid', inscribed),
    })
  }

  get parts(): PrefixParts {
    const count = this.#columns.size - 1
    return {
      id: this.#sorted.id.all(count),
      txid: this.#sorted.txid.all(count),
      inscriptionTxid: this.#sorted.inscriptionTxid.all(this.#inscribed),
    }
  }

  take(parts: PrefixParts): void {
    for (const hash of PREFIXED) this.#sorted[hash].fill(parts[hash])
    this.#inscribed = parts.inscriptionTxid.length
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
