import { existsSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { testTitles } from '../../scripts/docs/test-titles.ts'
import { PAIRING_ROUTES } from './pairing-routes.ts'

const SPEC = '../shared/spec/pairing-routes.md'
const TAG = /\[pairing ([^\]]+)\]/g

// A clone has only the list; where the specification is beside it, nothing of it is missing.
test.runIf(existsSync(SPEC))('the list is of every row and rule of the specification', () => {
  expect(idsOf(readFileSync(SPEC, 'utf8')).toSorted()).toEqual(
    Object.keys(PAIRING_ROUTES)
      // Of sentences.
      .filter((id) => id !== '4 limit')
      .toSorted(),
  )
})

test('every row has a test that names it, and no test names another', () => {
  const tags = testTitles('test', '[pairing ').flatMap(({ path }) =>
    path.flatMap((part) => [...part.matchAll(TAG)].map(([, id = '']) => id)),
  )
  const named = [...new Set(tags)].filter((id) => id !== '<id>' && !id.includes('%'))
  expect(named.toSorted()).toEqual(Object.keys(PAIRING_ROUTES).toSorted())
})

/** Rows of tables by their first cells, numbered rules, and the body shapes of section 7. */
function idsOf(markdown: string): string[] {
  const ids: string[] = []
  let section = ''
  let head = ''
  let isShapes = false
  for (const line of markdown.split('\n')) {
    section = /^## (\d)/.exec(line)?.[1] ?? section
    if (line.endsWith('shapes:')) isShapes = true
    if (line === 'Rules:') isShapes = false
    const rule = /^(\d+)\. /.exec(line)?.[1]
    if (rule) ids.push(`${section} ${isShapes ? 'shape' : 'rule'} ${rule}`)
    const [, first = '', second = ''] = line.split('|').map((cell) => cell.trim())
    if (!line.startsWith('|')) head = ''
    else if (!head) head = line
    else if (!first.startsWith('---') && !head.includes('Retry')) {
      if (section === '2') ids.push(`2 Readiness.${first}`)
      else ids.push(section === '7' ? `7 ${first} ${second}` : `${section} ${first}`)
    }
  }
  return ids
}
