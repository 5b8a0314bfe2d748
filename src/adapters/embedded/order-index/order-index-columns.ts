import type { IndexPart } from './order-index-file.ts'
import type { AssetRow, OrderIndexRow } from './order-index-row.ts'

/** Texts as numbers: 0 means none, 1 is the text of a cursor. */
export class Texts {
  readonly #ids = new Map<string, number>()
  readonly #texts: string[] = ['', '']

  id(text: string | null): number {
    if (text === null) return 0
    const known = this.#ids.get(text)
    if (known !== undefined) return known
    this.#ids.set(text, this.#texts.length)
    return this.#texts.push(text) - 1
  }

  get all(): readonly string[] {
    return this.#texts
  }

  /** Those of another that is given up; it must be empty. */
  take(texts: readonly string[]): void {
    for (const text of texts.slice(this.#texts.length)) this.id(text)
  }

  find(text: string): number | undefined {
    return this.#ids.get(text)
  }

  text(id: number): string {
    return this.#texts[id] ?? ''
  }

  /** A number for a text that no order may have: valid until the next call. */
  probe(text: string | null): number {
    this.#texts[1] = text ?? ''
    return text === null ? 0 : 1
  }

  /** For each number, the rank of its text in this order; none comes last. */
  ranks(compare: (a: string, b: string) => number): Uint32Array {
    const ids = Array.from({ length: this.#texts.length - 2 }, (_, at) => at + 2)
    ids.sort((a, b) => compare(this.text(a), this.text(b)))
    const ranks = new Uint32Array(this.#texts.length)
    for (const [rank, id] of ids.entries()) ranks[id] = rank
    ranks[0] = ids.length
    return ranks
  }

  /** For each number, whether its text passes. */
  passing(test: (text: string) => boolean): Uint8Array {
    const passing = new Uint8Array(this.#texts.length)
    for (let id = 2; id < passing.length; id += 1) passing[id] = test(this.text(id)) ? 1 : 0
    return passing
  }
}

/** Words of a 32-byte hash. */
export const HASH_WORDS = 8
/** Above every price: an order without one comes after all others. */
export const UNPRICED = 2n ** 64n - 1n
export const NEVER = -1
export const NO_NUMBER = -(2 ** 31)
/** Whether the order in a slot matches. */
export type SlotTest = (slot: number) => boolean
/** The slot that represents a cursor's position in comparisons; no order has it. */
export const PROBE = 0

const FEWEST = 1_024
const TEXTS = ['protocols', 'tokens', 'sellers'] as const

type Column = Uint8Array | Uint16Array | Uint32Array | Int32Array | Float64Array | BigUint64Array
const isColumn = (value: unknown): value is Column => ArrayBuffer.isView(value)

/**
 * The listed orders, a column per property, a slot per order: some 180 bytes each. Slots are never
 * freed: a view holds what the log holds.
 */
export class Columns {
  readonly protocols = new Texts()
  readonly tokens = new Texts()
  readonly sellers = new Texts()
  /** Assets of orders that have several, or one outside the offered output. */
  readonly oddAssets = new Map<number, readonly AssetRow[]>()
  size = 1
  seq = new Uint32Array(0)
  state = new Uint8Array(0)
  safety = new Uint8Array(0)
  orderClass = new Uint8Array(0)
  signature = new Uint8Array(0)
  side = new Uint8Array(0)
  sources = new Uint8Array(0)
  /** 1: hidden by an operator. */
  hidden = new Uint8Array(0)
  createdAt = new Float64Array(0)
  verifiedAt = new Float64Array(0)
  price = new BigUint64Array(0)
  protocol = new Uint32Array(0)
  market = new Uint32Array(0)
  token = new Uint32Array(0)
  seller = new Uint32Array(0)
  vout = new Uint32Array(0)
  hasAsset = new Uint8Array(0)
  inscriptionIndex = new Uint32Array(0)
  inscriptionNumber = new Int32Array(0)
  updatedAt = new Float64Array(0)
  partition = new Uint16Array(0)
  /** The watermark of `heldUnder`; `NEVER` is none. */
  heldEpoch = new Float64Array(0)
  heldN = new Float64Array(0)
  id = new Uint32Array(0)
  txid = new Uint32Array(0)
  inscriptionTxid = new Uint32Array(0)

  constructor() {
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

  set(slot: number, row: OrderIndexRow): void {
    const [
      seq,
      state,
      safety,
      orderClass,
      signature,
      side,
      sources,
      createdAt,
      verifiedAt,
      ...rest
    ] = row
    const [price, protocol, token, seller, outpoint, assets, hidden, market, ...moving] = rest
    const [updatedAt, partition, heldUnder] = moving
    this.seq[slot] = seq
    this.state[slot] = state
    this.safety[slot] = safety
    this.orderClass[slot] = orderClass
    this.signature[slot] = signature
    this.side[slot] = side
    this.sources[slot] = sources
    this.hidden[slot] = hidden ? 1 : 0
    this.createdAt[slot] = createdAt
    this.verifiedAt[slot] = verifiedAt ?? NEVER
    this.price[slot] = price === null ? UNPRICED : BigInt(price)
    this.protocol[slot] = this.protocols.id(protocol)
    this.market[slot] = this.protocols.id(market)
    this.token[slot] = this.tokens.id(token)
    this.seller[slot] = this.sellers.id(seller)
    this.updatedAt[slot] = updatedAt
    this.partition[slot] = partition
    this.heldEpoch[slot] = heldUnder?.[0] ?? NEVER
    this.heldN[slot] = heldUnder?.[1] ?? NEVER
    putHash(this.txid, slot, outpoint)
    this.vout[slot] = Number(outpoint.slice(HASH_DIGITS + 1))
    this.#setAssets(slot, assets)
  }

  /** All columns, without their room for further orders, and the texts and assets beside them. */
  *parts(): Generator<IndexPart> {
    yield ['size', this.size]
    for (const [name, column] of this.#all())
      yield [name, column.subarray(0, (column.length / this.seq.length) * this.size)]
    for (const name of TEXTS) yield [name, this[name].all]
    yield ['oddAssets', this.oddAssets]
  }

  /** What `parts` yielded; it must be empty. */
  take(parts: ReadonlyMap<string, unknown>): void {
    for (const [name] of this.#all()) Object.assign(this, { [name]: parts.get(name) })
    for (const name of TEXTS) this[name].take(parts.get(name) as string[])
    for (const [slot, assets] of parts.get('oddAssets') as typeof this.oddAssets)
      this.oddAssets.set(slot, assets)
    this.size = parts.get('size') as number
    // Room for the next orders is made now, while nothing waits.
    let capacity = FEWEST
    while (capacity <= this.size) capacity *= 2
    this.#grow(capacity)
  }

  #all(): [name: string, column: Column][] {
    const entries: [string, unknown][] = Object.entries(this)
    return entries.flatMap(([name, value]) => (isColumn(value) ? [[name, value]] : []))
  }

  #setAssets(slot: number, assets: readonly AssetRow[]): void {
    const [first] = assets
    const odd = assets.length > 1 || (first !== undefined && first[1] !== null)
    if (odd) this.oddAssets.set(slot, assets)
    else this.oddAssets.delete(slot)
    this.hasAsset[slot] = first && !odd ? 1 : 0
    if (!first) return
    const [inscriptionId, , number] = first
    putHash(this.inscriptionTxid, slot, inscriptionId)
    this.inscriptionIndex[slot] = Number(inscriptionId.slice(HASH_DIGITS + 1))
    this.inscriptionNumber[slot] = number ?? NO_NUMBER
  }

  #grow(capacity: number): void {
    const words = capacity * HASH_WORDS
    this.seq = copied(this.seq, new Uint32Array(capacity))
    this.state = copied(this.state, new Uint8Array(capacity))
    this.safety = copied(this.safety, new Uint8Array(capacity))
    this.orderClass = copied(this.orderClass, new Uint8Array(capacity))
    this.signature = copied(this.signature, new Uint8Array(capacity))
    this.side = copied(this.side, new Uint8Array(capacity))
    this.sources = copied(this.sources, new Uint8Array(capacity))
    this.hidden = copied(this.hidden, new Uint8Array(capacity))
    this.createdAt = copied(this.createdAt, new Float64Array(capacity))
    this.verifiedAt = copied(this.verifiedAt, new Float64Array(capacity))
    this.price = copied(this.price, new BigUint64Array(capacity))
    this.protocol = copied(this.protocol, new Uint32Array(capacity))
    this.market = copied(this.market, new Uint32Array(capacity))
    this.token = copied(this.token, new Uint32Array(capacity))
    this.seller = copied(this.seller, new Uint32Array(capacity))
    this.vout = copied(this.vout, new Uint32Array(capacity))
    this.hasAsset = copied(this.hasAsset, new Uint8Array(capacity))
    this.inscriptionIndex = copied(this.inscriptionIndex, new Uint32Array(capacity))
    this.inscriptionNumber = copied(this.inscriptionNumber, new Int32Array(capacity))
    this.updatedAt = copied(this.updatedAt, new Float64Array(capacity))
    this.partition = copied(this.partition, new Uint16Array(capacity))
    this.heldEpoch = copied(this.heldEpoch, new Float64Array(capacity))
    this.heldN = copied(this.heldN, new Float64Array(capacity))
    this.id = copied(this.id, new Uint32Array(words))
    this.txid = copied(this.txid, new Uint32Array(words))
    this.inscriptionTxid = copied(this.inscriptionTxid, new Uint32Array(words))
  }
}

const WORD_DIGITS = 8
const WORD_BYTES = WORD_DIGITS / 2
const HASH_DIGITS = HASH_WORDS * WORD_DIGITS

function copied<A extends { set(from: A): void }>(from: A, to: A): A {
  to.set(from)
  return to
}

/** Writes the hash that a hex text begins with. */
export function putHash(column: Uint32Array, slot: number, text: string): void {
  for (let word = 0; word < HASH_WORDS; word += 1) {
    let value = 0
    for (let at = word * WORD_DIGITS; at < (word + 1) * WORD_DIGITS; at += 1) {
      value = (value << 4) | (DIGIT_VALUES[text.charCodeAt(at)] ?? 0)
    }
    column[slot * HASH_WORDS + word] = value
  }
}

/**
 * The value of a hex digit by its character code: slicing the text for each word would cost far
 * more.
 */
const DIGIT_VALUES = new Uint8Array(128)
for (let value = 0; value < 16; value += 1) {
  DIGIT_VALUES[value.toString(16).charCodeAt(0)] = value
}

/** The bytes of the hash that is being written. */
const HASH = Buffer.alloc(HASH_WORDS * WORD_BYTES)

export function hashAt(column: Uint32Array, slot: number): string {
  for (let word = 0; word < HASH_WORDS; word += 1)
    HASH.writeUInt32BE(column[slot * HASH_WORDS + word] ?? 0, word * WORD_BYTES)
  return HASH.toString('hex')
}

/** The order of two hashes, as that of their hex. */
export function compareHashes(
  a: Uint32Array,
  slotA: number,
  b: Uint32Array,
  slotB: number,
): number {
  for (let word = 0; word < HASH_WORDS; word += 1) {
    const difference = (a[slotA * HASH_WORDS + word] ?? 0) - (b[slotB * HASH_WORDS + word] ?? 0)
    if (difference !== 0) return difference
  }
  return 0
}
