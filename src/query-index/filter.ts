import type { ListedFilters } from '../domain/listing/actionable.ts'
import type { FilterPart } from '../domain/listing/facet-counts.ts'
import { type OrderFilters, statesLeftOut } from '../domain/listing/filters.ts'
import { foldText } from '../domain/listing/listing.ts'
import type { Network } from '../schemas/scalars.ts'
import { actionabilities, type FreshnessByPartition } from './actionable.ts'
import { type Columns, type SlotTest, TEXTS } from './columns.ts'
import { HASH_WORDS, putHash } from './hashes.ts'
import type { Prefixes } from './prefixes.ts'
import { type AssetRow, codes, NEVER, sellerKey, UNPRICED } from './row.ts'
import { oddAssetTest, searchAll, searchOne, textTest } from './search.ts'

/**
 * `all`: one scan of all orders, with lookups made beforehand. `one`: the test is kept, and run
 * again on each later change, so it holds for orders and texts that are added later.
 */
type Tested = 'all' | 'one'

export interface TestTerms {
  network: Network
  freshness: FreshnessByPartition
  prefixes: Prefixes
  tested: Tested
}

export interface FilterTest {
  /** The facet whose counts set this filter aside. */
  part: FilterPart
  test: SlotTest
}

/**
 * The tests of a query's filters, combined with AND; without any, every order not hidden passes.
 * The orders that spend an output are found by `SlotsByOutput` and `SlotsByFunding` instead.
 */
export function filterTests(
  columns: Columns,
  query: ListedFilters,
  { network, freshness, prefixes, tested }: TestTerms,
): FilterTest[] {
  const tests: FilterTest[] = []
  const add = (part: FilterPart, test: SlotTest) => tests.push({ part, test })
  const equal = <N extends 'safety' | 'orderClass' | 'signature' | 'side'>(
    name: N,
    value: OrderFilters[N],
  ) => {
    if (value === undefined) return
    const code = (codes[name] as (value: unknown) => number)(value)
    add(name, (slot) => columns[name][slot] === code)
  }
  if (query.hidden !== 'either') {
    const hidden = query.hidden ? 1 : 0
    add('always', (slot) => columns.hidden[slot] === hidden)
  }
  addStates(columns, query, add)
  equal('safety', query.safety)
  equal('orderClass', query.orderClass)
  equal('signature', query.signature)
  equal('side', query.side)
  if (query.source) {
    const bit = codes.source(query.source)
    add('source', (slot) => ((columns.sources[slot] ?? 0) & bit) !== 0)
  }
  if (query.protocols) add('protocol', isOneOf(columns, 'market', query.protocols, tested))
  if (query.groupProtocols) add('group', isOneOf(columns, 'market', query.groupProtocols, tested))
  for (const test of textTests(columns, query, { network, prefixes, tested })) add('always', test)
  for (const test of rangeTests(columns, query)) add('always', test)
  if (query.actionability) {
    const { is } = query.actionability
    const shown = actionabilities(columns, query.actionability, freshness)
    add('actionability', (slot) => shown(slot) === is)
  }
  return tests
}

/** The tests of a query's filters, without the facet of each. */
export const slotTests = (...about: Parameters<typeof filterTests>): SlotTest[] =>
  filterTests(...about).map(({ test }) => test)

function addStates(
  columns: Columns,
  query: OrderFilters,
  add: (part: FilterPart, test: SlotTest) => void,
): void {
  for (const state of statesLeftOut(query)) {
    const code = codes.state(state)
    add('always', (slot) => columns.state[slot] !== code)
  }
  for (const states of [query.state && [query.state], query.states]) {
    if (!states) continue
    const wanted = new Set(states.map(codes.state))
    add('state', (slot) => wanted.has(columns.state[slot] ?? 0))
  }
}

/** Whether the text in a column is one of `wanted`. */
function isOneOf(
  columns: Columns,
  column: keyof typeof TEXTS,
  wanted: readonly string[],
  tested: Tested,
): SlotTest {
  if (tested === 'one') return textTest(columns, column, (text) => wanted.includes(text))
  const texts = columns[TEXTS[column]]
  const numbers = wanted.map((text) => texts.find(text))
  const [only] = numbers
  if (numbers.length === 1) return (slot) => columns[column][slot] === only
  const several = new Set(numbers)
  return (slot) => several.has(columns[column][slot])
}

