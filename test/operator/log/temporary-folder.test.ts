import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, test, vi } from 'vitest'
import { makeTemporaryFolder } from '../../../src/operator/log/temporary-folder.ts'
import { OperatorError } from '../../../src/ports/base-errors.ts'
import { temporaryDirectory } from '../../support/embedded.ts'

afterEach(() => vi.unstubAllEnvs())

test('a folder for temporary files is made in TMPDIR', () => {
  const { path, drop } = temporaryDirectory()
  vi.stubEnv('TMPDIR', path)
  const folder = makeTemporaryFolder('market-plan-')
  expect(folder.startsWith(join(path, 'market-plan-'))).toBe(true)
  expect(existsSync(folder)).toBe(true)
  drop()
})

test('a TMPDIR that takes none is named, with what to set', () => {
  const { path, drop } = temporaryDirectory()
  const file = join(path, 'file')
  writeFileSync(file, '')
  vi.stubEnv('TMPDIR', file)
  const make = () => makeTemporaryFolder('market-plan-')
  expect(make).toThrow(OperatorError)
  expect(make).toThrow(
    /^no temporary files can be written to .*file: ENOTDIR.*: set TMPDIR to a folder that can be written$/,
  )
  drop()
})
