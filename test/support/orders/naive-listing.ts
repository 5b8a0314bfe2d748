import { groupIds, marketIds } from '../../../src/domain/catalog/catalog.ts'
import { parseOutpoint } from '../../../src/domain/chain/outpoint.ts'
import type { ListedFilters } from '../../../src/domain/listing/actionable.ts'
import {
  COUNTED,
  type CountedFacet,
  FACET_VALUES,
  type FacetCounts,
} from '../../../src/domain/listing/facet-counts.ts'
import type { OrderSort } from '../../../src/domain/listing/sorts.ts'
import type { FreshnessTerms } from '../../../src/domain/order/order-summary.ts'
import { addressOfScript } from '../../../src/domain/script/address.ts'
import type { OrderQuery } from '../../../src/ports/views/order-views.ts'
import type { AssetClaim } from '../../../src/schemas/order.ts'
import type { OrderRecord } from '../../../src/schemas/order-record.ts'
import type { Actionability, OrderState } from '../../../src/schemas/scalars.ts'

/**
 * The listing semantics in plain form, independent of every store: all orders, filtered, sorted.
 */
export function listNaively(
  orders: readonly OrderRecord[],
  query: Omit<OrderQuery, 'limit' | 'after'>,
  shown: ShownAs = () => 'REVIEW_ONLY',
): OrderRecord[] {
  return orders.filter((order) => matches(order, query, shown)).sort(comparing(query.sort))
}

/** How an order is shown at a moment. */
export type ShownAs = (order: OrderRecord) => Actionability

/**
 * Counts as clients would: by a list for each value, in place of the facet's own filter. Of the states
 * that the filters leave out there is nothing to count.
 */
export function countNaively(
  orders: readonly OrderRecord[],
  filters: ListedFilters,
  { shown, moment }: { shown: ShownAs; moment: FreshnessTerms },
): FacetCounts {
  const total = (changed: ListedFilters) =>
    orders.filter((order) => matches(order, changed, shown)).length
  const { state: _state, states: _states, ...anyState } = filters
  const { protocols: _protocols, ...anyMarket } = filters
  const { groupProtocols: _group, ...anyGroup } = filters
  const lists: Record<CountedFacet, (value: string) => unknown> = {
    state: (state) => (isLeftOut(state as OrderState, filters) ? null : { ...anyState, state }),
    side: (side) => ({ ...filters, side }),
    protocol: (id) => ({ ...anyMarket, protocols: marketIds(id) }),
    group: (id) => ({ ...anyGroup, groupProtocols: groupIds(id) }),
    source: (source) => ({ ...filters, source }),
    orderClass: (orderClass) => ({ ...filters, orderClass }),
    safety: (safety) => ({ ...filters, safety }),
    signature: (signature) => ({ ...filters, signature }),
    actionability: (is) => ({ ...filters, actionability: { ...moment, is } }),
  }
  const counts = COUNTED.map((facet) => [
    facet,
    Object.fromEntries(
      FACET_VALUES[facet].map((value) => {
        const changed = lists[facet](value) as ListedFilters | null
        return [value, changed === null ? 0 : total(changed)]
      }),
    ),
  ])
  return { total: total(filters), counts: Object.fromEntries(counts) }
}

const isLeftOut = (
  state: OrderState,
  { includeWithdrawn, state: only, states = [] }: Partial<OrderQuery>,
): boolean =>
  (state === 'WITHDRAWN' || state === 'REJECTED') &&
  !includeWithdrawn &&
  only !== state &&
  !states.includes(state)

