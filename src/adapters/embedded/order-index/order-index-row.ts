import { facetsOf, sellerAddress } from '../../../domain/listing/facets.ts'
import type { OrderRecord } from '../../../schemas/order-record.ts'
import {
  type Network,
  OrderClass,
  OrderSide,
  OrderState,
  type OutpointText,
  Safety,
  SignatureStatus,
  Source,
} from '../../../schemas/scalars.ts'

/** Raised with any change of `OrderIndexRow` or of its contents: rows are then rebuilt. */
export const ROW_VERSION = 1

/**
 * The parts of an order that listing needs. Kept beside the documents, so opening reads none of
 * them.
 */
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
  outpoint: OutpointText,
  assets: AssetRow[],
  hidden: boolean,
  /** The order is listed under this market, whether or not it names it. */
  market: string | null,
  /** Unix milliseconds. */
  updatedAt: number,
  partition: number,
  /** See `Facets.heldUnder`. */
  heldUnder: [epoch: number, n: number] | null,
  /** What pays for a bid. */
  funding: readonly OutpointText[],
]

/** Its place in a row. */
const FUNDING = 20

export type AssetRow = [
  inscriptionId: string,
  /** Null: the order's own outpoint. */
  outpoint: OutpointText | null,
  number: number | null,
]

/** Enumerations as small numbers, in the order of their schemas. */
export const codes = {
  state: (state: OrderState): number => OrderState.options.indexOf(state),
  safety: (safety: Safety): number => Safety.options.indexOf(safety),
  orderClass: (orderClass: OrderClass): number => OrderClass.options.indexOf(orderClass),
  signature: (status: SignatureStatus): number => SignatureStatus.options.indexOf(status),
  side: (side: OrderSide | null): number => (side ? 1 + OrderSide.options.indexOf(side) : 0),
  source: (source: Source): number => 1 << Source.options.indexOf(source),
}

/** Precedes a script that has no address. */
export const SCRIPT_MARK = 'script '

/** A script and its address are the same seller: the key is the address, if there is one. */
export const sellerKey = (scriptHex: string, network: Network): string =>
  sellerAddress(scriptHex, network) ?? `${SCRIPT_MARK}${scriptHex}`

export function rowOf(order: OrderRecord, partition: number): OrderIndexRow {
  const facets = facetsOf(order)
  const { verifiedAt, sellerScriptHex, heldUnder } = facets
  return [
    order.seq,
    codes.state(facets.state),
    codes.safety(facets.safety),
    codes.orderClass(facets.orderClass),
    codes.signature(facets.signature),
    codes.side(facets.side),
    facets.sources.reduce((bits, source) => bits | codes.source(source), 0),
    Date.parse(facets.createdAt),
    verifiedAt === null ? null : Date.parse(verifiedAt),
    facets.price,
    facets.protocol,
    facets.token,
    sellerScriptHex === null ? null : sellerKey(sellerScriptHex, order.network),
    facets.outpoint,
    facets.assets.map(
      ({ inscriptionId, outpoint, number }): AssetRow => [
        inscriptionId,
        outpoint === facets.outpoint ? null : outpoint,
        number,
      ],
    ),
    facets.isHidden,
    facets.market,
    Date.parse(facets.updatedAt),
    partition,
    heldUnder && [heldUnder.epoch, heldUnder.n],
    facets.funding,
  ]
}

/** What pays for the order of a row: none unless it is a bid. */
export const fundingIn = (row: OrderIndexRow): readonly OutpointText[] => row[FUNDING]
