import { posix } from 'node:path'
import MarkdownIt from 'markdown-it'
import anchor from 'markdown-it-anchor'

export type Token = ReturnType<MarkdownIt['parse']>[number]

/** Where a page's links and images lead in the site. */
export interface Targets {
  /** The address of a page of this file; undefined: the site has none. */
  urlOf(source: string): string | undefined
  /** The address of an image, and its size: room is kept for it while it loads. */
  imageOf(source: string): { url: string; width: number; height: number }
}

/** What the renderer is given about the page. */
interface PageContext {
  /** The page's file, from the root of the repository. */
  source: string
}

/**
 * A heading's anchor, as the hosts of repositories make it: test/docs/links.test.ts checks links to
 * it.
 */
export const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-')

/**
 * Markdown as in the repository's pages. HTML is escaped, and there are no inline styles: the
 * policy of the pages forbids them.
 */
export function createMarkdown(targets: Targets): MarkdownIt {
  const markdown = new MarkdownIt({ html: false, linkify: false })
  markdown.use(anchor, { slugify: anchorOf, tabIndex: false })
  markdown.core.ruler.push('site', (state) => {
    const { source }: PageContext = state.env
    placeTokens(state.tokens, source, targets)
  })
  const { rules } = markdown.renderer
  // What may be wider than a screen scrolls by itself, by keyboard too.
  rules['table_open'] = () =>
    '<div class="wide" role="group" aria-label="Table" tabindex="0"><table>\n'
  rules['table_close'] = () => '</table></div>\n'
  const block = (tokens: Token[], index: number): string =>
    `<pre tabindex="0"><code>${markdown.utils.escapeHtml(tokens[index]?.content ?? '')}</code></pre>\n`
  rules['fence'] = block
  rules['code_block'] = block
  return markdown
}

/** The sections of a page: text and anchor of each heading of the second level. */
export function sectionsOf(markdown: MarkdownIt, text: string, context: PageContext) {
  const tokens = markdown.parse(text, context)
  return tokens.flatMap((token, index) =>
    token.type === 'heading_open' && token.tag === 'h2'
      ? [{ id: String(token.attrGet('id')), title: plainText(tokens[index + 1]) }]
      : [],
  )
}

export const plainText = (token: Token | undefined): string =>
  (token?.children ?? [])
    .map(({ type, content }) => {
      if (type === 'softbreak') return ' '
      return type === 'text' || type === 'code_inline' ? content : ''
    })
    .join('')

function placeTokens(tokens: readonly Token[], source: string, targets: Targets): void {
  const opened: Token[] = []
  for (const [at, token] of tokens.entries()) {
    // A corner of a table heads nothing.
    if (token.type === 'th_open' && tokens[at + 1]?.content === '') {
      for (const one of [token, tokens[at + 2]]) if (one) one.tag = 'td'
    }
    const alignment = /text-align:(\w+)/.exec(String(token.attrGet('style')))?.[1]
    if (alignment !== undefined) token.attrs = [['class', alignment]]
    if (token.type === 'link_open') {
      placeLink(token, source, targets)
      opened.push(token)
    } else if (token.type === 'link_close') token.tag = opened.pop()?.tag ?? token.tag
    else if (token.type === 'image') {
      const path = posix.join(posix.dirname(source), String(token.attrGet('src')))
      const { url, width, height } = targets.imageOf(path)
      token.attrSet('src', url)
      token.attrSet('width', String(width))
      token.attrSet('height', String(height))
    }
    if (token.children) placeTokens(token.children, source, targets)
  }
}

/**
 * A link to a page of the site, or the text with the path of its file: the site has no other files.
 */
function placeLink(token: Token, source: string, targets: Targets): void {
  const target = String(token.attrGet('href'))
  if (/^[a-z]+:/.test(target) || target.startsWith('#')) return
  const [file = '', place] = target.split('#')
  const path = posix.join(posix.dirname(source), decodeURI(file))
  const url = targets.urlOf(path)
  if (url !== undefined) {
    token.attrSet('href', place === undefined ? url : `${url}#${place}`)
    return
  }
  token.tag = 'span'
  token.attrs = [
    ['class', 'file'],
    ['title', path],
  ]
}
