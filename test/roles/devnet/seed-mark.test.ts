import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { SeedMark } from '../../../src/roles/devnet/seed-mark.ts'
import { temporaryDirectory } from '../../support/embedded.ts'

let folder: ReturnType<typeof temporaryDirectory>
beforeEach(() => {
  folder = temporaryDirectory()
})
afterEach(() => folder.drop())
const opened = () => new SeedMark({ DATA_DIR: folder.path })
const makeStore = () => mkdirSync(join(folder.path, 'store'))

test('the seed of a new devnet is awaited until a start has begun it, and whole at its end', () => {
  expect(opened().state).toBe('awaited')
  makeStore()
  expect(opened().state).toBe('awaited')
  opened().begin()
  expect(opened().state).toBe('begun')
  opened().end()
  expect(opened().state).toBe('whole')
})

test('a devnet of a release without marks has all of it', () => {
  makeStore()
  expect(opened().state).toBe('whole')
})

test('a folder that cannot be made is left to the opening of the store', () => {
  writeFileSync(join(folder.path, 'file'), '')
  expect(new SeedMark({ DATA_DIR: join(folder.path, 'file', 'data') }).state).toBe('whole')
})
