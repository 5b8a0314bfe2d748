import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { filesBelow, ROOT } from '../support/tree.ts'

test('no full stop and no comma follows an identifier, whose sign has its place there', () => {
  const after = /<(?:Identifier|ExploredId)\b[^>]*\/>\s*(?:\{' '\}\s*)?[.,;]/
  const sources = filesBelow('console/src').filter((path) => path.endsWith('.tsx'))
  expect(sources.length).toBeGreaterThan(100)
  const gaps = sources.filter((path) => after.test(readFileSync(join(ROOT, path), 'utf8')))
  expect(gaps).toEqual([])
})
