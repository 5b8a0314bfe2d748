import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer as createPlainServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import pino from 'pino'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { LmdbStore } from '../../src/adapters/embedded/lmdb/lmdb-store.ts'
import { openCircleStore } from '../../src/adapters/embedded/stores/circle-store.ts'
import { readConfig } from '../../src/cli/terminal/environment.ts'
import { createServer, DEFAULT_HTTP_SETTINGS } from '../../src/http/app.ts'
import { circleRoutes } from '../../src/http/circles/routes.ts'
import {
  diffFiles,
  fetchedSnapshot,
  keptSnapshot,
  type Pieces,
  SnapshotRefusedError,
  verifyFile,
} from '../../src/operator/circle-snapshots.ts'
import type { CircleViews } from '../../src/ports/folds/circle-views.ts'
import { temporaryDirectory } from '../support/embedded.ts'
import { CircleChain } from '../support/folds/circle-chain.ts'
import { follow, hashOf, openIndex, oracleBytes } from '../support/folds/circle-runs.ts'
import { TEST_CURSORS } from '../support/http/test-cursors.ts'

const directory = temporaryDirectory()
const config = (folder: string) => readConfig({ DATA_DIR: join(directory.path, folder) })
const chain = new CircleChain(17)
const path = join(directory.path, 'a.json')
let bytes: string

beforeAll(async () => {
  for (let left = 6; left > 0; left--) chain.mine()
  bytes = oracleBytes(chain)
  const lmdb = await LmdbStore.open(join(directory.path, 'service', 'store'))
  await follow(await openIndex(openCircleStore(lmdb), chain), chain, () => 4)
  await lmdb.close()
  writeFileSync(path, bytes)
})
afterAll(() => directory.drop())

const read = async (pieces: Pieces): Promise<string> => {
  const all: Uint8Array[] = []
  for await (const piece of pieces) all.push(piece)
  return Buffer.concat(all).toString()
}

test('the snapshot of a stopped service is read from its folder', async () => {
  expect(await keptSnapshot(config('service'), read)).toBe(bytes)
})

test('a folder without circles is refused with that reason', async () => {
  await expect(keptSnapshot(config('nowhere'), read)).rejects.toThrow('there are no circles in')
  mkdirSync(join(directory.path, 'empty'))
  await (await LmdbStore.open(join(directory.path, 'empty', 'store'))).close()
  await expect(keptSnapshot(config('empty'), read)).rejects.toThrow('there are no circles in')
})

test('the snapshot of a running service is accepted when it hashes to its ETag', async () => {
  const state = { revision: 1, stateHash: hashOf(bytes), height: 1, blockHash: hashOf('') }
  const serve = async (stateHash: string) => {
    const app = createServer({ logger: pino({ level: 'silent' }), settings: DEFAULT_HTTP_SETTINGS })
    const served = { ...state, stateHash }
    const views: Partial<CircleViews> = {
      state: () => served,
      snapshot: () => ({
        state: served,
        pieces: [Buffer.from(bytes)],
        length: bytes.length,
      }),
    }
    circleRoutes(app, { circles: views as CircleViews, cursors: TEST_CURSORS })
    return { app, origin: await app.listen({ host: '127.0.0.1', port: 0 }) }
  }
  const good = await serve(hashOf(bytes))
  expect(Buffer.from(await fetchedSnapshot(good.origin)).toString()).toBe(bytes)
  await good.app.close()
  await expect(fetchedSnapshot(good.origin)).rejects.toThrow(SnapshotRefusedError)
  await expect(fetchedSnapshot('nonsense')).rejects.toThrow('nonsense is not a URL')
  const bad = await serve(hashOf('other'))
  await expect(fetchedSnapshot(bad.origin)).rejects.toThrow(`with hash ${hashOf(bytes)}`)
  await bad.app.close()
  const cut = createPlainServer((_request, response) => {
    response.writeHead(200, { 'content-length': '10' }).write('12345')
    setTimeout(() => response.destroy(), 20)
  })
  await new Promise<void>((resolve) => cut.listen(0, '127.0.0.1', resolve))
  const { port } = cut.address() as AddressInfo
  await expect(fetchedSnapshot(`http://127.0.0.1:${port}`)).rejects.toThrow(SnapshotRefusedError)
  cut.close()
})

test('files are verified and compared', async () => {
  expect(await verifyFile(path)).toMatchObject({ ok: true, stateHash: hashOf(bytes) })
  const other = join(directory.path, 'b.json')
  writeFileSync(other, bytes.replace(/"revision":\d+/, '"revision":0'))
  expect(await verifyFile(other)).toMatchObject({ ok: false, fault: { pointer: '/revision' } })
  expect([...(await diffFiles(path, path))]).toEqual([])
  expect([...(await diffFiles(path, other))]).toMatchObject([{ pointer: '/revision', b: '0' }])
  writeFileSync(other, '{}')
  await expect(diffFiles(path, other)).rejects.toThrow(`${other}: /protocol: must be circles`)
  await expect(verifyFile(join(directory.path, 'c.json'))).rejects.toThrow('cannot be read')
})