function* textTests(
  columns: Columns,
  query: OrderFilters,
  { network, prefixes, tested }: Omit<TestTerms, 'freshness'>,
): Generator<SlotTest, void> {
  if (query.token !== undefined) yield isOneOf(columns, 'token', [foldText(query.token)], tested)
  if (query.sellerScriptHex !== undefined)
    yield isOneOf(columns, 'seller', [sellerKey(query.sellerScriptHex, network)], tested)
  if (query.assetInscriptionId) yield inscriptionTest(columns, query.assetInscriptionId, tested)
  if (query.provedInscriptionId) yield provedTest(columns, query.provedInscriptionId, tested)
  if (query.assetOutpoint) yield assetOutpointTest(columns, query.assetOutpoint, tested)
  if (query.search) {
    const wanted = foldText(query.search)
    yield tested === 'all' ? searchAll(columns, prefixes, wanted) : searchOne(columns, wanted)
  }
}

function* rangeTests(
  columns: Columns,
  { priceMin, priceMax, updatedSince }: OrderFilters,
): Generator<SlotTest, void> {
  if (priceMin !== undefined || priceMax !== undefined) {
    const least = BigInt(priceMin ?? 0)
    const most = priceMax === undefined ? UNPRICED - 1n : BigInt(priceMax)
    yield (slot) => {
      const price = columns.price[slot] ?? UNPRICED
      return price >= least && price <= most
    }
  }
  if (updatedSince !== undefined) {
    const from = Date.parse(updatedSince)
    yield (slot) => (columns.updatedAt[slot] ?? NEVER) >= from
  }
}

function inscriptionTest(columns: Columns, inscriptionId: string, tested: Tested): SlotTest {
  const isOwn = ownInscriptionTest(columns, inscriptionId)
  const isOdd = oddTest(columns, ([id]) => id === inscriptionId, tested)
  return (slot) => (columns.hasAsset[slot] === 1 ? isOwn(slot) : isOdd(slot))
}

function provedTest(columns: Columns, inscriptionId: string, tested: Tested): SlotTest {
  const isOwn = ownInscriptionTest(columns, inscriptionId)
  const isProved = ([id, place]: AssetRow) => id === inscriptionId && place === null
  const isOdd = oddTest(columns, isProved, tested)
  return (slot) =>
    columns.hasAsset[slot] === 1 ? columns.provedAsset[slot] === 1 && isOwn(slot) : isOdd(slot)
}

function ownInscriptionTest(columns: Columns, inscriptionId: string): SlotTest {
  const wanted = hashAndNumber(inscriptionId, 'i')
  return (slot) =>
    columns.inscriptionIndex[slot] === wanted.number &&
    isHashAt(columns.inscriptionTxid, slot, wanted.hash)
}

function assetOutpointTest(columns: Columns, outpoint: string, tested: Tested): SlotTest {
  const wanted = hashAndNumber(outpoint, ':')
  const isOwn: SlotTest = (slot) =>
    columns.vout[slot] === wanted.number && isHashAt(columns.txid, slot, wanted.hash)
  const isHere = ([, place]: AssetRow, slot: number) =>
    place === null ? isOwn(slot) : place === outpoint
  const isOdd = oddTest(columns, isHere, tested)
  return (slot) => (columns.hasAsset[slot] === 1 ? isOwn(slot) : isOdd(slot))
}

/**
 * Whether one of an order's odd assets passes; a test of all orders finds the passing assets
 * beforehand.
 */
function oddTest(
  columns: Columns,
  test: (asset: AssetRow, slot: number) => boolean,
  tested: Tested,
): SlotTest {
  const passes = oddAssetTest(columns, test)
  if (tested === 'one') return passes
  const found = new Set([...columns.oddAssets.keys()].filter(passes))
  return (slot) => found.has(slot)
}

function hashAndNumber(text: string, separator: string): { hash: Uint32Array; number: number } {
  const [txid = '', number = ''] = text.split(separator)
  const hash = new Uint32Array(HASH_WORDS)
  putHash(hash, 0, txid)
  return { hash, number: Number(number) }
}

function isHashAt(column: Uint32Array, slot: number, hash: Uint32Array): boolean {
  const start = slot * HASH_WORDS
  for (let word = 0; word < HASH_WORDS; word += 1) {
    if (column[start + word] !== hash[word]) return false
  }
  return true
}
