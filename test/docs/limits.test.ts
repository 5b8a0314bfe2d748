import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ROOT } from '../support/tree.ts'

const ROOM = 'src/http/limits'

/** The cells of the page's table of steps, without the addresses of links. */
function stepsOn(page: string): string[][] {
  const [, table = ''] = readFileSync(join(ROOT, page), 'utf8').split('| step | decides |')
  const [rows = ''] = table.split('\n\n')
  return rows
    .split('\n')
    .slice(2)
    .map((row) => row.replace(/\]\([^)]*\)/g, ']').replace(/[[\]]/g, ''))
    .map((row) => row.split('|').slice(1, -1))
    .map((cells) => cells.map((cell) => cell.trim()))
}

test('the page of limits shows the steps of the README of their folder', () => {
  const steps = stepsOn(`${ROOM}/README.md`)
  expect(steps.length).toBeGreaterThan(5)
  expect(stepsOn('docs/abuse.md')).toEqual(steps)
})

test('the README names every file of the folder, and no other', () => {
  const readme = readFileSync(join(ROOT, ROOM, 'README.md'), 'utf8')
  const named = [...readme.matchAll(/`([a-z-]+\.ts)`/g)].map(([, file = '']) => file)
  const files = readdirSync(join(ROOT, ROOM)).filter((file) => file.endsWith('.ts'))
  expect([...new Set(named)].sort()).toEqual(files.sort())
})
