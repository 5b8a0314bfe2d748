import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { filesBelow, ROOT } from '../support/tree.ts'

const ENCODED = /new URL\([^()]*import\.meta\.url\)\.pathname/

test('no path of a file is that of a URL, where a space is %20', () => {
  const files = ['bench', 'console', 'demo', 'guide', 'scripts', 'src', 'test'].flatMap((folder) =>
    filesBelow(folder),
  )
  const sources = files.filter((path) => path.endsWith('.ts'))
  expect(sources.length).toBeGreaterThan(500)
  const encoded = sources.filter((path) => ENCODED.test(readFileSync(join(ROOT, path), 'utf8')))
  expect(encoded).toEqual([])
})
