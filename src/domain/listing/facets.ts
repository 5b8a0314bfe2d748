import { LRUCache } from 'lru-cache'
import type { WatermarkRef } from '../../schemas/evidence.ts'
import type { OrderRecord } from '../../schemas/order-record.ts'
import type {
  Network,
  OrderClass,
  OrderSide,
  OrderState,
  OutpointText,
  Safety,
  SignatureStatus,
  Source,
  Txid,
} from '../../schemas/scalars.ts'
import { claimedAssets } from '../assets/claimed-assets.ts'
import { outpointText } from '../chain/outpoint.ts'
import { heldUnder } from '../order/continuity.ts'
import { addressOfScript } from '../script/address.ts'
import { foldText, listedMarket } from './listing.ts'
import type { SortedFacets } from './sorts.ts'

/** What an order is found and sorted by (gateway spec 4.1): each store encodes this. */
export interface Facets extends SortedFacets {
  id: string
  state: OrderState
  safety: Safety
  orderClass: OrderClass
  signature: SignatureStatus
  side: OrderSide | null
  sources: readonly Source[]
  isHidden: boolean
  /** The order is listed under this market, whether or not it names it. */
  market: string | null
  sellerScriptHex: string | null
  /** The offered output, `txid:vout`. */
  outpoint: OutpointText
  /** What pays for a bid, at most 16 outputs; its id commits to them. An ask has none. */
  funding: readonly OutpointText[]
  /** The transaction that spends the offered output: of a sale, or of its owner. */
  spender: Txid | null
  assets: readonly AssetFacets[]
  updatedAt: string
  /** See `heldUnder`: whether the order is fresh depends on its partition since. */
  heldUnder: WatermarkRef | null
}

export interface AssetFacets {
  inscriptionId: string
  /** `txid:vout` */
  outpoint: OutpointText
  number: number | null
}

export function facetsOf(order: OrderRecord): Facets {
  const { inspection } = order.kept
  return {
    id: order.id,
    state: order.state,
    safety: inspection.safety,
    orderClass: inspection.orderClass,
    signature: inspection.signatureStatus,
    side: order.side ?? null,
    sources: order.sources.map(({ source }) => source),
    isHidden: order.hidden !== undefined,
    market: listedMarket(order) ?? null,
    sellerScriptHex: order.sellerScriptHex ?? null,
    outpoint: order.outpoint,
    funding: order.kept.offer.funding,
    spender: order.spend?.txid ?? null,
    assets: claimedAssets(order).map(({ inscriptionId, outpoint, inscriptionNumber }) => ({
      inscriptionId,
      outpoint: outpointText(outpoint),
      number: inscriptionNumber ?? null,
    })),
    updatedAt: order.updatedAt,
    heldUnder: heldUnder(order),
    ...sortedFacetsOf(order),
  }
}

export const sortedFacetsOf = (
  order: Pick<OrderRecord, 'createdAt' | 'verifiedAt' | 'quotedPriceSats' | 'token' | 'protocolId'>,
): SortedFacets => ({
  createdAt: order.createdAt,
  verifiedAt: order.verifiedAt,
  price: order.quotedPriceSats ?? null,
  token: order.token === undefined ? null : foldText(order.token),
  protocol: order.protocolId ?? null,
})

/** A taproot address costs a curve operation, and the facets of an order are encoded several times. */
const addresses = new LRUCache<string, { address: string | null }>({ max: 5_000 })

/** The address of a seller's script; null for a script that has none. */
export function sellerAddress(scriptHex: string, network: Network): string | null {
  const named = `${network} ${scriptHex}`
  const known = addresses.get(named)
  if (known) return known.address
  const address = addressOfScript(scriptHex, network)
  addresses.set(named, { address })
  return address
}
