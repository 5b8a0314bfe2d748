import { randomBytes } from 'node:crypto'
import {
  openWebhookReceiver,
  type Received,
  type WebhookReceiver,
} from '../../test/support/webhooks/webhook-receiver.ts'

const PATH = '/orders'

/** Another party's server, to which the service sends every change. */
export interface Hook {
  /** What the service must know of it: its address, and the secret that both have. */
  variables: Record<string, string>
  /** What came, its signature checked, each change once. */
  received(): Received[]
  close(): Promise<void>
}

export async function openHook(): Promise<Hook> {
  const receiver: WebhookReceiver = await openWebhookReceiver()
  const secret = `whsec_${randomBytes(32).toString('base64')}`
  receiver.secrets.set(PATH, secret)
  const endpoints = [{ name: 'demo', url: receiver.url(PATH), secrets: [secret] }]
  return {
    variables: { WEBHOOK_ENDPOINTS: JSON.stringify(endpoints), WEBHOOK_LOOPBACK: 'true' },
    received: () => receiver.accepted(PATH),
    close: () => receiver.close(),
  }
}
