import { Webhook } from 'standardwebhooks'
import { MarketClientError } from './errors/client-errors.ts'
import type { StreamChange } from './generated/api.ts'

/** Apart from the rest of the package: pages receive no webhooks, and need not carry its hash function. */

/** Not from the service, not whole, or too old: answer 400 and do nothing. */
export class WebhookError extends MarketClientError {
  override name = 'WebhookError'
}

export interface ReceivedWebhook {
  /** `webhook-id`: the same on every attempt to deliver this change, which may be several. */
  id: string
  /** When this attempt was sent. */
  sentAt: Date
  /** `order.changed`, or what later versions of the service send. */
  type: string
  /**
   * The change, as in the stream; null: a message of another type. The changes of an order come by
   * rising `seq`, except for one that was given up and is sent again late: only its `id` says whether
   * it is a repetition.
   */
  change: StreamChange | null
}

interface Delivery {
  /** The headers of the request, in any of the usual forms. */
  headers: Headers | Readonly<Record<string, string | readonly string[] | undefined>>
  /** As it arrived, bytes or text: JSON that was parsed and written again has another signature. */
  body: string | Uint8Array
}

/**
 * Checks a delivery (Standard Webhooks) and returns its event. A signature is good for five minutes.
 *
 * @param secrets `whsec_…`; several while they are changed: one that matches is enough
 * @throws WebhookError
 */
export function verifyWebhook(
  { headers, body }: Delivery,
  secrets: string | readonly string[],
): ReceivedWebhook {
  const signed = {
    'webhook-id': header(headers, 'webhook-id'),
    'webhook-timestamp': header(headers, 'webhook-timestamp'),
    'webhook-signature': header(headers, 'webhook-signature'),
  }
  const text = typeof body === 'string' ? body : textOf(body)
  checkSignature(text, signed, [secrets].flat())
  const id = signed['webhook-id']
  const sentAt = new Date(Number.parseInt(signed['webhook-timestamp'], 10) * 1_000)
  return { id, sentAt, ...eventIn(text) }
}

function header(headers: Delivery['headers'], name: string): string {
  const value = headers instanceof Headers ? headers.get(name) : givenIn(headers, name)
  if (typeof value !== 'string' || value === '') throw new WebhookError(`${name} is missing`)
  return value
}

function givenIn(headers: Exclude<Delivery['headers'], Headers>, name: string): unknown {
  const [, value] = Object.entries(headers).find(([key]) => key.toLowerCase() === name) ?? []
  return Array.isArray(value) && value.length === 1 ? value[0] : value
}

function textOf(body: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body)
  } catch (error) {
    throw new WebhookError('the body is not UTF-8', { cause: error })
  }
}

function checkSignature(
  text: string,
  signed: Record<string, string>,
  secrets: readonly string[],
): void {
  let cause: unknown = new Error('no secret is given')
  for (const secret of secrets) {
    // A secret that cannot be read is a fault of this program, not of the sender.
    const webhook = new Webhook(secret)
    try {
      webhook.verify(text, signed, { jsonParse: false })
      return
    } catch (error) {
      cause = error
    }
  }
  const reason = cause instanceof Error ? cause.message : String(cause)
  throw new WebhookError(`the delivery is not signed: ${reason}`, { cause })
}

function eventIn(text: string): Pick<ReceivedWebhook, 'type' | 'change'> {
  const { type, data } = objectOf(jsonOf(text))
  if (typeof type !== 'string') throw new WebhookError('the body is not an event')
  if (type !== 'order.changed') return { type, change: null }
  const { orderId, seq } = objectOf(data)
  if (typeof orderId !== 'string' || typeof seq !== 'number')
    throw new WebhookError('the event has no change')
  return { type, change: data as StreamChange }
}

const objectOf = (value: unknown): Partial<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? { ...value } : {}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new WebhookError('the body is not JSON', { cause: error })
  }
}
