import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Found, ranked } from '../../guide/browser/rank.ts'
import { renderSite } from '../../guide/build.ts'
import { readGuide } from '../../guide/source/pages.ts'
import { temporaryDirectory } from '../support/embedded.ts'

// The site of the guide, built from the pages as they are.

const folder = temporaryDirectory()
const { kinds, pages } = readGuide()
const texts = new Map<string, string>()
/** The pages of the API, and that for an address without a page. */
const reference = new Map<string, string>()
const all = () => [...texts, ...reference]
beforeAll(async () => {
  await renderSite(folder.path)
  for (const { url, output } of pages)
    texts.set(url, readFileSync(join(folder.path, output), 'utf8'))
  for (const name of readdirSync(join(folder.path, 'docs'), { recursive: true, encoding: 'utf8' }))
    if (name.endsWith('.html'))
      reference.set(
        `/docs/${name.replace(/index\.html$/, '')}`,
        readFileSync(join(folder.path, 'docs', name), 'utf8'),
      )
})
afterAll(() => folder.drop())

const attributes = (text: string, name: string): string[] =>
  [...text.matchAll(new RegExp(` ${name}="([^"]*)"`, 'g'))].map(([, value = '']) => value)

/** Pages of the service that are not part of the guide. */
const SERVED = ['/', '/openapi.json']
/** Of pages of the reference: a process makes it of its own routes. */
const SERVED_ROUTES = '/docs/served.css'

describe('the index of the guide', () => {
  test('lists pages of four kinds, in order, each once', () => {
    expect(kinds.map(({ name }) => name)).toEqual([
      'Tutorial',
      'How to',
      'Reference',
      'Explanation',
    ])
    const urls = kinds.flatMap((kind) => kind.pages.map(({ url }) => url))
    expect(new Set(urls).size).toBe(urls.length)
  })

  test('gives every page of docs a kind, those of a folder by its index', () => {
    const kindOf = (source: string) => pages.find((page) => page.source === source)?.kind
    expect(kindOf('docs/tutorial.md')).toBe('Tutorial')
    expect(kindOf('docs/adr/0001-inbox-carries-every-output.md')).toBe('Explanation')
    expect(kindOf('docs/spec/gateway.md')).toBe('Reference')
  })
})

