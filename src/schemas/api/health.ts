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
  ready: z.boolean(),
  reason: ListingReadinessReason.nullable(),
  coreHeight: z.int().nullable(),
  assetIndexHeight: z.int().nullable(),
  lagBlocks: z.int().nullable(),
  maxLagBlocks: z.int(),
  storageWritable: z.boolean(),
  checkedAt: Timestamp,
})
export type ListingReadiness = z.infer<typeof ListingReadiness>

export const HealthReport = z.strictObject({
  ok: z.boolean(),
  service: z.literal('market'),
  enabled: z.boolean(),
  defaultEnabled: z.boolean(),
  network: Network,
  status: z.enum(['active', 'degraded', 'disabled']),
  featureFlag: z.literal('MARKET_ENABLED'),
  coreConfigured: z.boolean(),
  assetIndexConfigured: z.boolean(),
  configurationComplete: z.boolean(),
  signsOrBroadcasts: z.literal(false),
  spendsFunds: z.literal(false),
  supportedSources: z.array(Source),
  storageWritable: z.boolean(),
  readyForBitcoinListings: z.boolean(),
  maxVerificationAgeSeconds: z.number(),
  listingReadiness: ListingReadiness,
})
export type HealthReport = z.infer<typeof HealthReport>

/** `/livez`. */
export const ProbeReport = z.strictObject({ ok: z.literal(true) })
export type ProbeReport = z.infer<typeof ProbeReport>

/** `/readyz`; the reason why a process is not ready is in the envelope of its 503. */
export const ReadinessReport = z.strictObject({
  ok: z.literal(true),
  degraded: z.array(z.string()).meta({
    description: 'Unavailable parts that this process can work without.',
  }),
})
export type ReadinessReport = z.infer<typeof ReadinessReport>
