import { foldText, hasWordPrefix } from '../domain/listing/listing.ts'
import { type Columns, NO_NUMBER, type SlotTest, TEXTS } from './columns.ts'
import { comparePrefix, type HashPrefix, hashPrefix } from './hash-prefix.ts'
import { HASH_DIGITS, hashAt } from './hashes.ts'
import { PREFIXED, type Prefixes } from './prefixes.ts'
import { type AssetRow, SCRIPT_MARK } from './row.ts'

/**
 * Free search (docs/design/listing.md#listing-query-semantics): a prefix of the order id,
 * inscription id or number, txid of the offered output or of what spends it, seller address, protocol
 * id, or of a word of the token.
 * `wanted` is case-folded already. For a test of all orders: hashes are found by their order, and there
 * is one plain pass over each other column that may hold the text.
 */
export function searchAll(columns: Columns, prefixes: Prefixes, wanted: string): SlotTest {
  const hits = new Uint8Array(columns.size)
  for (const [column, test] of testsOfTexts(wanted)) hitTexts(hits, columns, column, test)
  markHashes(hits, columns, prefixes, wanted)
  if (IS_NUMBER.test(wanted)) markSlots(hits, numberTest(columns, wanted))
  if (mayBeAsset(wanted)) {
    const isOdd = oddAssetTest(columns, (asset) => isAsset(asset, wanted))
    for (const slot of columns.oddAssets.keys()) if (isOdd(slot)) hits[slot] = 1
  }
  return (slot) => hits[slot] === 1
}

/** The search as a test of few orders: no lookup is made beforehand. */
export function searchOne(columns: Columns, wanted: string): SlotTest {
  const inTexts = testsOfTexts(wanted).map(([column, test]) => textTest(columns, column, test))
  const tests = [...inTexts, ...plainTests(columns, wanted)]
  if (mayBeAsset(wanted)) tests.push(oddAssetTest(columns, (asset) => isAsset(asset, wanted)))
  return (slot) => tests.some((test) => test(slot))
}

/**
 * Whether the text of a slot's number in a column passes. The column is looked up each time: it is
 * replaced when the columns grow.
 */
export function textTest(columns: Columns, column: TextColumn, test: TextTest): SlotTest {
  const texts = columns[TEXTS[column]]
  return (slot) => {
    const number = columns[column][slot] ?? 0
    return number > 0 && test(texts.text(number))
  }
}

/** Whether one of an order's odd assets passes. */
export const oddAssetTest =
  ({ oddAssets }: Columns, test: (asset: AssetRow, slot: number) => boolean): SlotTest =>
  (slot) =>
    oddAssets.get(slot)?.some((asset) => test(asset, slot)) ?? false

type TextColumn = keyof typeof TEXTS
type TextTest = (text: string) => boolean

/** The columns of texts that a search reads, each with its test. */
const testsOfTexts = (wanted: string): [column: TextColumn, test: TextTest][] => [
  ['protocol', (text) => foldText(text).startsWith(wanted)],
  ['token', (text) => hasWordPrefix(text, wanted)],
  ['seller', (text) => isAddress(text, wanted)],
]

const IS_HASH = /^[0-9a-f]{1,64}$/
const IS_INSCRIPTION = /^[0-9a-f]{64}i[0-9]*$/
const IS_NUMBER = /^-?(?:0|[1-9][0-9]*)?$/

function plainTests(columns: Columns, wanted: string): SlotTest[] {
  const tests: SlotTest[] = []
  if (IS_HASH.test(wanted)) tests.push(hashTest(columns, wanted))
  if (IS_INSCRIPTION.test(wanted)) tests.push(inscriptionTest(columns, wanted))
  if (IS_NUMBER.test(wanted)) tests.push(numberTest(columns, wanted))
  return tests
}

