import { readdirSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'

export const ROOT = join(import.meta.dirname, '..')
/** Lists the kinds, and the pages of each. */
const INDEX = 'docs/README.md'
const BASE = '/guide/'
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
  hasHeading: boolean
  kind: string
  text: string
}

export interface Kind {
  name: string
  pages: { title: string; url: string }[]
}

export interface Guide {
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
  return { kinds, pages }
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
  return `${named.replace(/(^|\/)README$/, '$1index').toLowerCase()}.html`
}

const urlOf = (output: string): string => BASE + output.replace(/(^|\/)index\.html$/, '$1')
