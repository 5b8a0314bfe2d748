import { z } from 'zod'
import { Network, Source, Timestamp } from '../scalars.ts'

export const ListingReadinessReason = z.enum([
  'not_configured',
  'storage_unavailable',
  'core_unavailable_or_syncing',
  'asset_index_unreachable',
  'asset_index_behind',
  'observation_timed_out',
])
export type ListingReadinessReason = z.infer<typeof ListingReadinessReason>

/** Observed, never inferred from a configured address (gateway spec 2.2). */
export const ListingReadiness = z.strictObject({
  ready: z.boolean().describe('whether orders can be verified now'),
  reason: ListingReadinessReason.nullable().describe('code of why not; null: they can'),
  coreHeight: z.int().nullable().describe('height of the full node; null: it gave no answer'),
  assetIndexHeight: z
    .int()
    .nullable()
    .describe('height of the asset index; null: it gave no answer'),
  lagBlocks: z
    .int()
    .nullable()
    .describe('blocks that the index is behind the node; null: not known'),
  maxLagBlocks: z.int().describe('the most blocks that it may be behind'),
  storageWritable: z.boolean().describe('whether the store can be written'),
  checkedAt: Timestamp.describe('when this was observed'),
})
export type ListingReadiness = z.infer<typeof ListingReadiness>

export const HealthReport = z.strictObject({
  ok: z.boolean().describe('whether the service can do all that it is configured for'),
  service: z.literal('market').describe('always `market`'),
  enabled: z.boolean().describe('whether the market is enabled'),
  defaultEnabled: z.boolean().describe('whether it is enabled without a setting'),
  network: Network.describe('the Bitcoin network'),
  status: z
    .enum(['active', 'degraded', 'disabled'])
    .describe('`active`, `degraded`: something is unavailable, or `disabled`'),
  featureFlag: z.literal('MARKET_ENABLED').describe('the variable that enables the market'),
  coreConfigured: z.boolean().describe('whether a full node is configured'),
  assetIndexConfigured: z.boolean().describe('whether an asset index is configured'),
  configurationComplete: z.boolean().describe('whether both are'),
  signsOrBroadcasts: z
    .literal(false)
    .describe('never: the service signs no transaction and broadcasts none'),
  spendsFunds: z.literal(false).describe('never'),
  supportedSources: z.array(Source).describe('kinds of sources that are taken'),
  storageWritable: z.boolean().describe('whether the store can be written'),
  readyForBitcoinListings: z.boolean().describe('whether orders can be verified now'),
  maxVerificationAgeSeconds: z
    .number()
    .describe('age up to which a verification counts as fresh, seconds'),
  listingReadiness: ListingReadiness.describe('what that rests on'),
})
export type HealthReport = z.infer<typeof HealthReport>

/** `/livez`. */
export const ProbeReport = z.strictObject({ ok: z.literal(true).describe('always true') })
export type ProbeReport = z.infer<typeof ProbeReport>

/** `/readyz`; the reason why a process is not ready is in the envelope of its 503. */
export const ReadinessReport = z.strictObject({
  ok: z.literal(true).describe('always true'),
  degraded: z.array(z.string()).meta({
    description: 'Unavailable parts that this process can work without.',
  }),
})
export type ReadinessReport = z.infer<typeof ReadinessReport>
