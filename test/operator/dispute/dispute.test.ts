import { truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { readConfig } from '../../../src/cli/environment.ts'
import { LONGEST_BUNDLE } from '../../../src/domain/dispute/verify-bundle.ts'
import { makeDispute } from '../../../src/operator/dispute/make-dispute.ts'
import { findingLines, verifyBundleFile } from '../../../src/operator/dispute/verify-bundle-file.ts'
import { operatorProblem } from '../../../src/operator/operator-problem.ts'
import { temporaryDirectory } from '../../support/embedded.ts'

const { path, drop } = temporaryDirectory()
afterAll(() => drop())

const problemOf = async (work: Promise<unknown>) =>
  operatorProblem(await work.catch((error: unknown) => error))

test('a bundle’s file is read, and its findings are lines', async () => {
  const findings = await verifyBundleFile('test/vectors/dispute-settled.json')
  const lines = findingLines(findings)
  expect(lines).toHaveLength(findings.proved.length + findings.claimed.length + 1)
  expect(lines).toContain('proved   it pays exactly what the order asked')
  expect(lines.at(-1)).toBe(
    `sound: ${findings.proved.length} facts proved, ${findings.claimed.length} only claimed`,
  )
})

test('a file that is not a bundle is not sound, and says where', async () => {
  const file = join(path, 'other.json')
  writeFileSync(file, '{"format":"market-dispute/1","network":"mainnet"}')
  expect(findingLines(await verifyBundleFile(file))).toEqual([
    expect.stringMatching(/^failed {3}not a bundle of this format: orderId: /),
    'not sound: 1 facts do not hold',
  ])
})

test('a missing or far too large file is refused before it is read', async () => {
  expect(await problemOf(verifyBundleFile(join(path, 'none.json')))).toMatch(
    /^the bundle cannot be read: ENOENT/,
  )
  const large = join(path, 'large.json')
  writeFileSync(large, '')
  truncateSync(large, LONGEST_BUNDLE + 1)
  expect(await problemOf(verifyBundleFile(large))).toBe(
    `${large} has more than 16777216 bytes: it is not a bundle`,
  )
})

test('without a store there is no dispute, and none is created', async () => {
  const config = readConfig({ DATA_DIR: join(path, 'nowhere') })
  const { signal } = new AbortController()
  expect(await problemOf(makeDispute(config, '0'.repeat(64), signal))).toContain(
    'there is no store',
  )
})
