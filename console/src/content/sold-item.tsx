import type { OrderSummary } from 'psbt-market-client'
import { useSettings } from '../api/settings.ts'
import { offeredOutput } from '../ui/values/offered-output.ts'
import { type Content, useContent, useShowsContent } from './content.ts'
import { ExplorerLink } from './explorer-link.tsx'
import { Preview, SvgFrame } from './preview.tsx'
import { isHidden, isProved, shownAsset } from './shown-asset.ts'

/** Pixels of the square that content is shown in, whatever it is. */
const SIZE = 320

/** Pixels of the picture beside the words that open it. */
const SMALL = 40

/** Characters of a text that is shown large. */
const SHORT = 80

/** What an order offers, as it was inscribed, and where more is read about it. */
export function SoldItem({ order }: { order: OrderSummary }) {
  const showsContent = useShowsContent()
  const { explorerUrl, assetExplorerUrl } = useSettings()
  if (!showsContent && explorerUrl === undefined && assetExplorerUrl === undefined) return null
  return (
    <div class="sold-items">
      {showsContent &&
        (isHidden(order) ? (
          <p class="quiet">Hidden by an operator of this service.</p>
        ) : isProved(order) ? (
          order.assets.map(({ inscriptionId }) => (
            <Shown key={inscriptionId} inscriptionId={inscriptionId} />
          ))
        ) : (
          <p class="quiet">No inscription is proved to be in it.</p>
        ))}
      <ExplorerLinks order={order} />
    </div>
  )
}

/** The first of it in small, beside the words that open the whole. */
export function SoldPreview({ order }: { order: OrderSummary }) {
  const asset = shownAsset(order)
  return asset ? <Preview inscriptionId={asset.inscriptionId} size={SMALL} /> : null
}

function Shown({ inscriptionId }: { inscriptionId: string }) {
  const content = useContent(inscriptionId)
  return (
    <div class="content" style={{ '--size': `${SIZE}px` }} aria-busy={!content}>
      {content ? <Whole content={content} /> : <p class="quiet">Loading its content…</p>}
    </div>
  )
}

const NAME = 'What the inscription shows'

function Whole({ content }: { content: Content }) {
  switch (content.kind) {
    case 'text':
      return content.text === '' ? (
        <p class="quiet">An empty text.</p>
      ) : (
        <WholeText text={content.text} />
      )
    case 'image':
      return <img src={content.url} alt={NAME} width={SIZE} height={SIZE} loading="lazy" />
    case 'svg':
      return <SvgFrame url={content.url} title={NAME} size={SIZE} />
    case 'audio':
      // biome-ignore lint/a11y/useMediaCaption: an inscription has none.
      return <audio src={content.url} controls preload="metadata" aria-label={NAME} />
    case 'video':
      return (
        // biome-ignore lint/a11y/useMediaCaption: an inscription has none.
        <video
          src={content.url}
          controls
          preload="metadata"
          width={SIZE}
          height={SIZE}
          aria-label={NAME}
        />
      )
    case 'refused':
      return <p class="quiet">{content.words}</p>
  }
}

/** A long text is scrolled, with the keyboard too. */
function WholeText({ text }: { text: string }) {
  const isShort = text.length <= SHORT
  return (
    <div
      class={`content-text ${isShort ? 'content-short' : ''}`}
      tabIndex={isShort ? undefined : 0}
    >
      <pre class="stranger">{text}</pre>
    </div>
  )
}

function ExplorerLinks({ order }: { order: OrderSummary }) {
  const [asset] = order.assets
  const output = offeredOutput(order)
  const { settlement } = order
  return (
    <p class="sold-links">
      {asset && (
        <ExplorerLink of="inscription" id={asset.inscriptionId}>
          Inscription
        </ExplorerLink>
      )}
      {output && (
        <ExplorerLink of="tx" id={output.txid}>
          Transaction of its output
        </ExplorerLink>
      )}
      {settlement && (
        <ExplorerLink of="tx" id={settlement.txid}>
          Transaction that bought it
        </ExplorerLink>
      )}
    </p>
  )
}
