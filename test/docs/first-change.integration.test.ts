import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { blocksOf } from '../support/docs/blocks.ts'
import { installIn } from '../support/docs/run-page.ts'
import { temporaryDirectory } from '../support/embedded.ts'
import { ROOT } from '../support/tree.ts'

// The patches of docs/first-change.md, applied in order to a copy of the tree, with the checks between them.

const PAGE = 'docs/first-change.md'
/** What the checks of the page read. */
const COPIED = [
  'console',
  'src',
  'test',
  '.gitignore',
  'biome.json',
  'package.json',
  'tsconfig.json',
  'vitest.config.ts',
]

const patches = [
  ...readFileSync(join(ROOT, PAGE), 'utf8').matchAll(/^```diff\n([\s\S]*?)^```/gm),
].map(([, patch = '']) => patch)
const checks = blocksOf(PAGE)
  .map(({ text }) => text.trim())
  .filter((text) => text.includes('npx vitest run'))

const copy = temporaryDirectory()
beforeAll(() => {
  for (const name of COPIED) cpSync(join(ROOT, name), join(copy.path, name), { recursive: true })
  installIn(copy.path)
})
afterAll(() => copy.drop())

const apply = (patch: string | undefined): void => {
  execFileSync('git', ['apply', '-'], { cwd: copy.path, input: patch ?? '' })
}

/** Runs a command of the page as it is written. */
const holds = (command: string | undefined): boolean => {
  const { status, stdout, stderr } = spawnSync('sh', ['-c', command ?? 'false'], {
    cwd: copy.path,
    encoding: 'utf8',
    // As a shell has it: not what this run sets for its own workers.
    env: { PATH: process.env['PATH'], HOME: process.env['HOME'], NO_COLOR: '1' },
  })
  expect(`${stdout}${stderr}`).toMatch(/^ +Tests +\d/m)
  return status === 0
}

test('each check fails before its part of the change, and passes with it', () => {
  const [meaning, index] = checks
  const [tests, domain, inIndexes, api, ...more] = patches
  expect([checks.length, more.length]).toEqual([2, 0])
  apply(tests)
  expect(holds(meaning)).toBe(false)
  apply(domain)
  expect(holds(meaning)).toBe(true)
  expect(holds(index)).toBe(false)
  apply(inIndexes)
  expect(holds(index)).toBe(true)
  apply(api)
  // Four runs of a test runner.
}, 180_000)

test('the whole change is formatted', () => {
  const biome = join(ROOT, 'node_modules/.bin/biome')
  const changed = patches.flatMap((patch) => [...patch.matchAll(/^\+\+\+ b\/(.+)$/gm)])
  const files = changed.map(([, path = '']) => path)
  expect(files.length).toBeGreaterThan(5)
  execFileSync(biome, ['check', ...files], { cwd: copy.path, stdio: 'pipe' })
})
