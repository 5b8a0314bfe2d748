import { isIP } from 'node:net'
import { mayReach } from '../../domain/webhooks/public-address.ts'
import { hostOf } from '../../domain/webhooks/webhook-url.ts'
import type { WebhookOffice } from './manage-webhooks.ts'

/**
 * Why every delivery to the URL would fail now: an address of its name may not be reached. Null also
 * if the name has none yet, or is not known here: deliveries look it up where they are made.
 */
export async function problemOfName(
  { lookUp, loopback }: Pick<WebhookOffice, 'lookUp' | 'loopback'>,
  url: string,
): Promise<string | null> {
  const host = hostOf(new URL(url))
  if (isIP(host) !== 0) return null
  const addresses = await lookUp(host)
  const isReached = addresses.every((address) => mayReach(address, loopback))
  return isReached ? null : 'its name leads to an address that is not public'
}
