import { LRUCache } from 'lru-cache'
import { claimedAssets } from '../../../domain/assets/claimed-assets.ts'
import { outpointText } from '../../../domain/chain/outpoint.ts'
import { foldText, listedMarket } from '../../../domain/listing/listing.ts'
import { addressOfScript } from '../../../domain/script/address.ts'
import type { OrderRecord } from '../../../schemas/order-record.ts'
import {
  type Network,
  OrderClass,
  OrderSide,
  OrderState,
  Safety,
  SignatureStatus,
  Source,
} from '../../../schemas/scalars.ts'

/** Raised with any change of `IndexRow` or of its contents: rows are then rebuilt. */
export const ROW_VERSION = 3

/** What listing needs of an order. Kept beside the documents, so opening reads none of them. */
export type OrderIndexRow = [
  seq: number,
  state: number,
  safety: number,
  orderClass: number,
  signature: number,
  /** 0: none. */
  side: number,
  /** One bit per source. */
  sources: number,
  /** Unix milliseconds. */
  createdAt: number,
  verifiedAt: number | null,
  price: string | null,
  protocol: string | null,
  /** Case-folded. */
  token: string | null,
  seller: string | null,
  outpoint: string,
  assets: AssetRow[],
  hidden: boolean,
  /** The order is listed under this market, whether or not it names it. */
  market: string | null,
]

export type AssetRow = [
  inscriptionId: string,
  /** Null: the order's own outpoint. */
  outpoint: string | null,
  number: number | null,
]

/** Enumerations as small numbers, in the order of their schemas. */
export const codes = {
  state: (state: OrderState): number => OrderState.options.indexOf(state),
  safety: (safety: Safety): number => Safety.options.indexOf(safety),
  orderClass: (orderClass: OrderClass): number => OrderClass.options.indexOf(orderClass),
  signature: (status: SignatureStatus): number => SignatureStatus.options.indexOf(status),
  side: (side: OrderSide | undefined): number => (side ? 1 + OrderSide.options.indexOf(side) : 0),
  source: (source: Source): number => 1 << Source.options.indexOf(source),
}

/** Precedes a script that has no address. */
export const SCRIPT_MARK = 'script '

/** A taproot address costs a curve operation, and an order's row is made several times. */
const sellerKeys = new LRUCache<string, string>({ max: 5_000 })

/** A script and its address are the same seller: the key is the address, if there is one. */
export function sellerKey(scriptHex: string, network: Network): string {
  const named = `${network} ${scriptHex}`
  const known = sellerKeys.get(named)
  if (known !== undefined) return known
  const key = addressOfScript(scriptHex, network) ?? `${SCRIPT_MARK}${scriptHex}`
  sellerKeys.set(named, key)
  return key
}

export function rowOf(order: OrderRecord): OrderIndexRow {
  const { inspection } = order.kept
  return [
    order.seq,
    codes.state(order.state),
    codes.safety(inspection.safety),
    codes.orderClass(inspection.orderClass),
    codes.signature(inspection.signatureStatus),
    codes.side(order.side),
    order.sources.reduce((bits, { source }) => bits | codes.source(source), 0),
    Date.parse(order.createdAt),
    order.verifiedAt === null ? null : Date.parse(order.verifiedAt),
    order.quotedPriceSats ?? null,
    order.protocolId ?? null,
    order.token === undefined ? null : foldText(order.token),
    order.sellerScriptHex === undefined ? null : sellerKey(order.sellerScriptHex, order.network),
    order.outpoint,
    claimedAssets(order).map((asset): AssetRow => {
      const outpoint = outpointText(asset.outpoint)
      return [
        asset.inscriptionId,
        outpoint === order.outpoint ? null : outpoint,
        asset.inscriptionNumber ?? null,
      ]
    }),
    order.hidden !== undefined,
    listedMarket(order) ?? null,
  ]
}
