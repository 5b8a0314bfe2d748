import { HASH_DIGITS, HASH_WORDS, putHash } from './hashes.ts'
import type { AssetRow, OrderRow } from './row.ts'
import { Texts } from './texts.ts'

/** A part of an index: a value that `node:v8` can serialise. */
export type IndexPart = [name: string, value: unknown]

export const NO_NUMBER = -(2 ** 31)
/** Whether the order in a slot matches. */
export type SlotTest = (slot: number) => boolean
/** The slot that represents a cursor's position in comparisons; no order has it. */
export const PROBE = 0

const FEWEST = 1_024
/** The largest value of `inscriptionIndex`. */
const MAX_INDEX = 2 ** 32 - 1

/** Columns that hold the property of a row with the same name. */
export const NUMBERS = {
  seq: Uint32Array,
  state: Uint8Array,
  safety: Uint8Array,
  orderClass: Uint8Array,
  signature: Uint8Array,
  side: Uint8Array,
  sources: Uint8Array,
  hidden: Uint8Array,
  createdAt: Float64Array,
  verifiedAt: Float64Array,
  updatedAt: Float64Array,
  price: BigUint64Array,
  vout: Uint32Array,
  partition: Uint16Array,
  heldEpoch: Float64Array,
  heldN: Float64Array,
} as const

/** Columns that hold the number of a row's text, by where the texts are. */
export const TEXTS = {
  protocol: 'protocols',
  market: 'protocols',
  token: 'tokens',
  seller: 'sellers',
} as const

/** Columns of an order's asset, if it has or claims one in the offered output. */
const ASSET = {
  hasAsset: Uint8Array,
  provedAsset: Uint8Array,
  inscriptionIndex: Uint32Array,
  inscriptionNumber: Int32Array,
} as const

/** Whether the offered output is spent. */
const SPEND = { hasSpender: Uint8Array } as const

/** Columns of hashes, 8 words a slot. */
const HASHES = {
  id: Uint32Array,
  txid: Uint32Array,
  inscriptionTxid: Uint32Array,
  spender: Uint32Array,
} as const

const textColumns = Object.fromEntries(
  Object.keys(TEXTS).map((name) => [name, Uint32Array]),
) as Record<keyof typeof TEXTS, typeof Uint32Array>
const ARRAYS = { ...NUMBERS, ...textColumns, ...ASSET, ...SPEND, ...HASHES } as const

type ArrayName = keyof typeof ARRAYS
type Arrays = { [Name in ArrayName]: InstanceType<(typeof ARRAYS)[Name]> }

const names = <Name extends string>(table: Readonly<Record<Name, unknown>>) =>
  Object.keys(table) as Name[]
const NAMES = names(ARRAYS)
const wordsOf = (name: ArrayName): number => (name in HASHES ? HASH_WORDS : 1)

/** The arrays that `ARRAYS` names. */
const WithArrays = Object as unknown as new () => Arrays

/**
 * The listed orders, a column per property, a slot per order: some 216 bytes each. Slots are never
 * freed: a view holds what the log holds.
 */
export class Columns extends WithArrays {
  readonly protocols = new Texts()
  readonly tokens = new Texts()
  readonly sellers = new Texts()
  /**
   * Assets of the orders that have several assets, one outside the offered output, or one whose index
   * is more than its column holds.
   */
  readonly oddAssets = new Map<number, readonly AssetRow[]>()
  size = 1

  constructor() {
    super()
    for (const name of NAMES) this.#put(name, new ARRAYS[name](0))
    this.#grow(FEWEST)
  }

  /** A slot for a new order. */
  add(id: string): number {
    if (this.size === this.seq.length) this.#grow(this.size * 2)
    const slot = this.size
    this.size += 1
    putHash(this.id, slot, id)
    return slot
  }

  set(slot: number, row: OrderRow): void {
    for (const name of NUMBER_NAMES) this[name][slot] = row[name]
    for (const name of TEXT_NAMES) this[name][slot] = this[TEXTS[name]].id(row[name])
    this.price[slot] = row.price
    putHash(this.txid, slot, row.txid)
    this.hasSpender[slot] = row.spender ? 1 : 0
    if (row.spender) putHash(this.spender, slot, row.spender)
    this.#setAssets(slot, row)
  }

  /** All columns up to the last order, and the texts and assets beside the columns. */
  *parts(): Generator<IndexPart> {
    yield ['size', this.size]
    for (const name of NAMES) yield [name, this[name].subarray(0, this.size * wordsOf(name))]
    for (const name of TEXTS_NAMES) yield [name, this[name].all]
    yield ['oddAssets', this.oddAssets]
  }

  /** Takes the parts that `parts` yielded; these columns must be empty. */
  take(parts: ReadonlyMap<string, unknown>): void {
    for (const name of NAMES) this.#put(name, parts.get(name) as Arrays[ArrayName])
    for (const name of TEXTS_NAMES) this[name].take(parts.get(name) as string[])
    for (const [slot, assets] of parts.get('oddAssets') as typeof this.oddAssets)
      this.oddAssets.set(slot, assets)
    this.size = parts.get('size') as number
    // Room for the next orders is made now, while nothing waits.
    let capacity = FEWEST
    while (capacity <= this.size) capacity *= 2
    this.#grow(capacity)
  }

  #setAssets(slot: number, { assets, txid, vout }: OrderRow): void {
    const [first] = assets
    const odd = assets.length > 1 || (first !== undefined && !fitsColumns(first, `${txid}:${vout}`))
    if (odd) this.oddAssets.set(slot, assets)
    else this.oddAssets.delete(slot)
    this.hasAsset[slot] = first && !odd ? 1 : 0
    if (!first) return
    const [inscriptionId, place, number] = first
    this.provedAsset[slot] = place === null ? 1 : 0
    putHash(this.inscriptionTxid, slot, inscriptionId)
    this.inscriptionIndex[slot] = inscriptionIndex(inscriptionId)
    this.inscriptionNumber[slot] = number ?? NO_NUMBER
  }

  #grow(capacity: number): void {
    for (const name of NAMES) {
      const larger = new ARRAYS[name](capacity * wordsOf(name))
      // Both arrays have the same type.
      ;(larger as { set(from: unknown): void }).set(this[name])
      this.#put(name, larger)
    }
  }

  #put(name: ArrayName, array: Arrays[ArrayName]): void {
    Object.assign(this, { [name]: array })
  }
}

const inscriptionIndex = (inscriptionId: string): number =>
  Number(inscriptionId.slice(HASH_DIGITS + 1))

/** A claim may name an index of ten digits, which no inscription has. */
const fitsColumns = ([inscriptionId, place]: AssetRow, outpoint: string): boolean =>
  (place === null || place === outpoint) && inscriptionIndex(inscriptionId) <= MAX_INDEX

type NumberName = Exclude<keyof typeof NUMBERS, 'price'>
const NUMBER_NAMES = names(NUMBERS).filter((name): name is NumberName => name !== 'price')
const TEXT_NAMES = names(TEXTS)
const TEXTS_NAMES = [...new Set(Object.values(TEXTS))]
