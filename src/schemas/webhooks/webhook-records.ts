import { z } from 'zod'
import { StreamRequest } from '../api/stream.ts'
import { CustomerName } from '../customers/key-records.ts'
import { Timestamp } from '../scalars.ts'

/** Names an endpoint in routes, settings, metrics and the log. */
export const WebhookName = z
  .string()
  .regex(/^[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?$/, 'must be 1 to 40 of a-z, 0-9 and dashes')
export type WebhookName = z.infer<typeof WebhookName>

const listed = StreamRequest.shape

/** Which changes are sent: the filters of the stream, one order, or, without any, all. */
export const WebhookFilter = StreamRequest.omit({ limit: true, cursor: true })
  .extend({
    includeWithdrawn: z
      .boolean()
      .default(false)
      .describe('show withdrawn and rejected orders too, as `includeWithdrawn` of a list does'),
    // As a query's text is read: what is stored is read again as it was written.
    states: listed.states.unwrap().out.exactOptional().describe('any of these states'),
    updatedSince: listed.updatedSince
      .unwrap()
      .out.exactOptional()
      .describe('orders whose `updatedAt` is this time or later'),
  })
  .strict()
  .describe('The filters of the stream, or `orderId` alone; without any, all changes are sent.')
export type WebhookFilter = z.infer<typeof WebhookFilter>

export const WebhookUrl = z.string().max(2_048)

const about = {
  schema: z.literal(1),
  name: WebhookName,
  /** One more for each endpoint that had the name before. */
  generation: z.int().positive(),
}

/** A secret that is derived, never stored: from which key, and its number. */
export const DerivedSecret = z.strictObject({
  key: z.string(),
  version: z.int().positive(),
  /** Signed with until then; null: until it is rotated. */
  until: Timestamp.nullable(),
  /**
   * The request that it was made for, so that a repeat gets the same one: SHA-256 of who asked, under
   * which Idempotency-Key, and of what was asked.
   */
  asked: z.strictObject({ by: z.string(), what: z.string() }),
})
export type DerivedSecret = z.infer<typeof DerivedSecret>

export const WebhookEndpointRecord = z.strictObject({
  ...about,
  kind: z.literal('endpoint'),
  url: WebhookUrl,
  filter: WebhookFilter,
  source: z.enum(['operator', 'configuration']),
  /** The customer whose tier counts it; absent: no customer's. */
  customer: CustomerName.exactOptional(),
  /** The current one first. Empty: the configuration holds them. */
  secrets: z.array(DerivedSecret),
  /** For each partition, the lifecycle offset of the first change that is sent. */
  from: z.array(z.int().nonnegative()),
  createdAt: Timestamp,
  deletedAt: Timestamp.nullable(),
})
export type WebhookEndpointRecord = z.infer<typeof WebhookEndpointRecord>

/** Nothing is sent while it is paused. */
export const WebhookPauseRecord = z.strictObject({
  ...about,
  kind: z.literal('pause'),
  isPaused: z.boolean(),
  why: z.enum(['operator', 'gone']),
  at: Timestamp,
})
export type WebhookPauseRecord = z.infer<typeof WebhookPauseRecord>

/** An operator wants every dead letter of an earlier time to be sent once more. */
export const WebhookRetryRecord = z.strictObject({
  ...about,
  kind: z.literal('retry'),
  at: Timestamp,
})
export type WebhookRetryRecord = z.infer<typeof WebhookRetryRecord>

/** Records of the topic `webhooks.endpoints`: the last record of each kind and name holds. */
export const WebhookRecord = z.discriminatedUnion('kind', [
  WebhookEndpointRecord,
  WebhookPauseRecord,
  WebhookRetryRecord,
])
export type WebhookRecord = z.infer<typeof WebhookRecord>

/** A change that could not be delivered: where it is in the lifecycle log, and why. */
export const DeadDelivery = z.strictObject({
  partition: z.int().nonnegative().describe('partition of the lifecycle log'),
  offset: z.int().nonnegative().describe('offset of the change in that partition'),
  orderId: z.string().describe('the order that changed'),
  seq: z.int().positive().describe('number of the change among the changes of its order, from 1'),
  at: Timestamp.describe('when delivery was last tried'),
  reason: z.string().describe('why it failed'),
})
export type DeadDelivery = z.infer<typeof DeadDelivery>

/** The state of the deliveries of one partition to one endpoint. */
export const DeliveryProgress = z.strictObject({
  /** One higher with each write. */
  version: z.int().nonnegative(),
  /** The lifecycle offset of the next change. */
  next: z.int().nonnegative(),
  /**
   * No delivery has succeeded since then, without the time in which nothing was asked; null: the
   * last one did.
   */
  failing: z
    .strictObject({
      since: Timestamp,
      attempts: z.int().positive(),
      lastAt: Timestamp,
      retryAt: Timestamp,
      reason: z.string(),
    })
    .nullable(),
  /** Oldest first. */
  dead: z.array(DeadDelivery),
  /** How many there were in all. */
  died: z.int().nonnegative(),
})
export type DeliveryProgress = z.infer<typeof DeliveryProgress>

/** `whsec_` and the key in base64: 24 to 64 bytes, as Standard Webhooks wants it. */
const WebhookSecret = z
  .string()
  .regex(/^whsec_[A-Za-z0-9+/]{32,86}={0,2}$/, 'must be whsec_ and 24 to 64 bytes in base64')

/** An endpoint of the configuration. With two secrets, both sign. */
export const ConfiguredWebhook = z.strictObject({
  name: WebhookName,
  url: WebhookUrl,
  filter: WebhookFilter.prefault({}),
  secrets: z.array(WebhookSecret).min(1).max(2),
})
export type ConfiguredWebhook = z.infer<typeof ConfiguredWebhook>

/** Endpoints of one service. */
export const MAX_WEBHOOKS = 32

/** Secrets of an endpoint that sign at the same time: each is a signature of each delivery. */
export const MAX_SECRETS = 5