export function matches(
  order: OrderRecord,
  query: Partial<OrderQuery>,
  shown: ShownAs = () => 'REVIEW_ONLY',
): boolean {
  const { inspection } = order.kept
  const sats = order.quotedPriceSats === undefined ? null : BigInt(order.quotedPriceSats)
  const wanted: [unknown, unknown][] = [
    [query.state, order.state],
    [query.safety, inspection.safety],
    [query.orderClass, inspection.orderClass],
    [query.signature, inspection.signatureStatus],
    [query.side, order.side],
    [query.sellerScriptHex, order.sellerScriptHex],
    [query.outpoint, order.outpoint],
    [query.token?.toLowerCase(), order.token?.toLowerCase()],
  ]
  const claims = assetsOf(order)
  const at = claims.map(({ outpoint }) => `${outpoint.txid}:${outpoint.vout}`)
  return (
    (query.hidden === 'either' || (order.hidden !== undefined) === (query.hidden === true)) &&
    wanted.every(([want, have]) => want === undefined || want === have) &&
    !isLeftOut(order.state, query) &&
    (!query.states || query.states.includes(order.state)) &&
    (!query.priceMin || (sats !== null && sats >= BigInt(query.priceMin))) &&
    (!query.priceMax || (sats !== null && sats <= BigInt(query.priceMax))) &&
    (!query.updatedSince || Date.parse(order.updatedAt) >= Date.parse(query.updatedSince)) &&
    (!query.actionability || shown(order) === query.actionability.is) &&
    (!query.protocols || query.protocols.includes(marketOf(order) ?? '\0')) &&
    (!query.groupProtocols || query.groupProtocols.includes(marketOf(order) ?? '\0')) &&
    (!query.source || order.sources.some(({ source }) => source === query.source)) &&
    (!query.assetInscriptionId ||
      claims.some((asset) => asset.inscriptionId === query.assetInscriptionId)) &&
    (!query.provedInscriptionId ||
      order.assets.some(
        ({ inscriptionId, outpoint: { txid, vout } }) =>
          inscriptionId === query.provedInscriptionId && order.outpoint === `${txid}:${vout}`,
      )) &&
    (!query.funding || order.kept.offer.funding.includes(query.funding)) &&
    (!query.assetOutpoint || at.includes(query.assetOutpoint)) &&
    (!query.search || isFound(order, query.search.toLowerCase()))
  )
}

/** An order without a market belongs where it was once LIVE. */
const marketOf = ({ protocolId, metadataFixed, assets }: OrderRecord): string | undefined =>
  protocolId ?? (metadataFixed && assets.length > 0 ? 'inscriptions' : undefined)

/** What was proved; where nothing was, what was claimed, unless the order is LIVE. */
function assetsOf({ assets, state, kept, outpoint }: OrderRecord): readonly AssetClaim[] {
  if (assets.length > 0 || state === 'LIVE') return assets
  const named = kept.claimedInscription && {
    inscriptionId: kept.claimedInscription.inscriptionId,
    outpoint: parseOutpoint(outpoint),
  }
  return [kept.source.claimedAsset, named].filter((claim) => claim !== undefined)
}

function isFound(order: OrderRecord, wanted: string): boolean {
  const address = order.sellerScriptHex && addressOfScript(order.sellerScriptHex, order.network)
  const token = order.token?.toLowerCase() ?? ''
  const words = [...token].flatMap((_, at) =>
    at === 0 || /[^\p{L}\p{N}]/u.test([...token][at - 1]!) ? [[...token].slice(at).join('')] : [],
  )
  const texts = [
    order.id,
    order.outpoint.slice(0, 64),
    order.spend?.txid ?? '',
    order.protocolId ?? '',
    address ?? '',
    ...assetsOf(order).map(({ inscriptionId }) => inscriptionId),
    ...assetsOf(order).map(({ inscriptionNumber }) => String(inscriptionNumber ?? '')),
    ...words.slice(0, 8),
  ]
  return texts.some((text) => text.toLowerCase().startsWith(wanted))
}

type Compare = (a: OrderRecord, b: OrderRecord) => number

/** `value` is null where the order has none: those come last, in every sort. */
const by =
  <T>(value: (order: OrderRecord) => T | null, compare: (a: T, b: T) => number): Compare =>
  (a, b) => {
    const [x, y] = [value(a), value(b)]
    if (x === null || y === null) return x === y ? 0 : x === null ? 1 : -1
    return compare(x, y)
  }

const text = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b))
const number = (a: bigint, b: bigint) => (a < b ? -1 : a > b ? 1 : 0)
const price = ({ quotedPriceSats }: OrderRecord) =>
  quotedPriceSats === undefined ? null : BigInt(quotedPriceSats)
const created = (order: OrderRecord) => order.createdAt

const COMPARE: Record<OrderSort, Compare> = {
  newest: by(created, (a, b) => text(b, a)),
  oldest: by(created, text),
  price_asc: by(price, number),
  price_desc: by(price, (a, b) => number(b, a)),
  token_asc: by(({ token }) => token?.toLowerCase() ?? null, text),
  protocol_asc: by(({ protocolId }) => protocolId ?? null, text),
  validation_newest: by(
    ({ verifiedAt }) => verifiedAt,
    (a, b) => text(b, a),
  ),
}

export const comparing =
  (sort: OrderSort): Compare =>
  (a, b) =>
    COMPARE[sort](a, b) || text(a.id, b.id)
