import {
  type OrderFilters,
  showsRejected,
  showsWithdrawn,
} from '../../../domain/listing/filters.ts'
import { foldText } from '../../../domain/listing/listing.ts'
import type { Network } from '../../../schemas/scalars.ts'
import { type Columns, HASH_WORDS, putHash } from './order-index-columns.ts'
import { type AssetRow, codes, sellerKey } from './order-index-row.ts'
import { search } from './order-index-search.ts'

/** Whether the order in a slot matches. */
export type SlotTest = (slot: number) => boolean

/**
 * The tests of a query's filters, combined with AND; without any, every order not hidden passes. Those
 * of an output are found by `SlotsByOutput`.
 */
export function filterTests(columns: Columns, query: OrderFilters, network: Network): SlotTest[] {
  const tests: SlotTest[] = []
  const equal = (column: 'state' | 'safety' | 'orderClass' | 'signature' | 'side', code: number) =>
    tests.push((slot) => columns[column][slot] === code)

  if (query.hidden !== 'either') {
    const hidden = query.hidden ? 1 : 0
    tests.push((slot) => columns.hidden[slot] === hidden)
  }
  if (!showsWithdrawn(query)) {
    const withdrawn = codes.state('WITHDRAWN')
    tests.push((slot) => columns.state[slot] !== withdrawn)
  }
  if (!showsRejected(query)) {
    const rejected = codes.state('REJECTED')
    tests.push((slot) => columns.state[slot] !== rejected)
  }
  if (query.state) equal('state', codes.state(query.state))
  if (query.safety) equal('safety', codes.safety(query.safety))
  if (query.orderClass) equal('orderClass', codes.orderClass(query.orderClass))
  if (query.signature) equal('signature', codes.signature(query.signature))
  if (query.side) equal('side', codes.side(query.side))
  if (query.source) {
    const bit = codes.source(query.source)
    tests.push((slot) => ((columns.sources[slot] ?? 0) & bit) !== 0)
  }
  if (query.protocols) {
    const wanted = new Set(query.protocols.map((protocol) => columns.protocols.find(protocol)))
    tests.push((slot) => wanted.has(columns.market[slot]))
  }
  if (query.token !== undefined) {
    const wanted = columns.tokens.find(foldText(query.token))
    tests.push((slot) => columns.token[slot] === wanted)
  }
  if (query.sellerScriptHex !== undefined) {
    const wanted = columns.sellers.find(sellerKey(query.sellerScriptHex, network))
    tests.push((slot) => columns.seller[slot] === wanted)
  }
  if (query.assetInscriptionId) tests.push(inscriptionTest(columns, query.assetInscriptionId))
  if (query.assetOutpoint) tests.push(assetOutpointTest(columns, query.assetOutpoint))
  if (query.search) {
    const hits = search(columns, foldText(query.search))
    tests.push((slot) => hits[slot] === 1)
  }
  return tests
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
