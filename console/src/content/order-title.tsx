import type { OrderSummary } from 'psbt-market-client'
import { titleOf } from '../ui/values/order-title.ts'
import { useContent } from './content.ts'
import { inWords } from './in-words.ts'
import { shownAsset } from './shown-asset.ts'

interface TitleParts {
  order: OrderSummary
  /** Is its content asked for? Else what a picture of it has loaded is read. */
  asks?: boolean
}

/** The name or the transfer that is sold, where its content says it; else what `titleOf` says. */
export function OrderTitle({ order, asks = true }: TitleParts) {
  const asset = shownAsset(order)
  const content = useContent(asset?.inscriptionId ?? '', asks && asset !== undefined)
  const words = asset && content?.kind === 'text' ? inWords(content.text) : null
  return words === null ? titleOf(order) : <bdi class="stranger">{words}</bdi>
}
