import { z } from 'zod'
import { Hash, Network, OrderSide, OrderState, Safety } from '../scalars.ts'
import { SALE_EVENT_KIND } from '../wire/nostr.ts'
import { BuilderProfile } from './catalog.ts'

/** What a program needs to begin: each operation, and where it is described. */
export const ApiIndex = z.strictObject({
  name: z.literal('Market').describe('name of the contract'),
  docs: z.string().describe('path of the reference, for people'),
  openapi: z.string().describe('path of the OpenAPI document, for programs'),
  operations: z
    .array(
      z.strictObject({
        operationId: z.string().describe('name of the operation, as in the OpenAPI document'),
        method: z.string().describe('GET or POST'),
        path: z.string().describe('path, with its parameters in braces'),
        summary: z.string().describe('what it is for'),
        docs: z.string().describe('path of the page that describes it'),
      }),
    )
    .describe('the operations below /api/market, but those for operators'),
})
export type ApiIndex = z.infer<typeof ApiIndex>

/** How one class of order is signed, and what its signatures bind. */
const OrderTemplate = z.strictObject({
  side: OrderSide.describe('the side that it is for'),
  signedBy: z.string().describe('who has signed the artifact, and what of it'),
  sighash: z.array(z.string()).describe('the sighash types that are accepted'),
  commitsTo: z.array(z.string()).describe('what the signatures bind'),
  completedBy: z.string().describe('what the other party adds'),
  safety: z.array(Safety).describe('the safety that its orders can have'),
})

/**
 * This gateway's contract (gateway spec 2.2; the object shapes are this service's own).
 */
export const ProtocolContract = z.strictObject({
  name: z.literal('Market').describe('name of the contract'),
  settlement: z.string().describe('how sales are settled, in words'),
  sourceOfTruth: z.string().describe('what decides the state of an order, in words'),
  supportedProfiles: z
    .array(BuilderProfile)
    .describe('kinds of listings that this gateway supports'),
  orderTemplates: z
    .strictObject({
      ASK_ANYONECANPAY: OrderTemplate.describe(
        'an ask: the seller signed, any buyer may complete it',
      ),
      BID_FULLY_FUNDED: OrderTemplate.describe(
        'a bid: the buyer signed and paid, the owner of the asset completes it',
      ),
    })
    .describe('how each class of order is signed'),
  safety: z
    .strictObject({
      signsOrBroadcasts: z.literal(false).describe('no transaction'),
      spendsFunds: z.literal(false).describe('never'),
      artifactReleasedIn: z
        .array(OrderState)
        .describe('states of an order in which its PSBT is released'),
      maxVerificationAgeSeconds: z
        .number()
        .describe('age up to which a verification counts as fresh, seconds'),
      withdrawal: z.string().describe('what a withdrawal does and does not do, in words'),
      replacement: z.string().describe('how a purchase can be replaced, in words'),
      claims: z.string().describe('which fields of an order nothing has verified, in words'),
      bundleKey: Hash.nullable().describe(
        'x-only public key (BIP 340) that signs bundles of orders; null: they are not signed',
      ),
    })
    .describe('what the service does and does not do'),
  nostr: z
    .strictObject({
      kind: z.literal(SALE_EVENT_KIND).describe('the kind of the events'),
      network: Network.describe('the Bitcoin network of the orders'),
      holdsKeys: z.literal(false).describe('never: the service has no key of Nostr'),
      publishes: z.literal(false).describe('never: the client publishes'),
      tags: z.record(z.string(), z.string()).describe('meaning of each tag'),
      content: z.string().describe('what the content of an event is'),
    })
    .describe('how orders are announced as Nostr events'),
})
export type ProtocolContract = z.infer<typeof ProtocolContract>
