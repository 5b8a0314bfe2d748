import {
  DeadDeliveries,
  WebhookList,
  type WebhookView,
  WebhookView as WebhookViewSchema,
  type WebhookWithSecret,
  WebhookWithSecret as WebhookWithSecretSchema,
} from '../../schemas/webhooks/webhook-api.ts'
import type { DeadDelivery } from '../../schemas/webhooks/webhook-records.ts'
import { askService, type ServiceAddress } from './ask-service.ts'

const WEBHOOKS = '/api/market/admin/webhooks'
const pathOf = (name: string, act: string): string =>
  `${WEBHOOKS}/${encodeURIComponent(name)}/${act}`

/** Acts of an operator on a webhook that has a name. */
export type WebhookAct = 'pause' | 'resume' | 'retry' | 'delete'

// Each throws as `askService`.

export const fetchWebhooks = async (service: ServiceAddress): Promise<WebhookView[]> =>
  (await askService(service, { path: WEBHOOKS, answer: WebhookList })).webhooks

/** `filter`: as the stream has them, checked by the service. */
export const askForWebhook = (
  service: ServiceAddress,
  webhook: { name: string; url: string; filter?: unknown },
): Promise<WebhookWithSecret> =>
  askService(service, {
    method: 'POST',
    path: WEBHOOKS,
    body: webhook,
    answer: WebhookWithSecretSchema,
  })

export const askForSecret = (service: ServiceAddress, name: string): Promise<WebhookWithSecret> =>
  askService(service, {
    method: 'POST',
    path: pathOf(name, 'rotate'),
    body: {},
    answer: WebhookWithSecretSchema,
  })

export const actOnWebhook = (
  service: ServiceAddress,
  name: string,
  act: WebhookAct,
): Promise<WebhookView> =>
  askService(service, {
    method: 'POST',
    path: pathOf(name, act),
    body: {},
    answer: WebhookViewSchema,
  })

export const deadDeliveries = async (
  service: ServiceAddress,
  name: string,
): Promise<DeadDelivery[]> =>
  (await askService(service, { path: pathOf(name, 'dead-letters'), answer: DeadDeliveries }))
    .deadLetters

/** A webhook and the state of its deliveries, in a line. */
export function webhookLine({ name, url, filter, ...view }: WebhookView): string {
  const { paused, lag, failingSince, failure, dead } = view
  const state = paused
    ? `paused (${paused})`
    : failingSince
      ? `failing since ${failingSince}: ${failure ?? 'no reason'}`
      : lag === 0
        ? 'all delivered'
        : `${lag} records behind`
  const wanted = Object.keys(filter).length === 0 ? '' : `  ${JSON.stringify(filter)}`
  return `${name.padEnd(20)}  ${url}${wanted}  ${state}${dead > 0 ? `, ${dead} dead` : ''}`
}

/** A dead letter, in a line. */
export const deadDeliveryLine = ({
  partition,
  offset,
  orderId,
  seq,
  at,
  reason,
}: DeadDelivery): string =>
  `${`${partition}/${offset}`.padEnd(10)}  ${at}  ${orderId} seq ${seq}: ${reason}`
