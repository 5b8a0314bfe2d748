import type { OrderRecord } from '../../schemas/order-record.ts'
import type {
  OrderClass,
  OrderSide,
  OrderState,
  OutpointText,
  Safety,
  SignatureStatus,
  Source,
} from '../../schemas/scalars.ts'
import { outpointText } from '../chain/outpoint.ts'
import { type Facets, facetsOf, sellerAddress } from './facets.ts'
import { foldText, hasWordPrefix } from './listing.ts'

/**
 * What selects the orders of a list. Filters combine with AND; each is exact unless it says
 * otherwise (docs/design/listing.md#listing-query-semantics).
 */
export interface OrderFilters {
  /** Catalog ids, aliases and groups already expanded; empty: none matches. */
  protocols?: readonly string[]
  /** The markets of a group, where they must be distinguished from `protocols`. */
  groupProtocols?: readonly string[]
  /** Case-insensitive. */
  token?: string
  source?: Source
  state?: OrderState
  /** Any of these. */
  states?: readonly OrderState[]
  safety?: Safety
  orderClass?: OrderClass
  signature?: SignatureStatus
  side?: OrderSide
  sellerScriptHex?: string
  assetInscriptionId?: string
  /** The index found this inscription in the offered output: no claim can change it. */
  provedInscriptionId?: string
  assetOutpoint?: OutpointText
  /** The offered output, `txid:vout`, by the signatures: no claim can change it. */
  outpoint?: OutpointText
  /** An output that pays for the bid, `txid:vout`: its owner signed the bid. */
  funding?: OutpointText
  /** Sats, inclusive: excludes unpriced orders. */
  priceMin?: string
  priceMax?: string
  /** The order changed at this time or later. */
  updatedSince?: string
  /**
   * Case-insensitive prefix of id, inscription id or number, txid of the offered output or of what
   * spends it, seller address, protocol, or a token's word.
   */
  search?: string
  includeWithdrawn: boolean
  /** True: only orders that an operator hides; `either`: both; otherwise only those not hidden. */
  hidden?: boolean | 'either'
}

/**
 * States of no use to a buyer: a list shows such orders only if it names the state, or asks for
 * all.
 */
const LEFT_OUT: readonly OrderState[] = ['WITHDRAWN', 'REJECTED']

/** The states whose orders a list leaves out. No other filter changes that: all of them narrow. */
export const statesLeftOut = ({
  includeWithdrawn,
  state,
  states,
}: Pick<OrderFilters, 'includeWithdrawn' | 'state' | 'states'>): readonly OrderState[] =>
  includeWithdrawn ? [] : LEFT_OUT.filter((one) => state !== one && states?.includes(one) !== true)

/** Whether a list with these filters contains the order; `facets`: as `facetsOf` has them. */
export const isListed = (
  order: OrderRecord,
  filters: OrderFilters,
  facets: Facets = facetsOf(order),
): boolean => isShown(order, filters) && isWanted(order, filters, facets)

/**
 * The filters on what changes in an order's life: its state, its last change, whether it is hidden.
 */
export function isShown({ state, hidden, updatedAt }: OrderRecord, filters: OrderFilters): boolean {
  const isHidden = hidden !== undefined
  if (filters.hidden !== 'either' && isHidden !== (filters.hidden ?? false)) return false
  if (statesLeftOut(filters).includes(state)) return false
  if (filters.states && !filters.states.includes(state)) return false
  if (filters.updatedSince !== undefined && updatedAt < filters.updatedSince) return false
  return filters.state === undefined || filters.state === state
}

/**
 * All other filters, on what changes only by a later import, if at all; a search also by the txid of what
 * spends the output.
 */
export function isWanted(
  order: OrderRecord,
  filters: OrderFilters,
  facets: Facets = facetsOf(order),
): boolean {
  return (
    is(filters.safety, facets.safety) &&
    is(filters.orderClass, facets.orderClass) &&
    is(filters.signature, facets.signature) &&
    is(filters.side, facets.side) &&
    is(filters.sellerScriptHex, facets.sellerScriptHex) &&
    is(filters.outpoint, facets.outpoint) &&
    (!filters.funding || facets.funding.includes(filters.funding)) &&
    is(filters.token && foldText(filters.token), facets.token) &&
    (!filters.source || facets.sources.includes(filters.source)) &&
    isOfMarkets(facets, filters.protocols) &&
    isOfMarkets(facets, filters.groupProtocols) &&
    isPriced(facets, filters) &&
    hasAsset(facets, filters) &&
    hasProved(order, filters) &&
    (!filters.search || isFound(order, facets, foldText(filters.search)))
  )
}

const is = <T>(wanted: T | undefined, have: T | null): boolean =>
  wanted === undefined || wanted === have

const isOfMarkets = ({ market }: Facets, ids: readonly string[] | undefined): boolean =>
  ids === undefined || (market !== null && ids.includes(market))

/**
 * Whether the price is in the range of the filters; without a range every order is, priced or not.
 */
export function isPriced(
  { price }: Pick<Facets, 'price'>,
  { priceMin, priceMax }: Pick<OrderFilters, 'priceMin' | 'priceMax'>,
): boolean {
  if (priceMin === undefined && priceMax === undefined) return true
  if (price === null) return false
  const sats = BigInt(price)
  return (
    (priceMin === undefined || sats >= BigInt(priceMin)) &&
    (priceMax === undefined || sats <= BigInt(priceMax))
  )
}

function hasAsset({ assets }: Facets, { assetInscriptionId, assetOutpoint }: OrderFilters) {
  return (
    (!assetInscriptionId || assets.some((asset) => asset.inscriptionId === assetInscriptionId)) &&
    (!assetOutpoint || assets.some((asset) => asset.outpoint === assetOutpoint))
  )
}

const hasProved = (order: OrderRecord, { provedInscriptionId: wanted }: OrderFilters): boolean =>
  !wanted ||
  order.assets.some(
    ({ inscriptionId, outpoint }) =>
      inscriptionId === wanted && outpointText(outpoint) === order.outpoint,
  )

/** What a search finds an order by the beginning of, folded; a token's words apart. */
export function searchedTexts(
  { network }: Pick<OrderRecord, 'network'>,
  { id, outpoint, protocol, sellerScriptHex, assets, spender }: Facets,
): (string | null)[] {
  const address = sellerScriptHex === null ? null : sellerAddress(sellerScriptHex, network)
  return [
    id,
    outpoint.slice(0, outpoint.indexOf(':')),
    spender,
    protocol && foldText(protocol),
    address && foldText(address),
    ...assets.map(({ inscriptionId }) => inscriptionId),
    ...assets.map(({ number }) => (number === null ? null : String(number))),
  ]
}

/** Free search (docs/design/listing.md#listing-query-semantics), by a folded text. */
function isFound(order: OrderRecord, facets: Facets, wanted: string): boolean {
  const { token } = facets
  return (
    searchedTexts(order, facets).some((text) => text?.startsWith(wanted)) ||
    (token !== null && hasWordPrefix(token, wanted))
  )
}
