import { z } from 'zod'
import { Hash, Network, OrderSide, OrderState, Safety } from '../scalars.ts'
import { SALE_EVENT_KIND } from '../wire/nostr.ts'
import { BuilderProfile } from './catalog.ts'

/** How one class of order is signed, and what its signatures bind. */
const OrderTemplate = z.strictObject({
  side: OrderSide,
  /** Who has signed the artifact, and with which sighash. */
  signedBy: z.string(),
  sighash: z.array(z.string()),
  commitsTo: z.array(z.string()),
  /** What the other party adds. */
  completedBy: z.string(),
  safety: z.array(Safety),
})

/**
 * This gateway's contract (gateway spec 2.2; the object shapes are this service's own).
 */
export const ProtocolContract = z.strictObject({
  name: z.literal('Market'),
  settlement: z.string(),
  sourceOfTruth: z.string(),
  supportedProfiles: z.array(BuilderProfile),
  orderTemplates: z.strictObject({
    ASK_ANYONECANPAY: OrderTemplate,
    BID_FULLY_FUNDED: OrderTemplate,
  }),
  safety: z.strictObject({
    signsOrBroadcasts: z.literal(false).describe('no transaction'),
    spendsFunds: z.literal(false),
    artifactReleasedIn: z.array(OrderState),
    maxVerificationAgeSeconds: z.number(),
    withdrawal: z.string(),
    replacement: z.string(),
    claims: z.string(),
    bundleKey: Hash.nullable().describe(
      'x-only public key (BIP 340) that signs bundles of orders; null: they are not signed',
    ),
  }),
  nostr: z.strictObject({
    kind: z.literal(SALE_EVENT_KIND),
    network: Network,
    holdsKeys: z.literal(false),
    publishes: z.literal(false),
    tags: z.record(z.string(), z.string()),
    content: z.string(),
  }),
})
export type ProtocolContract = z.infer<typeof ProtocolContract>
