import { once } from 'node:events'
import { mkdirSync, truncateSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { writeDoorFile } from '../../../src/adapters/door/door-file.ts'
import { readConfig } from '../../../src/cli/terminal/environment.ts'
import { LONGEST_BUNDLE } from '../../../src/domain/dispute/verify-bundle.ts'
import { makeDispute } from '../../../src/operator/dispute/make-dispute.ts'
import { findingLines, verifyBundleFile } from '../../../src/operator/dispute/verify-bundle-file.ts'
import { operatorProblem } from '../../../src/operator/operator-problem.ts'
import { BUILD_INFO } from '../../../src/roles/observe/build-info.ts'
import { temporaryDirectory } from '../../support/embedded.ts'

const { path, drop } = temporaryDirectory()
afterAll(() => drop())

const problemOf = async (work: Promise<unknown>) =>
  operatorProblem(await work.catch((error: unknown) => error))

test('a bundle’s file is read, and its findings are lines', async () => {
  const findings = await verifyBundleFile('test/vectors/dispute-settled-operator.json')
  const lines = findingLines(findings)
  expect(lines).toHaveLength(findings.proved.length + findings.claimed.length + 1)
  expect(lines).toContain('proved   it pays exactly what the order asked')
  expect(lines.at(-1)).toBe(
    `consistent, but signed by no known key: ${findings.proved.length} facts proved, ${findings.claimed.length} only claimed`,
  )
})

test('a signal ends the wait for a service that hangs', async () => {
  const folder = temporaryDirectory()
  const stop = new AbortController()
  const service = createServer((request, response) => {
    if (request.url === '/bundle') return void stop.abort()
    response.end(JSON.stringify({ id: 'x', partitions: 1, api: 'http://127.0.0.1:1' }))
  })
  service.listen(0, '127.0.0.1')
  await once(service, 'listening')
  const address = `http://127.0.0.1:${(service.address() as AddressInfo).port}`
  writeDoorFile(folder.path, { release: BUILD_INFO.version, address, key: 'k'.repeat(43) })
  mkdirSync(join(folder.path, 'store'))
  const config = readConfig({ DATA_DIR: folder.path })
  expect(await problemOf(makeDispute(config, '0'.repeat(64), stop.signal))).toBe(
    'interrupted: there is no bundle',
  )
  service.close()
  service.closeAllConnections()
  folder.drop()
})

test('a key in another form is refused before the file is read', async () => {
  expect(await problemOf(verifyBundleFile('nowhere', 'npub1'))).toMatch(/^a key is 64 hex digits/)
})

test('a file that is not a bundle is not sound, and says where', async () => {
  const file = join(path, 'other.json')
  writeFileSync(file, '{"format":"market-dispute/1","network":"mainnet"}')
  expect(findingLines(await verifyBundleFile(file))).toEqual([
    expect.stringMatching(/^failed {3}not a bundle of this format: orderId: /),
    'not sound: 1 facts do not hold',
  ])
})

test('a file of a log is not JSON', async () => {
  const file = join(path, 'market.log')
  writeFileSync(file, '{"level":30}\n{"level":30}\n')
  expect(findingLines(await verifyBundleFile(file))[0]).toBe(
    'failed   not a bundle of this format: the text is not JSON',
  )
})

test.each<[string, Buffer, RegExp]>([
  ['UTF-16LE without a mark', Buffer.from('{"a":1}', 'utf16le'), /looks like UTF-16LE; .* UTF-8/],
  ['UTF-16BE with a mark', Buffer.of(0xfe, 0xff, 0, 0x7b), /byte order mark, of UTF-16BE;/],
  ['UTF-32LE with a mark', Buffer.of(0xff, 0xfe, 0, 0, 0x7b), /byte order mark, of UTF-32LE;/],
  ['UTF-16BE without a mark', Buffer.of(0, 0x7b, 0, 0x7d), /looks like UTF-16BE;/],
  ['Latin-1', Buffer.from('{"a":"\u00e9"}', 'latin1'), /is not UTF-8;/],
])('a file in %s is not sound, and its encoding is named', async (_, bytes, expected) => {
  const file = join(path, 'encoded.json')
  writeFileSync(file, bytes)
  const lines = findingLines(await verifyBundleFile(file))
  expect(lines).toEqual([expect.stringMatching(expected), 'not sound: 1 facts do not hold'])
})

test('a missing or far too large file is refused before it is read', async () => {
  expect(await problemOf(verifyBundleFile(join(path, 'none.json')))).toMatch(
    /^the bundle cannot be read: there is no file /,
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
