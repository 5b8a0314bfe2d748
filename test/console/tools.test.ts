import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { filesBelow, ROOT } from '../support/tree.ts'

/** Cards that need no token. */
const OPEN: ReadonlySet<string> = new Set([
  ...['Listing', 'This process', 'Pairing', 'For operators'],
  ...['What a token shows here', 'How to get a token'],
])
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8')

test('without a token, the page of operators names each card that a token adds', () => {
  const titles = filesBelow('console/src/operations')
    .flatMap((path) => [...read(path).matchAll(/<h2[^>]*>([A-Z][^<{]*)<\/h2>/g)])
    .flatMap(([, title = '']) => (OPEN.has(title) ? [] : [title]))
  const source = read('console/src/operations/operator-tools.tsx')
  const named = [...source.matchAll(/^ {2}\['([^']+)',/gm)].map(([, title]) => title)
  // A gateway among several has its own name for the service.
  expect(new Set(named)).toEqual(new Set([...titles, 'This service']))
})

test('the way to a token is a section of the guide', () => {
  const [, page, heading = ''] =
    /"\/guide\/([a-z]+)\.html#([a-z-]+)"/.exec(read('console/src/operations/operator-tools.tsx')) ??
    []
  expect(read(`docs/${page}.md`)).toContain(`\n## ${heading.replaceAll('-', ' ')}\n`)
})