describe('every page of the site', () => {
  test('has one heading, a title of its own, and the list of pages with its own marked', () => {
    const titles = new Set<string>()
    for (const { url, kind } of pages) {
      const text = texts.get(url) ?? ''
      expect(text.match(/<h1[ >]/g), url).toHaveLength(1)
      titles.add(/<title>(.+)<\/title>/.exec(text)?.[1] ?? '')
      const isListed = kinds.some((one) => one.pages.some((page) => page.url === url))
      expect(text.includes('aria-current="page"'), url).toBe(isListed)
      if (kind !== '') expect(text).toContain(`<p class="kind">${kind}</p>`)
      expect(text).toMatch(/Release \d+\.\d+\.\d+/)
    }
    expect(titles.size).toBe(pages.length)
  })

  test('has nothing inline that the policy of its answer forbids, and nothing from elsewhere', () => {
    for (const [url, text] of all()) {
      expect(text, url).not.toMatch(
        /<[^>]* style=|<style|<script(?! src="\/docs\/)|<[^>]* on[a-z]+=/,
      )
      const loaded = [...attributes(text, 'src'), ...(text.match(/<link [^>]*href="[^"]*/g) ?? [])]
      expect(
        loaded.filter((one) => !/(?:^|")\/(?:guide|docs)\/assets\//.test(one)),
        url,
      ).toEqual(reference.has(url) ? [`<link rel="stylesheet" href="${SERVED_ROUTES}`] : [])
    }
  })

  test('links to existing pages, anchors and files', () => {
    const ids = new Map(all().map(([url, text]) => [url, new Set(attributes(text, 'id'))]))
    const faults: string[] = []
    for (const [from, text] of all()) {
      for (const target of [...attributes(text, 'href'), ...attributes(text, 'src')]) {
        const [path = '', place] = target.split('#')
        if (/^https?:/.test(target) || SERVED.includes(path)) continue
        if (path === SERVED_ROUTES && reference.has(from)) continue
        const isAsset = /^\/(?:guide|docs)\/assets\//.test(path)
        const found = isAsset
          ? existsSync(join(folder.path, path))
          : (ids.get(path || from)?.has(place ?? 'main') ?? false)
        if (!found) faults.push(`${from} → ${target}`)
      }
    }
    expect(faults).toEqual([])
  })
})

test('the links of the console to the guide lead to pages and anchors of it', () => {
  const links = readdirSync('console/src', { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.tsx'))
    .flatMap((name) => attributes(readFileSync(join('console/src', name), 'utf8'), 'href'))
    .filter((target) => target.startsWith('/guide/'))
  expect(links.length).toBeGreaterThan(3)
  const dead = links.filter((target) => {
    const [path = '', place = 'main'] = target.split('#')
    return !attributes(texts.get(path) ?? '', 'id').includes(place)
  })
  expect(dead).toEqual([])
})

test('room is kept for an image while it loads', () => {
  expect(texts.get('/guide/overview.html')).toMatch(
    /<img src="\/guide\/assets\/book-[\w-]+\.png" alt="[^"]+" width="1280" height="690">/,
  )
})

test('a link to a file of the repository is its text, with the path', () => {
  expect(texts.get('/guide/architecture.html')).toContain('<span class="file" title="src/schemas">')
})

test('HTML and braces in a page are text', () => {
  expect(texts.get('/guide/history.html')).toContain('import:&lt;source&gt;')
  expect(texts.get('/guide/history.html')).toContain("{at:DateTime64(3, 'UTC')}")
})

test('each listed page leads to those before and after it, and so does each decision', () => {
  const listed = kinds.flatMap((kind) => kind.pages)
  const decisions = pages.filter(({ source }) => /^docs\/adr\/\d/.test(source))
  for (const row of [listed, decisions]) {
    for (const [at, { url }] of row.entries()) {
      const text = texts.get(url)
      expect(/rel="prev" href="([^"]+)"/.exec(text ?? '')?.[1], url).toBe(row[at - 1]?.url)
      expect(/rel="next" href="([^"]+)"/.exec(text ?? '')?.[1], url).toBe(row[at + 1]?.url)
    }
  }
})

test('a cell of a table breaks lines between words', () => {
  const name = readdirSync(join(folder.path, 'docs/assets')).find((one) => one.endsWith('.css'))
  const style = readFileSync(join(folder.path, 'docs/assets', String(name)), 'utf8')
  expect(style).toMatch(/article :is\(p,li,dd,dt,td,th,h1,h2,h3\)\{overflow-wrap:break-word\}/)
})

describe('the search', () => {
  const places = (): Found[] => {
    const [, file = ''] = /data-index="([^"]+)"/.exec(texts.get('/guide/') ?? '') ?? []
    return JSON.parse(readFileSync(join(folder.path, file), 'utf8'))
  }

  test('leads to anchors that exist, none twice', () => {
    const ids = new Map(all().map(([url, text]) => [url, new Set(attributes(text, 'id'))]))
    const urls = places().map(({ url }) => url)
    expect(new Set(urls).size).toBe(urls.length)
    const dead = urls.filter((url) => {
      const [path = '', place = 'main'] = url.split('#')
      return !ids.get(path)?.has(place)
    })
    expect(dead).toEqual([])
  })

  test.each([
    ['tutorial sale', '/guide/tutorial.html'],
    ['back up', '/guide/mainnet.html#'],
    ['dead letters', '/docs/operator/#retryDeadLetters'],
    ['dlq', '/guide/operations.html#'],
    ['quote a purchase', '/docs/purchase/#quoteOrder'],
    ['readBundle', '/docs/orders/#readBundle'],
    ['ORDER_NOT_LIVE', '/docs/'],
    ['OrderSummary', '/docs/orders/objects/#OrderSummary'],
  ])('%s leads to %s', (query, url) => {
    const found = ranked(query, places()).slice(0, 3)
    expect(found.map((one) => one.url).join(' ')).toContain(url)
  })
})
