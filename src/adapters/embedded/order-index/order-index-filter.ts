import type { ListedFilters } from '../../../domain/listing/actionable.ts'
import type { FilterPart } from '../../../domain/listing/facet-counts.ts'
import {
  type OrderFilters,
  showsRejected,
  showsWithdrawn,
} from '../../../domain/listing/filters.ts'
import { foldText } from '../../../domain/listing/listing.ts'
import type { Network, OrderState } from '../../../schemas/scalars.ts'
import { actionabilities, type FreshnessByPartition } from './order-index-actionable.ts'
import { type Columns, HASH_WORDS, NEVER, putHash, UNPRICED } from './order-index-columns.ts'
import { type AssetRow, codes, sellerKey } from './order-index-row.ts'
import { search } from './order-index-search.ts'

/** Whether the order in a slot matches. */
export type SlotTest = (slot: number) => boolean

export interface FilterTest {
  /** The facet in whose counts it is set aside. */
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
  { network, freshness }: { network: Network; freshness: FreshnessByPartition },
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
  if (query.protocols) add('protocol', marketTest(columns, query.protocols))
  if (query.groupProtocols) add('group', marketTest(columns, query.groupProtocols))
  for (const test of textTests(columns, query, network)) add('always', test)
  for (const test of rangeTests(columns, query)) add('always', test)
  if (query.actionability) {
    const { is } = query.actionability
    const shown = actionabilities(columns, query.actionability, freshness)
    add('actionability', (slot) => shown(slot) === is)
  }
  return tests
}

function addStates(
  columns: Columns,
  query: OrderFilters,
  add: (part: FilterPart, test: SlotTest) => void,
): void {
  const excluded = (state: OrderState): SlotTest => {
    const code = codes.state(state)
    return (slot) => columns.state[slot] !== code
  }
  if (!showsWithdrawn(query)) add('withdrawn', excluded('WITHDRAWN'))
  if (!showsRejected(query)) add('rejected', excluded('REJECTED'))
  for (const states of [query.state && [query.state], query.states]) {
    if (!states) continue
    const wanted = new Set(states.map(codes.state))
    add('state', (slot) => wanted.has(columns.state[slot] ?? 0))
  }
}

function marketTest(columns: Columns, ids: readonly string[]): SlotTest {
  const known = ids.map((id) => columns.protocols.find(id)).filter((id) => id !== undefined)
  const wanted = new Set(known)
  return (slot) => wanted.has(columns.market[slot] ?? 0)
}

function* textTests(
  columns: Columns,
  query: OrderFilters,
  network: Network,
): Generator<SlotTest, void> {
  if (query.token !== undefined) {
    const wanted = columns.tokens.find(foldText(query.token))
    yield (slot) => columns.token[slot] === wanted
  }
  if (query.sellerScriptHex !== undefined) {
    const wanted = columns.sellers.find(sellerKey(query.sellerScriptHex, network))
    yield (slot) => columns.seller[slot] === wanted
  }
  if (query.assetInscriptionId) yield inscriptionTest(columns, query.assetInscriptionId)
  if (query.assetOutpoint) yield assetOutpointTest(columns, query.assetOutpoint)
  if (query.search) {
    const hits = search(columns, foldText(query.search))
    yield (slot) => hits[slot] === 1
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

function inscriptionTest(columns: Columns, inscriptionId: string): SlotTest {
  const wanted = placeNumber(inscriptionId, 'i')
  const odd = oddSlots(columns, ([id]) => id === inscriptionId)
  return (slot) =>
    columns.hasAsset[slot] === 1
      ? columns.inscriptionIndex[slot] === wanted.number &&
        isHashAt(columns.inscriptionTxid, slot, wanted.hash)
      : odd.has(slot)
}

function assetOutpointTest(columns: Columns, outpoint: string): SlotTest {
  const wanted = placeNumber(outpoint, ':')
  const isOwn: SlotTest = (slot) =>
    columns.vout[slot] === wanted.number && isHashAt(columns.txid, slot, wanted.hash)
  const odd = oddSlots(columns, ([, place], slot) =>
    place === null ? isOwn(slot) : place === outpoint,
  )
  return (slot) => (columns.hasAsset[slot] === 1 ? isOwn(slot) : odd.has(slot))
}

function oddSlots(
  { oddAssets }: Columns,
  test: (asset: AssetRow, slot: number) => boolean,
): ReadonlySet<number> {
  const found = new Set<number>()
  oddAssets.forEach((assets, slot) => {
    if (assets.some((asset) => test(asset, slot))) found.add(slot)
  })
  return found
}

function placeNumber(text: string, mark: string): { hash: Uint32Array; number: number } {
  const [txid = '', number = ''] = text.split(mark)
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
