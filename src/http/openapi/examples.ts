import { protocolContract } from '../../gateway/reading/protocol-contract.ts'
import { readCatalog } from '../../gateway/reading/read-catalog.ts'
import type { HealthReport } from '../../schemas/api/health.ts'
import type { OrderSummary } from '../../schemas/order.ts'
import { CHALLENGE, EVENT, IMPORT_REQUEST, PROOF } from './examples/claims.ts'
import { INSPECT_REQUEST, INSPECTED } from './examples/inspections.ts'
import { BUILD_REQUEST, BUILT, PUBLISH_REQUEST, PUBLISHED } from './examples/listings.ts'
import { ACTIVITY_EXAMPLE, ARTIFACT, ENVELOPE, ORDER, PAGE } from './examples/orders.ts'
import { PREFLIGHT, PREFLIGHT_REQUEST, QUOTE, QUOTE_REQUEST } from './examples/purchases.ts'
import type { OperationExample } from './operation.ts'

const HEALTH: HealthReport = {
  ok: true,
  service: 'market',
  enabled: true,
  defaultEnabled: true,
  network: 'regtest',
  status: 'active',
  featureFlag: 'MARKET_ENABLED',
  coreConfigured: true,
  assetIndexConfigured: true,
  configurationComplete: true,
  signsOrBroadcasts: false,
  spendsFunds: false,
  supportedSources: ['portable-nostr802', 'asset-offers', 'direct-import'],
  storageWritable: true,
  readyForBitcoinListings: true,
  maxVerificationAgeSeconds: 600,
  listingReadiness: {
    ready: true,
    reason: null,
    coreHeight: 140,
    assetIndexHeight: 140,
    lagBlocks: 0,
    maxLagBlocks: 2,
    storageWritable: true,
    checkedAt: '2026-11-21T14:26:52.945Z',
  },
}

/** The devnet orders used in the examples: their ids are the same on every devnet. */
const ALICE = { id: ORDER.id }
const CAROL = { id: CHALLENGE.orderId }
/** Offered without the inscription that it claims: REJECTED, so it can be hidden without loss. */
const MALLORY = { id: '942b9ea6d34a0d31f34039f7b233dbaa638fc6b0feb0bd360c120fae85f23752' }

const withdrawn = (reason: string): OrderSummary => ({
  ...ORDER,
  state: 'WITHDRAWN',
  actionability: 'BLOCKED',
  withdrawal: { withdrawnAt: ORDER.updatedAt, reason },
})

const hidden: OrderSummary = {
  ...ORDER,
  actionability: 'BLOCKED',
  validation: {
    ...ORDER.validation,
    reasons: [...ORDER.validation.reasons, 'hidden_by_operator'],
  },
}

/** One example an operation, by its id. */
export const examples = {
  readHealth: { answer: HEALTH },
  readProtocol: {
    answer: protocolContract({ network: 'regtest', maxVerificationAgeSeconds: 600 }),
  },
  readCatalog: { answer: readCatalog({ nodeConfigured: true, indexConfigured: true }).slice(0, 1) },
  listOrders: {
    query: { state: 'LIVE', protocol: 'inscriptions', sort: 'price_asc', limit: '1' },
    answer: PAGE,
  },
  readOrder: { params: ALICE, answer: ORDER },
  readArtifact: { params: ALICE, answer: ARTIFACT },
  readNostrEnvelope: { params: ALICE, answer: ENVELOPE },
  revalidateOrder: { params: ALICE, body: {}, answer: ORDER },
  listActivity: { query: { orderId: ALICE.id, limit: '2' }, answer: ACTIVITY_EXAMPLE },
  quoteOrder: { params: ALICE, body: QUOTE_REQUEST, answer: QUOTE },
  preflightOrder: { params: ALICE, body: PREFLIGHT_REQUEST, answer: PREFLIGHT },
  buildAsk: { body: BUILD_REQUEST, answer: BUILT },
  publishAsk: { body: PUBLISH_REQUEST, answer: PUBLISHED },
  importOrder: { body: IMPORT_REQUEST, answer: ORDER },
  importPortableEvent: { body: EVENT, answer: ORDER },
  inspectOrder: { body: INSPECT_REQUEST, answer: INSPECTED },
  readOwnershipChallenge: { params: CAROL, answer: CHALLENGE },
  withdrawOrder: { params: CAROL, body: PROOF, answer: withdrawn('sold elsewhere') },
  listHiddenOrders: {
    query: { limit: '1' },
    answer: { orders: [hidden], total: 1, limit: 1, nextCursor: '', hasMore: false },
  },
  readOrderAsOperator: { params: MALLORY, answer: ORDER },
  hideOrder: { params: MALLORY, body: { reason: 'reported as stolen' }, answer: hidden },
  unhideOrder: { params: MALLORY, body: { reason: 'the report was wrong' }, answer: ORDER },
  withdrawOrderAsOperator: {
    params: MALLORY,
    body: { reason: 'it claims what it does not hold' },
    answer: withdrawn('it claims what it does not hold'),
  },
} satisfies Record<string, OperationExample>
