import type { FastifySchema } from 'fastify'
import { ImportRequest, OrderPath } from '../../schemas/api/api.ts'
import type { ErrorCode } from '../../schemas/api/errors.ts'
import { InspectRequest, InspectResult } from '../../schemas/api/inspection.ts'
import { BuildAskRequest, BuildAskResult, PublishAskRequest } from '../../schemas/api/listing.ts'
import { OwnershipChallenge, OwnershipProof } from '../../schemas/api/ownership.ts'
import { OrderSummary } from '../../schemas/order.ts'
import { NostrEvent } from '../../schemas/wire/nostr.ts'
import { VERDICT_REFUSALS } from '../openapi/refusals.ts'

/** Refusals possible for any PSBT from outside. */
const CLAIM_REFUSALS: readonly ErrorCode[] = [
  'INVALID_PSBT',
  'PSBT_TOO_LARGE',
  'TOO_MANY_CLAIMS',
  'STILL_BEING_VERIFIED',
]

/** How an order comes here, and how its owner takes it back. */
export const LISTING_OPERATIONS = {
  importOrder: {
    operationId: 'importOrder',
    summary: 'Import a signed order',
    description:
      'Takes a signed PSBT, base64 or hex, from any source and verifies it. Claims in the request ' +
      'are kept as evidence and override nothing. A PSBT that proves nothing is also an order, ' +
      'REJECTED; the same authorisation is always the same order. While an authority is unavailable, the ' +
      'order is pending.',
    tags: ['listing'],
    refusals: CLAIM_REFUSALS,
    body: ImportRequest,
    response: { 201: OrderSummary },
  },
  importPortableEvent: {
    operationId: 'importPortableEvent',
    summary: 'Import a signed Nostr event of kind 802',
    description:
      'Verifies id and signature of the event, then the order as in an import. Its tags are ' +
      'claims.',
    tags: ['listing'],
    refusals: [...CLAIM_REFUSALS, 'INVALID_EVENT', 'WRONG_NETWORK'],
    body: NostrEvent,
    response: { 201: OrderSummary },
  },
  inspectOrder: {
    operationId: 'inspectOrder',
    summary: 'Find everything wrong with a PSBT, a transaction or an event',
    description:
      'Takes exactly one of `psbt`, `transaction` and `event`; with the first two also the claims of ' +
      'an import. Nothing is stored. The answer has every problem at once, each with its place and ' +
      'what a seller can do; the verdict that it would get now; repaired bytes, where changing bytes ' +
      'is enough, to be imported as `psbt`; and who pays what when it is bought. Problems are in the ' +
      'answer even if an import would refuse the artifact, and so is an unavailable authority. ' +
      'Counted with imports; an Idempotency-Key is ignored.',
    tags: ['listing'],
    refusals: ['STILL_BEING_VERIFIED'],
    body: InspectRequest,
    response: { 200: InspectResult },
  },
  buildAsk: {
    operationId: 'buildAsk',
    summary: 'Build a listing to sign',
    description:
      'A PSBT of one input and one output, for the seller to sign with SINGLE|ANYONECANPAY. Output ' +
      'and asset are verified before anything is composed. `quotedPriceSats` is what the seller is ' +
      'paid; the output’s own value goes to the buyer with the asset. Below that value ' +
      '`inspection.reasons` holds `payout_below_input`.',
    tags: ['listing'],
    refusals: [...VERDICT_REFUSALS, 'BUILD_REFUSED'],
    body: BuildAskRequest,
    response: { 201: BuildAskResult },
  },
  publishAsk: {
    operationId: 'publishAsk',
    summary: 'Publish a signed listing',
    description:
      'Takes the PSBT signed by the seller, base64 or hex, built here or not. It is published if ' +
      'its signature is valid and its order is LIVE; otherwise nothing is stored.',
    tags: ['listing'],
    refusals: [
      ...VERDICT_REFUSALS,
      'INVALID_PSBT',
      'PSBT_TOO_LARGE',
      'PUBLISH_REFUSED',
      'ORDER_WITHDRAWN',
      'TOO_MANY_CLAIMS',
    ],
    body: PublishAskRequest,
    response: { 201: OrderSummary },
  },
  readOwnershipChallenge: {
    operationId: 'readOwnershipChallenge',
    summary: 'Get the message that the owner of the offered output signs',
    description:
      'The message names service, order, output and time; it is valid until `expiresAt`. Sign it ' +
      'according to BIP-322 with the key of `address`.',
    tags: ['listing'],
    refusals: ['ORDER_NOT_FOUND', 'ORDER_NOT_WITHDRAWABLE'],
    params: OrderPath,
    response: { 200: OwnershipChallenge },
  },
  withdrawOrder: {
    operationId: 'withdrawOrder',
    summary: 'Withdraw an order as its seller',
    description:
      'Stops publication by this service. Copies of the artifact cannot be recalled: only ' +
      'spending the offered output makes them unusable. `signature` is a BIP-322 proof (simple or ' +
      'full) of the message of a current challenge; the one in this example is for a challenge that ' +
      'expired long ago.',
    tags: ['listing'],
    refusals: [
      'ORDER_NOT_FOUND',
      'ORDER_NOT_WITHDRAWABLE',
      'INVALID_PROOF',
      'UNSUPPORTED_PROOF',
      'NODE_UNAVAILABLE',
      'STILL_BEING_VERIFIED',
    ],
    params: OrderPath,
    body: OwnershipProof,
    response: { 201: OrderSummary },
  },
} satisfies Record<string, FastifySchema>
