import { DECIDED_STATE_WORDS } from '../../domain/reasons/state-words.ts'
import { OrderId, type OrderState } from '../../schemas/scalars.ts'
import type { Gateway } from '../gateway.ts'

/** What a link to a page is shown as where it is shared. */
export interface LinkPreview {
  title: string
  description: string
}

const WORDS: Record<OrderState, string> = {
  PENDING_NODE: 'not verified yet',
  PENDING_ASSET: 'not verified yet',
  ...DECIDED_STATE_WORDS,
}

/** What such orders name is only claimed. */
const CLAIMED: ReadonlySet<OrderState> = new Set(['PENDING_NODE', 'PENDING_ASSET', 'REJECTED'])

/**
 * How a link to an order is shown: what it offers, its signed price, and its state with the time of
 * its last change, as others keep a preview for days. Null for one that is hidden, not proved, or
 * unknown. Nothing of it is text of strangers.
 */
export async function readLinkPreview(
  { views }: Pick<Gateway, 'views'>,
  id: string,
): Promise<LinkPreview | null> {
  const { data: orderId } = OrderId.safeParse(id)
  const order = orderId === undefined ? undefined : (await views.order(orderId))?.order
  if (!order || order.hidden) return null
  const { side, state, quotedPriceSats, network, updatedAt } = order
  const [asset] = CLAIMED.has(state) ? [] : order.assets
  const thing = asset
    ? `Inscription ${asset.inscriptionNumber ?? shortened(asset.inscriptionId)}`
    : `Order ${shortened(order.id)}`
  const kind = side === 'BID' ? 'bid' : 'ask'
  const price =
    quotedPriceSats === undefined ? '' : ` of ${BigInt(quotedPriceSats).toLocaleString('en')} sats`
  const changed = `${updatedAt.slice(0, 10)} ${updatedAt.slice(11, 16)} UTC`
  return {
    title: `${thing}, ${kind}${price}`,
    description:
      `Bitcoin ${network}: ${WORDS[state]}, last changed ${changed}. ` +
      'The page has its state now, verified against a full node and an asset index.',
  }
}

const shortened = (id: string): string => `${id.slice(0, 8)}…${id.slice(-4)}`
