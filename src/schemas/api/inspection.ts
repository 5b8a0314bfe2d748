import { z } from 'zod'
import { AssetClaim, PsbtInspection, Validation } from '../order.ts'
import { AtomicSats, BlockRef, Hash, Network, OrderId, OrderSide, OrderState } from '../scalars.ts'
import { NostrEvent } from '../wire/nostr.ts'
import { ImportRequest } from './api.ts'

const { psbt, ...claims } = ImportRequest.shape
const CLAIMS = Object.keys(claims)

/**
 * Exactly one artifact. The claims are the claims of an import; an event carries its own, in its
 * tags.
 */
export const InspectRequest = z
  .strictObject({
    psbt: psbt.exactOptional(),
    /** Hex. */
    transaction: z.string().exactOptional(),
    event: NostrEvent.exactOptional(),
    ...claims,
  })
  .refine(
    ({ psbt, transaction, event }) =>
      [psbt, transaction, event].filter((one) => one !== undefined).length === 1,
    'must carry exactly one of psbt, transaction and event',
  )
  .refine(
    (request) => request.event === undefined || !CLAIMS.some((name) => name in request),
    'must make no claim beside an event, whose tags are its claims',
  )
  // The refinement in JSON Schema, which has none.
  .meta({
    oneOf: [
      { required: ['psbt'] },
      { required: ['transaction'] },
      {
        required: ['event'],
        not: { anyOf: CLAIMS.map((name) => ({ required: [name] })) },
      },
    ],
  })
export type InspectRequest = z.infer<typeof InspectRequest>

/** What the problem is about. */
export const ProblemPlace = z.strictObject({
  /** RFC 6901, into the request; empty for all of it. */
  pointer: z.string(),
  /** The input of the PSBT or the transaction there. */
  input: z.int().nonnegative().exactOptional(),
  output: z.int().nonnegative().exactOptional(),
})
export type ProblemPlace = z.infer<typeof ProblemPlace>

/** REFUSED: no import takes it. NOT_LIVE: its order would not be LIVE. NOTED: shown, and no more. */
export const ProblemEffect = z.enum(['REFUSED', 'NOT_LIVE', 'NOTED'])
export type ProblemEffect = z.infer<typeof ProblemEffect>

export const InspectionProblem = z.strictObject({
  code: z.string(),
  effect: ProblemEffect,
  place: ProblemPlace,
  message: z.string(),
  /** What the seller can do. */
  remedy: z.string(),
  details: z
    .record(z.string(), z.union([z.string(), z.int(), z.array(z.string())]))
    .exactOptional(),
})
export type InspectionProblem = z.infer<typeof InspectionProblem>

/** What the authorities say now; `validation` as the order would show it. */
export const InspectedVerdict = z.strictObject({
  state: OrderState,
  validation: Validation,
  /** The index's own tip when it was asked; null if it was not. */
  indexTip: BlockRef.nullable(),
  assets: z.array(AssetClaim),
})
export type InspectedVerdict = z.infer<typeof InspectedVerdict>

/** Sats that may be less than nothing. */
const SignedSats = z.string().regex(/^(?:0|-?[1-9][0-9]{0,15})$/)

/** Who pays what when the order is bought. */
export const PurchaseFlow = z.strictObject({
  side: OrderSide,
  /** Whether the value of the seller's input is the node's, or only what the PSBT says. */
  valueFrom: z.enum(['NODE', 'PSBT']),
  /** The offered output, which is spent. */
  sellerInputSats: AtomicSats,
  /** What its sats are to the buyer, who gets them with the asset. */
  postageSats: AtomicSats,
  /** What the seller's script is paid. */
  payoutSats: AtomicSats,
  /** What a buyer pays for the asset, postage included and the network's fee aside. */
  grossPriceSats: AtomicSats,
  /** The payout less the seller's own input. */
  netPriceSats: SignedSats,
  marketplaceFeeSats: AtomicSats,
  creatorRoyaltySats: AtomicSats,
  networkFeePaidBy: z.literal('BUYER'),
  /**
   * The network fee of a bid, whose inputs and outputs are all signed; an ask's fee is its buyer's
   * choice.
   */
  networkFeeSats: AtomicSats.exactOptional(),
})
export type PurchaseFlow = z.infer<typeof PurchaseFlow>

export const InspectResult = z.strictObject({
  network: Network,
  kind: z.enum(['PSBT', 'TRANSACTION', 'EVENT']),
  form: z.enum(['BASE64', 'HEX']).nullable(),
  /** The code with which an import would refuse it; null: an import would take it. */
  refusedAs: z.string().nullable(),
  /** Null: no PSBT can be read from it. */
  inspection: PsbtInspection.nullable(),
  /** The order that its signatures name; `state` is null while it does not exist. */
  order: z
    .strictObject({ id: OrderId, exists: z.boolean(), state: OrderState.nullable() })
    .nullable(),
  problems: z.array(InspectionProblem),
  verdict: InspectedVerdict.nullable(),
  /** The same authorisation in bytes that lack the problems of `mends`; import it as `psbt`. */
  repaired: z
    .strictObject({
      orderId: OrderId,
      psbt: z.string(),
      digest: Hash,
      mends: z.array(z.string()),
      verdict: InspectedVerdict.nullable(),
    })
    .nullable(),
  flow: PurchaseFlow.nullable(),
})
export type InspectResult = z.infer<typeof InspectResult>
