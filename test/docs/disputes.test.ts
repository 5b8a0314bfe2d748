import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { UNPROVED_CLAIMS } from '../../src/domain/dispute/unproved-claims.ts'
import { MAX_CHANGES } from '../../src/gateway/dispute/make-bundle.ts'
import { BUNDLE_FORMAT, WhyWithheld } from '../../src/schemas/dispute/bundle.ts'

const PAGE = readFileSync('docs/disputes.md', 'utf8')

test('the page lists every field that a bundle only claims, as the code does', () => {
  const rows = [...PAGE.matchAll(/^\| `((?:changes|order)\.[\w.*]+)` \| (.+) \|$/gm)]
  expect(rows.map(([, path, of]) => ({ path, of }))).toEqual(UNPROVED_CLAIMS)
})

test('the page has the format, the reasons to withhold, and the bound of changes', () => {
  expect(PAGE).toContain(`\`${BUNDLE_FORMAT}\``)
  expect(PAGE).toContain(WhyWithheld.options.map((why) => `\`${why}\``).join(', '))
  expect(PAGE).toContain(`The newest ${MAX_CHANGES} changes`)
})
