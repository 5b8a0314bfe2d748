import { facetsOf, sellerAddress } from '../domain/listing/facets.ts'
import type { OrderRecord } from '../schemas/order-record.ts'
import {
  type Network,
  OrderClass,
  OrderSide,
  OrderState,
  type OutpointText,
  Safety,
  SignatureStatus,
  Source,
} from '../schemas/scalars.ts'

/** Raised with any change of `OrderRow` or of its contents: rows are then rebuilt. */
export const ROW_VERSION = 3
/** Above every price: an order without one comes after all others. */
export const UNPRICED = 2n ** 64n - 1n
export const NEVER = -1

/**
 * The parts of an order that listing needs, most of them as the columns hold them. Rows are stored
 * beside the documents, so that opening the index reads no document.
 */
export interface OrderRow {
  seq: number
  state: number
  safety: number
  orderClass: number
  signature: number
  /** 0: none. */
  side: number
  /** One bit per source. */
  sources: number
  /** 1: hidden by an operator. */
  hidden: number
  /** Unix milliseconds. */
  createdAt: number
  /** Unix milliseconds, or `NEVER`. */
  verifiedAt: number
  /** Unix milliseconds. */
  updatedAt: number
  /** Sats, or `UNPRICED`. */
  price: bigint
  /** Sats of the offered output. */
  txid: string
  vout: number
  partition: number
  /** The watermark of `Facets.heldUnder`; `NEVER`: none. */
  heldEpoch: number
  heldN: number
  protocol: string | null
  /** The market that lists the order, whether or not the order names this market. */
  market: string | null
  /** Case-folded. */
  token: string | null
  seller: string | null
  assets: readonly AssetRow[]
  /** The outputs that pay for a bid; empty for an ask. */
  funding: readonly OutpointText[]
  /**
   * The txid of what spends the offered output; null: nothing. Undefined: release 0.9 wrote the row,
   * which did not keep it (`complete`, ADR 133).
   */
  spender: string | null | undefined
}

export type AssetRow = [
  inscriptionId: string,
  /** Null: the order's own outpoint, where the index found it. A claim names its outpoint. */
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

export function rowOf(order: OrderRecord, partition: number): OrderRow {
  const facets = facetsOf(order)
  const { verifiedAt, sellerScriptHex, heldUnder, outpoint } = facets
  const colon = outpoint.indexOf(':')
  const isProved = order.assets.length > 0
  return {
    seq: order.seq,
    state: codes.state(facets.state),
    safety: codes.safety(facets.safety),
    orderClass: codes.orderClass(facets.orderClass),
    signature: codes.signature(facets.signature),
    side: codes.side(facets.side),
    sources: facets.sources.reduce((bits, source) => bits | codes.source(source), 0),
    hidden: facets.isHidden ? 1 : 0,
    createdAt: Date.parse(facets.createdAt),
    verifiedAt: verifiedAt === null ? NEVER : Date.parse(verifiedAt),
    updatedAt: Date.parse(facets.updatedAt),
    price: facets.price === null ? UNPRICED : BigInt(facets.price),
    txid: outpoint.slice(0, colon),
    vout: Number(outpoint.slice(colon + 1)),
    partition,
    heldEpoch: heldUnder?.epoch ?? NEVER,
    heldN: heldUnder?.n ?? NEVER,
    protocol: facets.protocol,
    market: facets.market,
    token: facets.token,
    seller: sellerScriptHex === null ? null : sellerKey(sellerScriptHex, order.network),
    assets: facets.assets.map(
      ({ inscriptionId, outpoint: place, number }): AssetRow => [
        inscriptionId,
        isProved && place === outpoint ? null : place,
        number,
      ],
    ),
    funding: facets.funding,
    spender: facets.spender,
  }
}
