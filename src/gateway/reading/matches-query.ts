import { type Facets, facetsOf, sellerAddress } from '../../domain/listing/facets.ts'
import { foldText, hasWordPrefix } from '../../domain/listing/listing.ts'
import { type OrderQuery, showsRejected, showsWithdrawn } from '../../ports/views/order-views.ts'
import type { OrderRecord } from '../../schemas/order-record.ts'

/** The filters of a list, without its sort and page. */
export type OrderFilters = Omit<OrderQuery, 'sort' | 'limit' | 'after'>

/** Whether a list with these filters contains the order. */
export const isListed = (order: OrderRecord, filters: OrderFilters): boolean =>
  isShown(order, filters) && isWanted(order, filters)

/** The filters that the life of an order passes through: its state, and whether it is hidden. */
function isShown({ state, hidden }: OrderRecord, filters: OrderFilters): boolean {
  if ((hidden !== undefined) !== (filters.hidden === true)) return false
  if (state === 'WITHDRAWN' && !showsWithdrawn(filters)) return false
  if (state === 'REJECTED' && !showsRejected(filters)) return false
  return filters.state === undefined || filters.state === state
}

/** All other filters: what is changed, if at all, by a later import. */
export function isWanted(order: OrderRecord, filters: OrderFilters): boolean {
  const facets = facetsOf(order)
  const is = <T>(wanted: T | undefined, have: T | null) => wanted === undefined || wanted === have
  return (
    is(filters.safety, facets.safety) &&
    is(filters.orderClass, facets.orderClass) &&
    is(filters.signature, facets.signature) &&
    is(filters.side, facets.side) &&
    is(filters.sellerScriptHex, facets.sellerScriptHex) &&
    is(filters.token && foldText(filters.token), facets.token) &&
    (!filters.source || facets.sources.includes(filters.source)) &&
    (!filters.protocols || (facets.market !== null && filters.protocols.includes(facets.market))) &&
    hasAsset(facets, filters) &&
    (!filters.search || isFound(order, facets, foldText(filters.search)))
  )
}

function hasAsset({ assets }: Facets, { assetInscriptionId, assetOutpoint }: OrderFilters) {
  return (
    (!assetInscriptionId || assets.some((asset) => asset.inscriptionId === assetInscriptionId)) &&
    (!assetOutpoint || assets.some((asset) => asset.outpoint === assetOutpoint))
  )
}

/** Free search (docs/design/listing.md#listing-query-semantics), by a folded text. */
function isFound({ network }: OrderRecord, facets: Facets, wanted: string): boolean {
  const { id, outpoint, protocol, token, sellerScriptHex, assets } = facets
  const address = sellerScriptHex === null ? null : sellerAddress(sellerScriptHex, network)
  const texts = [
    id,
    outpoint.slice(0, outpoint.indexOf(':')),
    protocol && foldText(protocol),
    address && foldText(address),
    ...assets.map(({ inscriptionId }) => inscriptionId),
    ...assets.map(({ number }) => (number === null ? null : String(number))),
  ]
  return (
    texts.some((text) => text?.startsWith(wanted)) ||
    (token !== null && hasWordPrefix(token, wanted))
  )
}
