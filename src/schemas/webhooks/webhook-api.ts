import { z } from 'zod'
import { StreamChange } from '../api/stream.ts'
import { CustomerName } from '../customers/key-records.ts'
import { Timestamp } from '../scalars.ts'
import { DeadDelivery, WebhookFilter, WebhookName, WebhookUrl } from './webhook-records.ts'

/** What is posted to an endpoint. */
export const WebhookEvent = z
  .strictObject({
    type: z.literal('order.changed'),
    timestamp: Timestamp.describe('when the change was observed'),
    data: StreamChange,
  })
  .describe('One change of one order, as the stream tells it.')
export type WebhookEvent = z.infer<typeof WebhookEvent>

export const WebhookPath = z.object({ name: z.string().describe('name of the webhook') })

export const CreateWebhook = z.strictObject({
  name: WebhookName.describe('name of the webhook, of your choice'),
  url: WebhookUrl.describe('https, at a public address'),
  filter: WebhookFilter.prefault({}).describe('which changes are sent'),
  customer: CustomerName.exactOptional().describe(
    'name of the key whose customer gets it: its tier says how many',
  ),
})
export type CreateWebhook = z.infer<typeof CreateWebhook>

export const RotateWebhook = z
  .strictObject({
    secretVersion: z
      .int()
      .positive()
      .exactOptional()
      .describe('the current secret that is to be replaced: a repeat shows the same new one'),
  })
  .nullish()
export type RotateWebhook = z.infer<typeof RotateWebhook>

export const WebhookView = z
  .strictObject({
    name: WebhookName.describe('name of the webhook'),
    url: z.string().describe('address that changes are posted to'),
    filter: WebhookFilter.describe('which changes are sent'),
    source: z
      .enum(['operator', 'configuration'])
      .describe('those of the configuration are changed there'),
    customer: CustomerName.nullable().describe('whose it is; null: no customer’s'),
    createdAt: Timestamp.describe('when it was created'),
    paused: z
      .enum(['operator', 'gone'])
      .nullable()
      .describe('who paused it: an operator, or the endpoint with 410; null: it is not paused'),
    secrets: z
      .int()
      .nullable()
      .describe(
        'secrets that sign now: two for a day after a rotation; null: the configuration has them',
      ),
    secretVersion: z
      .int()
      .nullable()
      .describe('number of the current secret; null: the configuration has them'),
    lag: z
      .int()
      .nonnegative()
      .describe(
        'records of the log not yet looked at: 0 when all is delivered; in Kafka, the marker of each partition’s last transaction counts',
      ),
    failingSince: Timestamp.nullable().describe(
      'null: the last delivery of each partition succeeded',
    ),
    failure: z.string().nullable().describe('why the last failed delivery failed'),
    dead: z.int().nonnegative().describe('dead letters that can be retried'),
  })
  .describe('A webhook, and how its deliveries stand.')
export type WebhookView = z.infer<typeof WebhookView>

export const WebhookList = z.strictObject({
  webhooks: z.array(WebhookView).describe('the webhooks, by name'),
})
export type WebhookList = z.infer<typeof WebhookList>

export const WebhookWithSecret = WebhookView.extend({
  secretVersion: z
    .int()
    .describe('number of the secret shown: in a repeat, of one that may have been replaced since'),
  secret: z
    .string()
    .describe('shown in this answer and its repeats alone; the key of the signatures'),
})
export type WebhookWithSecret = z.infer<typeof WebhookWithSecret>

export const DeadDeliveries = z
  .strictObject({
    deadLetters: z.array(DeadDelivery).describe('the changes that could not be delivered'),
  })
  .describe('The newest 50 of each partition, oldest first.')
export type DeadDeliveries = z.infer<typeof DeadDeliveries>
