import { type Content, useContent, useShowsContent } from './content.ts'
import { useInView } from './use-in-view.ts'

/** Characters of a text that a preview shows. */
const MAX_SHOWN = 160

interface PreviewParts {
  inscriptionId: string
  size: number
  /** A hostile SVG keeps a core of its reader busy: where nothing was chosen, it is a word. */
  drawsSvg?: boolean
}

/**
 * A square of `size` pixels with what an inscription shows; of the same size while it is loaded, and
 * when there is nothing. It takes no pointer and no focus: it can be inside a link. Nothing at all
 * where the service shows no content.
 */
export function Preview({ inscriptionId, size, drawsSvg = true }: PreviewParts) {
  const showsContent = useShowsContent()
  const { element, wasInView } = useInView<HTMLSpanElement>()
  const content = useContent(inscriptionId, wasInView)
  if (showsContent === false) return null
  return (
    <span ref={element} class="preview" style={{ '--size': `${size}px` }} aria-hidden="true">
      <Small content={content} size={size} drawsSvg={drawsSvg} />
    </span>
  )
}

interface SmallParts {
  content: Content | undefined
  size: number
  drawsSvg: boolean
}

function Small({ content, size, drawsSvg }: SmallParts) {
  switch (content?.kind) {
    case 'text':
      return <span class="preview-text">{content.text.slice(0, MAX_SHOWN)}</span>
    case 'image':
      return <img src={content.url} alt="" width={size} height={size} loading="lazy" />
    case 'svg':
      return drawsSvg ? (
        <SvgFrame url={content.url} title="" size={size} />
      ) : (
        <span class="preview-words">SVG</span>
      )
    case 'audio':
    case 'video':
      return <span class="preview-words">{content.kind}</span>
    case 'refused':
      return <span class="preview-words">not shown</span>
    default:
      return null
  }
}

/** No script, no origin, nothing from elsewhere: and drawn outside the page, however long it takes. */
export const SvgFrame = ({ url, title, size }: { url: string; title: string; size: number }) => (
  <iframe
    sandbox=""
    src={url}
    title={title}
    width={size}
    height={size}
    loading="lazy"
    referrerpolicy="no-referrer"
    tabIndex={-1}
  />
)
