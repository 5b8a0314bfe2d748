import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { mergedTable } from '../support/abuse/abuse-table.ts'
import { ATTACKS } from '../support/abuse/attacks.ts'
import { ROOT } from '../support/tree.ts'

const NAMES = ATTACKS.map(({ name }) => name)

const namesIn = (table: string): string[] =>
  table
    .trim()
    .split('\n')
    .slice(2)
    .map((row) => row.split(' | ')[0]?.slice('| '.length) ?? '')

test('the table of the page has a row for each attack, and no other', () => {
  const page = readFileSync(join(ROOT, 'docs/abuse.md'), 'utf8')
  const [, table = ''] = /<!-- attacks -->\n([\s\S]*)<!-- end of attacks -->/.exec(page) ?? []
  expect(namesIn(table)).toEqual(['nobody', ...NAMES])
})

test('a run of some attacks replaces their rows alone', () => {
  const tableOf = (rows: readonly string[], run: string) =>
    ['| attack | run |', '| --- | --- |', ...rows.map((row) => `| ${row} | ${run} |`)].join('\n')
  const before = tableOf(['nobody', 'first', 'third', 'gone'], '1')
  const names = ['first', 'second', 'third']
  expect(mergedTable(before, tableOf(['nobody', 'third', 'second'], '2'), names)).toBe(
    [...tableOf(['nobody', 'first'], '1').split('\n'), ...['| second | 2 |', '| third | 2 |']].join(
      '\n',
    ),
  )
  const whole = tableOf(['nobody', ...names], '3')
  expect(mergedTable(before, whole, names)).toBe(whole)
})
