import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { filesBelow } from '../support/tree.ts'

const PACKAGE = 'clients/typescript'
/** As for files of `src`; generated files may have any length. */
const MAX_LINES = 300

const manifestOf = (folder: string) =>
  JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
const manifest = manifestOf(PACKAGE)
const root = manifestOf('.')
const sources = filesBelow(join(PACKAGE, 'src'))
  .filter((path) => !path.includes('/generated/'))
  .map((path) => ({ path, text: readFileSync(path, 'utf8') }))
const importsOf = (text: string): string[] =>
  [...text.matchAll(/^(?:import|export)\b[^'"]*?from '([^']+)'/gm)].map(([, from = '']) => from)

test('the client is tested with its declared dependencies: npm ci of the root installs them', () => {
  expect(Object.keys(manifest.dependencies).length).toBeGreaterThan(0)
  expect({ ...root.dependencies, ...root.devDependencies }).toMatchObject(manifest.dependencies)
  expect(manifest.version).toBe(root.version)
  expect(readFileSync(join(PACKAGE, 'LICENSE'), 'utf8')).toBe(readFileSync('LICENSE', 'utf8'))
})

test('it imports its own files and its declared dependencies, and uses all of them', () => {
  const imported = new Set<string>()
  for (const { path, text } of sources) {
    for (const from of importsOf(text)) {
      if (!from.startsWith('.')) imported.add(from)
      else expect(join(dirname(path), from)).toMatch(/^clients\/typescript\/src\/.+\.ts$/)
    }
  }
  expect([...imported].sort()).toEqual(Object.keys(manifest.dependencies).sort())
})

test('it uses nothing from Node, and its files are small', () => {
  expect(sources.length).toBeGreaterThan(10)
  for (const { path, text } of sources) {
    const code = text.replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '')
    expect(code, path).not.toMatch(/\bnode:|\bBuffer\b|\bprocess\b|\brequire\b|\b__dirname\b/)
    expect(text.split('\n').length, path).toBeLessThan(MAX_LINES)
  }
})
