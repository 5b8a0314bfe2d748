import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { filesBelow, ROOT } from '../support/tree.ts'

// The index of decisions: each page has its row, each row its page, and no number is missing without a word.

const INDEX = readFileSync(join(ROOT, 'docs/adr/README.md'), 'utf8')
const pages = filesBelow('docs/adr')
  .map((path) => path.replace('docs/adr/', ''))
  .filter((name) => name !== 'README.md')

const numberOf = (page: string): number => Number(page.slice(0, 4))

test('every decision has a row in the index, under its own title', () => {
  const rows = [...INDEX.matchAll(/^\| \[(\d+)\]\(([^)]+)\) \| (.+?) \| /gm)].map(
    ([, number, page, title]) => [Number(number), page, title],
  )
  const titled = pages.sort().map((page) => {
    const [heading = ''] = readFileSync(join(ROOT, 'docs/adr', page), 'utf8').split('\n')
    return [numberOf(page), page, heading.replace(/^# \d+\. /, '')]
  })
  expect(rows).toEqual(titled)
})

test('numbers are used once, and the index names those that never were', () => {
  const used = pages.map(numberOf)
  expect(new Set(used).size).toBe(used.length)
  const unused = Array.from({ length: Math.max(...used) }, (_, at) => at + 1).filter(
    (number) => !used.includes(number),
  )
  const [, named = ''] = /([\d, ]+ and \d+) were never used/.exec(INDEX) ?? []
  expect(named.match(/\d+/g)?.map(Number)).toEqual(unused)
})
