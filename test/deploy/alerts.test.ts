import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { rules } from '../support/alerts/rules.ts'

// Every fault of docs/reliability.md has its alert, every alert its fault, and each is seen to fire in a test.

const names = rules.map(({ alert }) => alert)

/** The rows of tables with a column `alert`: the fault, and what that column has. */
function faultRows(): [fault: string, alerts: string][] {
  const tables = readFileSync('docs/reliability.md', 'utf8').split(/\n\n/)
  const ofFaults = tables.filter((text) => /^\| fault \|.*\| alert \|$/m.test(text))
  expect(ofFaults).toHaveLength(2)
  return ofFaults.flatMap((table) =>
    table
      .trim()
      .split('\n')
      .slice(2)
      .map((row): [string, string] => {
        const cells = row.split('|').map((cell) => cell.trim())
        return [cells[1] ?? '', cells.at(-2) ?? '']
      }),
  )
}

test('every row of the tables of faults names alerts that exist', () => {
  const rows = faultRows()
  expect(rows.length).toBeGreaterThan(30)
  for (const [fault, cell] of rows) {
    const named = [...cell.matchAll(/`(\w+)`/g)].map(([, name]) => name)
    expect(named.length, fault).toBeGreaterThan(0)
    for (const name of named) expect(names, fault).toContain(name)
  }
})

test('every alert is named in the tables, and has its own name', () => {
  const cells = faultRows().map(([, cell]) => cell)
  expect(names.filter((name) => !cells.some((cell) => cell.includes(`\`${name}\``)))).toEqual([])
  expect(new Set(names).size).toBe(names.length)
})

test('every alert is seen to fire, on running roles or over written series', () => {
  const seen = ['test/faults/alerts.test.ts', 'test/support/alerts/written-series.ts']
    .map((file) => readFileSync(file, 'utf8'))
    .join('\n')
  expect(names.filter((name) => !new RegExp(`['\\s]${name}\\b`).test(seen))).toEqual([])
})
