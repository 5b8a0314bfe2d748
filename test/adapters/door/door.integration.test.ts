import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { Door } from '../../../src/adapters/door/door.ts'
import { readDoorFile, writeDoorFile } from '../../../src/adapters/door/door-file.ts'
import { doorHistory, doorLog } from '../../../src/adapters/door/door-parts.ts'
import { BUILD_INFO } from '../../../src/roles/observe/build-info.ts'
import { TOPICS } from '../../../src/schemas/log.ts'
import { temporaryDirectory } from '../../support/embedded.ts'
import { type Market, ORDERS_ONLY, openMarket } from '../../support/market/market.ts'

let market: Market
let door: Door
const release = BUILD_INFO.version
const found = () => Door.find(market.dataDir, release)

beforeAll(async () => {
  market = await openMarket(ORDERS_ONLY)
  const open = await found()
  if (!open) throw new Error('there is no door')
  door = open
}, 60_000)
afterAll(async () => {
  await door?.close()
  await market?.end()
})

test('the key is for the user of the service alone, and nothing is answered without it', async () => {
  const path = join(market.dataDir, 'operator.door')
  expect(statSync(path).mode & 0o777).toBe(0o600)
  const { address = '', key = '' } = readDoorFile(market.dataDir) ?? {}
  expect(new URL(address).hostname).toBe('127.0.0.1')
  const ask = (given: string) =>
    fetch(`${address}/service`, {
      method: 'POST',
      headers: { authorization: given, 'content-type': 'application/json' },
      body: '[]',
    })
  expect((await ask('')).status).toBe(401)
  expect((await ask(`Bearer ${key.slice(0, -1)}`)).status).toBe(401)
  expect((await ask(`Bearer ${key}x`)).status).toBe(401)
  expect((await ask(`Bearer ${key}`)).status).toBe(200)
  expect((await fetch(`${market.address}/service`)).status).toBe(404)
})

test('another release is named, and not talked to', async () => {
  await expect(Door.find(market.dataDir, '0.0.1')).rejects.toThrow(/this command 0\.0\.1/)
})

test('a follower gets what is there and then what comes, and ends with its signal', async () => {
  const ended = new AbortController()
  const values: unknown[] = []
  const reading = (async () => {
    for await (const batch of doorLog(door).read(TOPICS.keys, 0, 0, ended.signal))
      values.push(...batch.map(({ value }) => value))
  })()
  await doorLog(door).append([{ topic: TOPICS.keys, partition: 0, key: 'a', value: { n: 1 } }])
  await vi.waitFor(() => expect(values).toEqual([{ n: 1 }]), { timeout: 15_000 })
  ended.abort()
  await reading
})

test('a follower is answered at once, however long nothing is written', async () => {
  const { address = '', key = '' } = readDoorFile(market.dataDir) ?? {}
  const ended = new AbortController()
  const answer = await fetch(`${address}/read`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify([TOPICS.dead, 0, 0]),
    signal: ended.signal,
  })
  expect(answer.status).toBe(200)
  ended.abort()
})

test.each([
  ['answers nothing', () => {}, /gave no answer within 0.3 s.*remove .*operator\.door/],
  ['is another program', (_: unknown, response: ServerResponse) => response.end('ok'), null],
])('what %s behind a file that was left over holds no command up', async (_, answer, refusal) => {
  const { path, drop } = temporaryDirectory()
  const other = createServer(answer as never)
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
  const { port } = other.address() as AddressInfo
  writeDoorFile(path, { release, address: `http://127.0.0.1:${port}`, key: 'k'.repeat(43) })
  try {
    const finding = Door.find(path, release, { findMs: 300 })
    if (refusal) await expect(finding).rejects.toThrow(refusal)
    else expect(await finding).toBeNull()
  } finally {
    other.closeAllConnections()
    other.close()
    drop()
  }
})

test('an error is that of the part', async () => {
  const statistics = doorHistory(door).statistics()
  const question = { name: 'sales', filters: { seller: 'x'.repeat(9) }, range: null } as never
  await expect(statistics.rows(question, { limit: 20_000 })).rejects.toThrow()
  await expect(door.ask('bundle', '0'.repeat(64))).rejects.toThrow(/order/i)
})

test('with the service the answers end, and the file; one that was left over leads nowhere', async () => {
  const path = join(market.dataDir, 'operator.door')
  const left = readFileSync(path, 'utf8')
  const { signal } = new AbortController()
  const reading = (async () => {
    for await (const _ of doorLog(door).read(TOPICS.lifecycle, 0, 0, signal));
  })().catch((error: unknown) => error)
  await doorLog(door).end(TOPICS.lifecycle, 0)
  await market.stop()
  expect(await reading).toMatchObject({ message: expect.stringContaining('the service stopped') })
  expect(readDoorFile(market.dataDir)).toBeNull()
  writeFileSync(path, left)
  expect(await found()).toBeNull()
})
