import { readdirSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'

export const ROOT = join(import.meta.dirname, '../..')
/** Lists the kinds, and the pages of each. */
const INDEX = 'docs/README.md'
/** The title of a page of another file name, where its folder does not say it. */
const NAMES: Readonly<Record<string, string>> = { 'README.md': 'overview' }

export interface Page {
  /** Its file, from the root of the repository. */
  source: string
  /** Its file in the site. */
  output: string
  url: string
  /** As the index lists it, or its heading. */
  title: string
  /** Those that a reader would read before and after it. */
  previous?: PageLink
  next?: PageLink
  hasHeading: boolean
  kind: string
  text: string
}

export interface PageLink {
  title: string
  url: string
}

export interface Kind {
  name: string
  pages: PageLink[]
}

export interface Guide {
  /** The release that the pages describe. */
  release: string
  kinds: Kind[]
  pages: Page[]
}

/**
 * Every page of docs, and the pages of other folders that the index lists. A page below an index is
 * of its kind.
 */
export function readGuide(): Guide {
  const listed = listedPages()
  const entries = new Map(listed.map((entry) => [entry.source, entry]))
  const sources = new Set([...markdownBelow('docs'), ...entries.keys()])
  const pages = [...sources].sort().map((source) => {
    const folderIndex = posix.join(posix.dirname(source), 'README.md')
    const entry = entries.get(source)
    const kind = source === INDEX ? '' : (entry ?? entries.get(folderIndex))?.kind
    if (kind === undefined) throw new Error(`${INDEX} does not list ${source}`)
    return readPage(source, kind, entry?.title)
  })
  const kinds = [...new Set(listed.map(({ kind }) => kind))].map((name) => ({
    name,
    pages: listed
      .filter(({ kind }) => kind === name)
      .map(({ title, source }) => ({ title, url: urlOf(outputOf(source)) })),
  }))
  return { release: releaseOf(), kinds, pages: inOrder(pages, kinds) }
}

/** Before and after a page: its neighbours in the index, or in its folder. */
function inOrder(pages: readonly Page[], kinds: readonly Kind[]): Page[] {
  const listed = kinds.flatMap((kind) => kind.pages)
  const isListed = new Set(listed.map(({ url }) => url))
  const folderOf = ({ url }: PageLink) => url.slice(0, url.lastIndexOf('/') + 1)
  return pages.map((page) => {
    const row = isListed.has(page.url)
      ? listed
      : pages.filter((one) => !isListed.has(one.url) && folderOf(one) === folderOf(page))
    const at = row.findIndex(({ url }) => url === page.url)
    const [previous, next] = [row[at - 1], row[at + 1]]
    return {
      ...page,
      ...(previous && { previous: { title: previous.title, url: previous.url } }),
      ...(next && { next: { title: next.title, url: next.url } }),
    }
  })
}

/** The version in package.json, and whether the changelog has anything after it. */
function releaseOf(): string {
  const manifest = readFileSync(join(ROOT, 'package.json'), 'utf8')
  const { version } = JSON.parse(manifest) as { version: string }
  const changes = readFileSync(join(ROOT, 'CHANGELOG.md'), 'utf8')
  const [, unreleased = ''] = /^## Unreleased\n([\s\S]*?)(?=^## )/m.exec(changes) ?? []
  return unreleased.trim() === '' ? version : `${version} and changes since`
}

function listedPages(): { kind: string; title: string; source: string }[] {
  let kind = ''
  return readFileSync(join(ROOT, INDEX), 'utf8')
    .split('\n')
    .flatMap((line) => {
      kind = /^## (.+)$/.exec(line)?.[1] ?? kind
      const [, title, target] = /^- \[([^\]]+)\]\(([^)]+)\)/.exec(line) ?? []
      if (title === undefined || target === undefined) return []
      return [{ kind, title, source: posix.join(posix.dirname(INDEX), target) }]
    })
}

const markdownBelow = (folder: string): string[] =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => posix.join(folder, ...name.split(/[\\/]/)))

function readPage(source: string, kind: string, listedAs: string | undefined): Page {
  const text = readFileSync(join(ROOT, source), 'utf8')
  const [, heading] = /^# (.+)$/m.exec(text) ?? []
  const title = listedAs ?? heading
  if (title === undefined) throw new Error(`${source} has no heading`)
  const output = outputOf(source)
  return {
    source,
    output,
    url: urlOf(output),
    title,
    hasHeading: heading !== undefined,
    kind,
    text,
  }
}

/** A page of docs keeps its name, and a README is the index of its folder. */
function outputOf(source: string): string {
  const named = NAMES[source] ?? source.replace(/^docs\//, '').replace(/\.md$/, '')
  return `guide/${named.replace(/(^|\/)README$/, '$1index').toLowerCase()}.html`
}

const urlOf = (output: string): string => `/${output.replace(/(^|\/)index\.html$/, '$1')}`
