import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { renderSite } from '../../guide/build.ts'
import {
  type Operation,
  operationsOf,
  readDescription,
  successOf,
} from '../../guide/reference/description.ts'
import { referenceLink, tagSlug } from '../../src/schemas/api/reference-link.ts'
import { temporaryDirectory } from '../support/embedded.ts'

// The pages of the API, built from its description as it is.

const MAX_BYTES = 100_000

const folder = temporaryDirectory()
const description = readDescription()
const operations = operationsOf(description)
beforeAll(() => renderSite(folder.path))
afterAll(() => folder.drop())

const textOf = (url: string): string =>
  readFileSync(join(folder.path, url.replace(/\/$/, '/index.html')), 'utf8')
const pageOf = ({ tag }: Operation): string => textOf(`/docs/${tagSlug(tag)}/`)
/** A reader's text. */
const read = (html: string): string =>
  html
    .replaceAll(/<[^>]+>/g, '')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')
const sectionOf = (operation: Operation): string => {
  const id = operation.operationId
  const [, section = ''] = pageOf(operation).split(`<section aria-labelledby="${id}">`)
  return section.split('</section>')[0] ?? ''
}

test('no page has more than 100 kB', () => {
  const names = readdirSync(join(folder.path, 'docs'), { recursive: true, encoding: 'utf8' })
  const sizes = names
    .filter((name) => name.endsWith('.html'))
    .map((name) => [name, statSync(join(folder.path, 'docs', name)).size] as const)
  expect(sizes.length).toBeGreaterThan(20)
  expect(sizes.filter(([, bytes]) => bytes > MAX_BYTES)).toEqual([])
})

describe.each(operations)('$operationId', (operation) => {
  const { operationId, tag, summary, method, path, parameters, responses } = operation

  test('is where links of the service lead, and where the index does', () => {
    const link = referenceLink(tag, operationId)
    expect(link).toMatch(/^\/docs\/[a-z-]+\/#\w+$/)
    expect(textOf('/docs/')).toContain(`<a href="${link}">`)
    expect(pageOf(operation)).toContain(`<h2 id="${operationId}">`)
  })

  test('has its method, path, parameters with their bounds, and headers', () => {
    const section = read(sectionOf(operation))
    expect(section).toContain(summary)
    expect(section).toContain(`${method.toUpperCase()} ${path}`)
    for (const { name, in: place, required, description: said, example } of parameters) {
      expect(section, name).toContain(name)
      if (place === 'header') continue
      expect(section).toMatch(new RegExp(`${name} .*· ${place}${required ? ' · required' : ''}`))
      if (said !== undefined) expect(section).toContain(said.replaceAll('`', ''))
      if (example !== undefined) expect(section).toContain(`such as ${example}`)
    }
  })

  test('has every answer: the success with its example, each other status with its codes', () => {
    const section = read(sectionOf(operation))
    const page = read(pageOf(operation))
    const { status, content } = successOf(operation)
    expect(section).toContain(`Answer ${status}`)
    const [first] = Object.keys(Object(content?.example))
    if (first !== undefined) expect(section).toMatch(/Example(?:, shortened)?/)
    for (const [code, { description: said }] of Object.entries(responses)) {
      if (code === status) continue
      expect(page).toMatch(new RegExp(`^${code}$`, 'm'))
      for (const line of said.split('\n'))
        expect(page, line).toContain(
          (/^- `([A-Z_]+)`:/.exec(line)?.[1] ?? line).replace(/^- |`/g, '').split('`')[0],
        )
    }
  })

  test('has a sample in three languages', () => {
    const section = sectionOf(operation)
    for (const language of ['curl', 'TypeScript', 'Python'])
      expect(section).toContain(`<summary>${language}</summary>`)
  })
})

test('each group has the note that a process shows which does not serve it', () => {
  const index = textOf('/docs/')
  expect(index).toContain('<link rel="stylesheet" href="/docs/served.css">')
  for (const { name } of description.tags) {
    const note = `<p class="not-served of-${tagSlug(name)}">Not served by the process`
    for (const page of [index, textOf(`/docs/${tagSlug(name)}/`)])
      expect(page.split(note), name).toHaveLength(2)
  }
})

test('every object has a place, with all its properties', () => {
  const texts = new Map(description.tags.map(({ name }) => [name, objectsOf(name)]))
  for (const [name, { properties = {} }] of Object.entries(description.components.schemas)) {
    const places = [...texts.values()].filter((text) => text.includes(`<h2 id="${name}">`))
    expect(places, name).toHaveLength(1)
    const [, text = ''] = places[0]?.split(`<h2 id="${name}">`) ?? []
    for (const property of Object.keys(properties))
      expect(text.split('<h2')[0], name).toContain(`<code>${property}</code>`)
  }
})

function objectsOf(tag: string): string {
  try {
    return textOf(`/docs/${tagSlug(tag)}/objects/`)
  } catch {
    return ''
  }
}

test('every code is explained once on each page that names it', () => {
  for (const { name } of description.tags) {
    const page = textOf(`/docs/${tagSlug(name)}/`)
    const named = new Set([...page.matchAll(/href="#([A-Z][A-Z_]+)"/g)].map(([, code]) => code))
    for (const code of named) expect(page.split(`<dt id="${code}">`), code).toHaveLength(2)
  }
})
