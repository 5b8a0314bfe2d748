import type MarkdownIt from 'markdown-it'
import type { Found } from './browser/rank.ts'
import type { Reference } from './reference/pages.ts'
import { plainText, type Token } from './source/markdown.ts'
import type { Page } from './source/pages.ts'

/** Of a section, as much as tells a reader whether it is the right one. */
const MAX_TEXT = 200
/** Records and generated tables: their sections would hide what explains. */
const WHOLE = /^docs\/(?:adr\/\d|spec-coverage|performance)|^CHANGELOG/

/** What the search of the site finds: sections of pages, operations, objects and error codes. */
export function searchIndex(
  markdown: MarkdownIt,
  pages: readonly Page[],
  reference: Reference,
): Found[] {
  return [...pages.flatMap((page) => entriesOf(markdown, page)), ...referenceEntries(reference)]
}

function entriesOf(markdown: MarkdownIt, { source, title, url, kind, text }: Page): Found[] {
  const entries: Found[] = [{ title, url, page: kind, text: '' }]
  const tokens = markdown.parse(text, { source })
  tokens.forEach((token, at) => {
    const inside = tokens[at + 1]
    if (token.type === 'heading_open' && token.tag !== 'h1' && !WHOLE.test(source))
      entries.push({
        title: plainText(inside),
        url: `${url}#${token.attrGet('id')}`,
        page: title,
        text: '',
      })
    else if (token.type === 'inline' && tokens[at - 1]?.type === 'paragraph_open')
      addText(entries.at(-1), token)
  })
  return entries
}

/** The first words below a heading. */
function addText(entry: Found | undefined, paragraph: Token): void {
  if (entry === undefined || entry.text !== '') return
  const text = plainText(paragraph)
  entry.text = text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text
}

function referenceEntries({ pages }: Reference): Found[] {
  const codes = new Set<string>()
  return pages.flatMap(({ title, url, operations, objects, errors }) => {
    const page = `API: ${title.toLowerCase()}`
    // A code that several pages explain is found on the first.
    const own = errors.filter(({ code }) => !codes.has(code))
    for (const { code } of own) codes.add(code)
    return [
      { title: page, url, page: 'API', text: '' },
      ...operations.map((one) => ({
        ...{ title: one.summary, url: one.url, page },
        text: `${one.method} ${one.path} ${one.id}`,
      })),
      ...(objects?.objects ?? []).map(({ name }) => ({
        ...{ title: name, url: `${objects?.url}#${name}`, page: objects?.title ?? '', text: '' },
      })),
      ...own.map(({ code, meaning }) => ({
        ...{ title: code, url: `${url}#${code}`, page },
        text: meaning.replaceAll(/<[^>]+>/g, ''),
      })),
    ]
  })
}
