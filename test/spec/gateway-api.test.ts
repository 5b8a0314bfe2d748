import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { specCoverage } from '../../scripts/docs/spec-coverage.ts'
import { titlesOf } from '../../scripts/docs/test-titles.ts'
import { GATEWAY_API } from './gateway-api.ts'
import { idsOfSpec } from './read-spec.ts'

const SPEC = '../shared/spec/gateway-api.md'

describe('the list of rows', () => {
  // A clone has only the list; where the specification is beside it, nothing of it is missing.
  test.runIf(existsSync(SPEC))('is every row and rule of the specification, in its order', () => {
    expect(Object.keys(GATEWAY_API)).toEqual(idsOfSpec(readFileSync(SPEC, 'utf8')))
  })

  test('has a line for each', () => {
    for (const [id, line] of Object.entries(GATEWAY_API)) expect(line, id).not.toBe('')
  })
})

test('a specification is read by its rows, rules, sentences and bullets', () => {
  const markdown = [
    '## 2. Resources',
    '### 2.2 Records',
    'Point (a note)',
    '',
    '| Field | Type |',
    '|---|---|',
    '| x | integer |',
    '| y (optional) | integer |',
    '',
    'Line: from (Point), to (Point).',
    'A sentence, which is no record.',
    '## 3. States',
    '| From | To |',
    '|---|---|',
    '| A | B |',
    '',
    '1. A rule.',
    '### 4.2 Route rules',
    '- Nostr envelope: unsigned.',
    '## 7. Errors',
    '| Field | Type |',
    '|---|---|',
    '| code (optional) | string |',
    '',
    '| Status | When |',
    '|---|---|',
    '| 404 | nothing there |',
  ]
  expect(idsOfSpec(markdown.join('\n'))).toEqual([
    '2.2 Point.x',
    '2.2 Point.y',
    '2.2 Line',
    '3 row 1',
    '3 rule 1',
    '4.2 Nostr envelope',
    '7 ErrorResponse.code',
    '7 404',
  ])
})

test('titles are read with their blocks, and a table of literals is one title a row', () => {
  const text = `
    describe('outer', () => {
      test('plain ' + 'no', () => {})
      test('one', () => { test.each([1])('inside', () => {}) })
      test.each([['a', check], ['b', check]])('row %s of %s', () => {})
      test.each([{ field: 'f' }] as const)('$field', () => {})
      test.each(computed)('as it is: %s', () => {})
      describe.each(['x', 'y'])('in %s', () => { test('two', () => {}) })
    })
    test.skip('never', () => {})`
  expect(titlesOf('a.test.ts', text).map(({ path }) => path.join(' > '))).toEqual([
    'outer > one',
    'outer > row a of %s',
    'outer > row b of %s',
    'outer > f',
    'outer > as it is: %s',
    'outer > in x > two',
    'outer > in y > two',
  ])
})

describe('the titles of the tests', () => {
  const { rows, unknown } = specCoverage()

  test('name every row and rule', () => {
    const empty = [...rows].filter(([, tests]) => tests.length === 0).map(([id]) => id)
    expect(empty).toEqual([])
  })

  test('name none that there is not', () => {
    expect(unknown).toEqual([])
  })
})
