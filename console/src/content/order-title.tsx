import type { OrderState, OrderSummary } from 'psbt-market-client'
import { titleOf } from '../ui/values/order-title.ts'
import { useContent } from './content.ts'
import { inWords } from './in-words.ts'

/** States in which an order may name what only a source claims: the service shows nothing of that. */
const CLAIMED: ReadonlySet<OrderState> = new Set(['PENDING_NODE', 'PENDING_ASSET', 'REJECTED'])

export const isProved = ({ assets, state }: OrderSummary): boolean =>
  assets.length > 0 && !CLAIMED.has(state)

export const isHidden = ({ validation }: OrderSummary): boolean =>
  validation.reasons.includes('hidden_by_operator')

interface TitleParts {
  order: OrderSummary
  /** Is its content asked for? Else what a picture of it has loaded is read. */
  asks?: boolean
}

/** The name or the transfer that is sold, where its content says it; else what `titleOf` says. */
export function OrderTitle({ order, asks = true }: TitleParts) {
  const isShown = isProved(order) && !isHidden(order)
  const content = useContent(order.assets[0]?.inscriptionId ?? '', asks && isShown)
  const words = isShown && content?.kind === 'text' ? inWords(content.text) : null
  return words === null ? titleOf(order) : <bdi class="stranger">{words}</bdi>
}