/** Hits the hashes that `hashTest` and `inscriptionTest` pass. */
function markHashes(hits: Uint8Array, columns: Columns, prefixes: Prefixes, wanted: string): void {
  const hit = (slot: number) => {
    hits[slot] = 1
  }
  if (IS_HASH.test(wanted)) {
    const prefix = hashPrefix(wanted)
    for (const hash of PREFIXED) prefixes.each(hash, prefix, hit)
  }
  if (!IS_INSCRIPTION.test(wanted)) return
  const isOne = inscriptionTest(columns, wanted)
  const prefix = hashPrefix(wanted.slice(0, HASH_DIGITS))
  prefixes.each('inscriptionTxid', prefix, (slot) => isOne(slot) && hit(slot))
}

const mayBeAsset = (wanted: string): boolean => /^[-0-9a-f]/.test(wanted)

const isAsset = ([id, , number]: AssetRow, wanted: string): boolean =>
  id.startsWith(wanted) || (number !== null && String(number).startsWith(wanted))

// Addresses are ASCII and many: they are compared letter by letter, without a copy.
function isAddress(seller: string, wanted: string): boolean {
  for (let at = 0; at < wanted.length; at += 1) {
    const unit = seller.charCodeAt(at)
    const folded = unit >= UPPER_A && unit <= UPPER_Z ? unit + TO_LOWER : unit
    if (folded !== wanted.charCodeAt(at)) return false
  }
  return !seller.startsWith(SCRIPT_MARK)
}

const UPPER_A = 65
const UPPER_Z = 90
const TO_LOWER = 32

// Each distinct text is tested once, not once per order.
function hitTexts(hits: Uint8Array, columns: Columns, column: TextColumn, test: TextTest): void {
  const passing = columns[TEXTS[column]].passing(test)
  if (!passing.includes(1)) return
  const numbers = columns[column]
  for (let slot = 1; slot < hits.length; slot += 1) {
    if (passing[numbers[slot] ?? 0] === 1) hits[slot] = 1
  }
}

function markSlots(hits: Uint8Array, test: SlotTest): void {
  for (let slot = 1; slot < hits.length; slot += 1) if (test(slot)) hits[slot] = 1
}

function hashTest(columns: Columns, digits: string): SlotTest {
  const prefix = hashPrefix(digits)
  return (slot) =>
    begins(columns.id, slot, prefix) ||
    begins(columns.txid, slot, prefix) ||
    (columns.hasAsset[slot] === 1 && begins(columns.inscriptionTxid, slot, prefix)) ||
    (columns.hasSpender[slot] === 1 && begins(columns.spender, slot, prefix))
}

function inscriptionTest(columns: Columns, wanted: string): SlotTest {
  const prefix = hashPrefix(wanted.slice(0, 64))
  return (slot) => {
    if (columns.hasAsset[slot] !== 1 || !begins(columns.inscriptionTxid, slot, prefix)) return false
    const id = `${hashAt(columns.inscriptionTxid, slot)}i${columns.inscriptionIndex[slot]}`
    return id.startsWith(wanted)
  }
}

/** Numbers with these leading digits lie in one range for each further digit. */
function numberTest(columns: Columns, wanted: string): SlotTest {
  const negative = wanted.startsWith('-')
  const ranges = numberRanges(negative ? wanted.slice(1) : wanted)
  return (slot) => {
    const number = columns.inscriptionNumber[slot] ?? NO_NUMBER
    if (columns.hasAsset[slot] !== 1 || number === NO_NUMBER || number < 0 !== negative)
      return false
    const size = Math.abs(number)
    return ranges.some(([from, to]) => size >= from && size < to)
  }
}

function numberRanges(digits: string): [from: number, to: number][] {
  if (digits === '') return [[0, Number.POSITIVE_INFINITY]]
  const first = Number(digits)
  const ranges: [number, number][] = [[first, first + 1]]
  for (let scale = 10; first > 0 && first * scale < 2 ** 31; scale *= 10) {
    ranges.push([first * scale, (first + 1) * scale])
  }
  return ranges
}

const begins = (column: Uint32Array, slot: number, prefix: HashPrefix): boolean =>
  comparePrefix(column, slot, prefix) === 0
