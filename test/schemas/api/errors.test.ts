import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ERROR_STATUS } from '../../../src/schemas/api/errors.ts'

test('docs/errors.md lists every code with its status, and no other', () => {
  const text = readFileSync(join(import.meta.dirname, '../../../docs/errors.md'), 'utf8')
  const rows = [...text.matchAll(/^\| ([A-Z_]+) \| (\d{3}) \| \S/gm)]
  const documented = Object.fromEntries(rows.map(([, code, status]) => [code, Number(status)]))
  expect(rows).toHaveLength(Object.keys(ERROR_STATUS).length)
  expect(documented).toEqual(ERROR_STATUS)
})
