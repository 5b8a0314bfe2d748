import type { FastifySchema } from 'fastify'
import { OrderPath } from '../../schemas/api/api.ts'
import type { ErrorCode } from '../../schemas/api/errors.ts'
import { PaddingsRequest, TransactionPlan } from '../../schemas/api/outputs/paddings.ts'
import {
  FeeEstimates,
  PreflightRequest,
  PreflightResult,
  Quote,
  QuoteRequest,
} from '../../schemas/api/purchase.ts'
import { VERDICT_REFUSALS } from '../openapi/refusals.ts'

/** Refusals for an order that cannot be bought now. */
const SALE_REFUSALS: readonly ErrorCode[] = [
  ...VERDICT_REFUSALS,
  'ORDER_NOT_FOUND',
  'ORDER_HIDDEN',
  'ORDER_NOT_LIVE',
  'ORDER_NOT_READY',
]

/** What a buyer needs to complete an order. */
export const PURCHASE_OPERATIONS = {
  readFees: {
    operationId: 'readFees',
    summary: 'Read what fee rates the node estimates',
    description:
      'For a block soon (2), within the hour (6) and within the day (144). Where the node has no ' +
      'estimate, `estimates` lacks it. The node is asked at most once in 30 seconds.',
    tags: ['purchase'],
    refusals: ['NODE_UNAVAILABLE'],
    response: { 200: FeeEstimates },
  },
  quoteOrder: {
    operationId: 'quoteOrder',
    summary: 'Quote a purchase',
    description:
      'The buyer names only its own outputs: value and script come from the node, and ' +
      'the index confirms that each output holds no assets. One that an open order here offers is refused; ' +
      'the notice `PAYS_FOR_BID` names an open bid that one pays for. The PSBT in the answer contains the seller’s ' +
      'signature, so one signing round of the buyer completes it.',
    tags: ['purchase'],
    refusals: [...SALE_REFUSALS, 'QUOTE_REFUSED'],
    params: OrderPath,
    body: QuoteRequest,
    response: { 201: Quote },
  },
  buildPaddings: {
    operationId: 'buildPaddings',
    summary: 'Compose the small outputs that a purchase begins with',
    description:
      'An unsigned, replaceable PSBT that makes paddings from outputs of the buyer, who gets the change. ' +
      'A quote names two of them, so that the bought asset keeps its place among the sats. Each output ' +
      'named is examined as for a quote: one that holds an inscription or a rune, or that an open order ' +
      'here offers, is refused. Nothing is stored or broadcast; an Idempotency-Key is ignored.',
    tags: ['purchase'],
    refusals: ['OPERATION_REFUSED', 'NODE_UNAVAILABLE', 'ASSET_INDEX_UNAVAILABLE'],
    body: PaddingsRequest,
    response: { 201: TransactionPlan },
  },
  preflightOrder: {
    operationId: 'preflightOrder',
    summary: 'Check a signed purchase before it is broadcast',
    description:
      'Takes exactly one of `finalTxHex` and `signedPsbt`. Checks the order against the chain, the ' +
      'payout, the path of every asset’s sat, and asks the node whether it would accept the ' +
      'transaction. Nothing is broadcast. A transaction that fails a check gets `allowed: false` ' +
      'and one `rejectReason`. The notices `INPUT_OFFERED` and `PAYS_FOR_BID` name other open orders here ' +
      'that it would end.',
    tags: ['purchase'],
    refusals: [...SALE_REFUSALS, 'INVALID_PSBT', 'PSBT_TOO_LARGE', 'INVALID_TRANSACTION'],
    params: OrderPath,
    body: PreflightRequest,
    response: { 201: PreflightResult },
  },
} satisfies Record<string, FastifySchema>
