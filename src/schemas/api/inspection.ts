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
    transaction: z.string().exactOptional().describe('a signed transaction, hex'),
    event: NostrEvent.exactOptional().describe(
      'a Nostr event of kind 802, whose tags are its claims',
    ),
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
  pointer: z.string().describe('JSON pointer (RFC 6901) into the request; empty: all of it'),
  input: z
    .int()
    .nonnegative()
    .exactOptional()
    .describe('index of the input of the PSBT or transaction, from 0'),
  output: z
    .int()
    .nonnegative()
    .exactOptional()
    .describe('index of the output of the PSBT or transaction, from 0'),
})
export type ProblemPlace = z.infer<typeof ProblemPlace>

/** REFUSED: no import takes it. NOT_LIVE: its order would not be LIVE. NOTED: shown, and no more. */
export const ProblemEffect = z.enum(['REFUSED', 'NOT_LIVE', 'NOTED'])
export type ProblemEffect = z.infer<typeof ProblemEffect>

export const InspectionProblem = z.strictObject({
  code: z.string().describe('code of the problem: see docs/inspection.md'),
  effect: ProblemEffect.describe(
    'REFUSED: no import takes it; NOT_LIVE: its order would not be LIVE; NOTED: it is only shown',
  ),
  place: ProblemPlace.describe('what the problem is about'),
  message: z.string().describe('the problem in words'),
  remedy: z.string().describe('what the seller can do'),
  details: z
    .record(z.string(), z.union([z.string(), z.int(), z.array(z.string())]))
    .exactOptional()
    .describe('values of the problem, by name'),
})
export type InspectionProblem = z.infer<typeof InspectionProblem>

/** What the authorities say now; `validation` as the order would show it. */
export const InspectedVerdict = z.strictObject({
  state: OrderState.describe('the state that the order would have now'),
  validation: Validation.describe('the answers of node and index, as the order would show them'),
  indexTip: BlockRef.nullable().describe('tip of the index when it was asked; null: it was not'),
  assets: z.array(AssetClaim).describe('the assets that the order would be for'),
})
export type InspectedVerdict = z.infer<typeof InspectedVerdict>

/** Sats that may be less than nothing. */
const SignedSats = z.string().regex(/^(?:0|-?[1-9][0-9]{0,15})$/)

/** Who pays what when the order is bought. */
export const PurchaseFlow = z.strictObject({
  side: OrderSide.describe('ASK: the seller signed, BID: the buyer signed'),
  valueFrom: z
    .enum(['NODE', 'PSBT'])
    .describe('who says the value of the seller’s input: the node, or only the PSBT'),
  sellerInputSats: AtomicSats.describe('value of the offered output, which is spent, sats'),
  postageSats: AtomicSats.describe('what of that value reaches the buyer with the asset, sats'),
  payoutSats: AtomicSats.describe('what the seller’s script is paid, sats'),
  grossPriceSats: AtomicSats.describe(
    'what a buyer pays for the asset, postage included and the network fee not, sats',
  ),
  netPriceSats: SignedSats.describe(
    'the payout less the value of the seller’s input, sats; may be negative',
  ),
  marketplaceFeeSats: AtomicSats.describe('fee of the marketplace, sats'),
  creatorRoyaltySats: AtomicSats.describe('royalty of the creator, sats'),
  networkFeePaidBy: z.literal('BUYER').describe('who pays the network fee'),
  networkFeeSats: AtomicSats.exactOptional().describe(
    'network fee of a bid, sats; the fee of an ask is its buyer’s choice',
  ),
})
export type PurchaseFlow = z.infer<typeof PurchaseFlow>

export const InspectResult = z.strictObject({
  network: Network.describe('the Bitcoin network that it was checked for'),
  kind: z.enum(['PSBT', 'TRANSACTION', 'EVENT']).describe('what the request carried'),
  form: z.enum(['BASE64', 'HEX']).nullable().describe('encoding of the text; null: an event'),
  refusedAs: z
    .string()
    .nullable()
    .describe('code with which an import would refuse it; null: an import would take it'),
  inspection: PsbtInspection.nullable().describe(
    'what the PSBT is and contains; null: no PSBT can be read from it',
  ),
  order: z
    .strictObject({
      id: OrderId.describe('order id'),
      exists: z.boolean().describe('whether this service has the order'),
      state: OrderState.nullable().describe('its state; null: it does not exist'),
    })
    .nullable()
    .describe('the order that its signatures name; null: none'),
  problems: z.array(InspectionProblem).describe('every problem found'),
  verdict: InspectedVerdict.nullable().describe(
    'what node and index say now; null: they were not asked',
  ),
  repaired: z
    .strictObject({
      orderId: OrderId.describe('order id of the repaired PSBT'),
      psbt: z.string().describe('the repaired PSBT, base64: import it as `psbt`'),
      digest: Hash.describe('SHA-256 of the decoded PSBT'),
      mends: z.array(z.string()).describe('codes of the problems that it lacks'),
      verdict: InspectedVerdict.nullable().describe(
        'what node and index say of it; null: they were not asked',
      ),
    })
    .nullable()
    .describe(
      'the same authorisation in a PSBT without the problems of `mends`; null: there is none',
    ),
  flow: PurchaseFlow.nullable().describe('who pays what when it is bought; null: not known'),
})
export type InspectResult = z.infer<typeof InspectResult>
