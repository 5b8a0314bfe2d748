import { compareText } from '../domain/listing/listing.ts'
import { type OrderSort, SORTS } from '../domain/listing/sorts.ts'
import { type Columns, PROBE } from './columns.ts'
import { compareHashes, HASH_WORDS } from './hashes.ts'
import { UNPRICED } from './row.ts'
import type { Texts } from './texts.ts'

/** Bits per digit: the targets of one pass stay in a core's cache. */
const DIGIT_BITS = 11
const DIGITS = 2 ** DIGIT_BITS
const WORD_BITS = 32
const WORD = 2 ** 32
/** Above every time; the lowest time is -1. */
const ABOVE_TIMES = 2 ** 52

/** A number of 64 bits for each slot, in two words. */
interface Keys {
  low: Uint32Array
  high: Uint32Array
}

/**
 * All slots in the order of a sort. The slots given are in id order, and slots with equal keys stay
 * in id order. One pass over all slots for each digit in which the keys differ.
 */
export function sortAll(columns: Columns, sort: OrderSort): Uint32Array {
  const slots = new Uint32Array(columns.size - 1)
  for (let at = 0; at < slots.length; at += 1) slots[at] = at + PROBE + 1
  return sortedByKeys(slots, keysOf(columns, sort))
}

/** Slots, given in id order, sorted by a hash; slots with equal hashes stay in id order. */
export function sortByHash(
  columns: Columns,
  name: 'txid' | 'inscriptionTxid' | 'spender',
  slots: Uint32Array,
): Uint32Array {
  const column = columns[name]
  const keys = newKeys(columns)
  for (let slot = PROBE + 1; slot < columns.size; slot += 1) {
    keys.high[slot] = column[slot * HASH_WORDS] ?? 0
    keys.low[slot] = column[slot * HASH_WORDS + 1] ?? 0
  }
  const sorted = sortedByKeys(slots, keys)
  // Two hashes that begin with the same 64 bits can be made on purpose.
  const compare = (a: number, b: number) => compareHashes(column, a, column, b)
  for (let from = 0; from < sorted.length; ) {
    let to = from + 1
    while (to < sorted.length && isSameKey(keys, sorted, from, to)) to += 1
    if (to - from > 1) sorted.set([...sorted.subarray(from, to)].sort(compare), from)
    from = to
  }
  return sorted
}

const isSameKey = ({ low, high }: Keys, slots: Uint32Array, a: number, b: number): boolean => {
  const [x, y] = [slots[a] ?? 0, slots[b] ?? 0]
  return low[x] === low[y] && high[x] === high[y]
}

function sortedByKeys(all: Uint32Array, { low, high }: Keys): Uint32Array {
  let slots = all
  for (const word of [low, high]) {
    const varying = varyingBits(word)
    for (let shift = 0; shift < WORD_BITS; shift += DIGIT_BITS) {
      if ((varying >>> shift) % DIGITS !== 0) slots = sortedBy(slots, word, shift)
    }
  }
  return slots
}

/** The bits in which the words differ. */
function varyingBits(word: Uint32Array): number {
  const first = word[PROBE + 1] ?? 0
  let varying = 0
  for (let slot = PROBE + 1; slot < word.length; slot += 1) varying |= (word[slot] ?? 0) ^ first
  return varying
}

function sortedBy(slots: Uint32Array, word: Uint32Array, shift: number): Uint32Array {
  const next = startsOf(slots, word, shift)
  const sorted = new Uint32Array(slots.length)
  for (let at = 0; at < slots.length; at += 1) {
    const slot = slots[at] ?? 0
    const digit = ((word[slot] ?? 0) >>> shift) % DIGITS
    const to = next[digit] ?? 0
    sorted[to] = slot
    next[digit] = to + 1
  }
  return sorted
}

/** For each value of a digit, how many slots have a lower digit. */
function startsOf(slots: Uint32Array, word: Uint32Array, shift: number): Uint32Array {
  const counts = new Uint32Array(DIGITS)
  for (const slot of slots) {
    const digit = ((word[slot] ?? 0) >>> shift) % DIGITS
    counts[digit] = (counts[digit] ?? 0) + 1
  }
  let before = 0
  return counts.map((count) => {
    before += count
    return before - count
  })
}

function keysOf(columns: Columns, sort: OrderSort): Keys {
  const { by, isDescending } = SORTS[sort]
  switch (by) {
    case 'createdAt':
    case 'verifiedAt':
      return timeKeys(
        columns,
        columns[by],
        isDescending ? (ms) => ABOVE_TIMES - ms : (ms) => ms + 1,
      )
    case 'price':
      return priceKeys(columns, (price) =>
        isDescending && price !== UNPRICED ? UNPRICED - 1n - price : price,
      )
    case 'token':
      return textKeys(columns, columns.token, columns.tokens)
    case 'protocol':
      return textKeys(columns, columns.protocol, columns.protocols)
  }
}

const newKeys = ({ size }: Columns): Keys => ({
  low: new Uint32Array(size),
  high: new Uint32Array(size),
})

function timeKeys(columns: Columns, times: Float64Array, keyOf: (ms: number) => number): Keys {
  const keys = newKeys(columns)
  for (let slot = PROBE + 1; slot < columns.size; slot += 1) {
    const key = keyOf(times[slot] ?? 0)
    keys.low[slot] = key % WORD
    keys.high[slot] = key / WORD
  }
  return keys
}

function priceKeys(columns: Columns, keyOf: (price: bigint) => bigint): Keys {
  const keys = newKeys(columns)
  const one = new BigUint64Array(1)
  const view = new DataView(one.buffer)
  for (let slot = PROBE + 1; slot < columns.size; slot += 1) {
    view.setBigUint64(0, keyOf(columns.price[slot] ?? UNPRICED))
    keys.high[slot] = view.getUint32(0)
    keys.low[slot] = view.getUint32(4)
  }
  return keys
}

/** The rank of each text among all texts; the rank of no text is the last. */
function textKeys(columns: Columns, column: Uint32Array, texts: Texts): Keys {
  const keys = newKeys(columns)
  const ranks = texts.ranks(compareText)
  for (let slot = PROBE + 1; slot < columns.size; slot += 1) {
    keys.low[slot] = ranks[column[slot] ?? 0] ?? 0
  }
  return keys
}
