import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { PAGES } from '../support/console/pages.ts'
import type { Things } from '../support/console/things.ts'
import { filesBelow, ROOT } from '../support/tree.ts'

const source = filesBelow('console/src')
  .filter((path) => path.endsWith('.tsx'))
  .map((path) => readFileSync(join(ROOT, path), 'utf8'))
  .join('\n')
/** Of those, only the addresses are looked at here. */
const THINGS = {
  live: { order: { id: 'live' }, offered: { outpoint: { txid: 'txid', vout: 0 } } },
  bid: { id: 'bid' },
  sold: { id: 'sold' },
  object: { objectKey: 'object' },
  pairing: 'txid',
} as Things

test('every route of the console is among the pages that are looked at', () => {
  const routes = [...source.matchAll(/<Route\s+path="([^"]+)"/g)].map(([, route]) => route)
  expect(routes.length).toBeGreaterThan(10)
  const known = PAGES.flatMap(({ route }) => route ?? [])
  expect([...new Set(known)].sort()).toEqual([...routes].sort())
})

test('so is every section that a page leads to', () => {
  const sections = [...source.matchAll(/href: '(\/console\/[^']+)', label/g)].map(
    ([, href]) => href,
  )
  expect(sections.length).toBeGreaterThan(3)
  const paths = PAGES.map(({ path }) => path(THINGS).split('?')[0])
  expect(paths).toEqual(expect.arrayContaining(sections))
})
