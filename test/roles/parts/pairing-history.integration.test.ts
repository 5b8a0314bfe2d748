import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, test, vi } from 'vitest'
import { connectChdb } from '../../../src/adapters/embedded/stores/history.ts'
import { openPairingIndex } from '../../../src/pairing/pairing-index.ts'
import type { PairingBlock } from '../../../src/ports/folds/pairing-views.ts'
import { createContext } from '../../../src/roles/context/runtime-context.ts'
import { playOn } from '../../../src/roles/devnet/devnet-control.ts'
import { keepPairingHistory } from '../../../src/roles/parts/pairing-history.ts'
import { Config } from '../../../src/schemas/config/config.ts'
import { ClickHouseServer, WRITER } from '../../support/clickhouse/server.ts'
import { temporaryDirectory } from '../../support/embedded.ts'
import { memoryPairingStore } from '../../support/folds/memory-pairing-store.ts'
import { metricOf } from '../../support/http/metric.ts'
import { openMarket } from '../../support/market/market.ts'
import {
  create,
  elsewhere,
  hashBytes,
  LittleChain,
  p2wsh,
  transactionOf,
} from '../../support/pairing/pairing-blocks.ts'
import { SETTINGS } from '../../support/pairing/pairing-story.ts'

const PATIENCE = { timeout: 30_000, interval: 100 }
const { path, drop } = temporaryDirectory()
afterAll(drop)

const rowOf = ({ checkpoint, transactions }: PairingBlock) => ({
  height: Number(checkpoint.height),
  checkpoint_hash: checkpoint.checkpointHash,
  event_count: transactions.flatMap(({ events }) => events).length,
})
const BLOCKS =
  'SELECT height, checkpoint_hash, event_count FROM pairing_blocks WHERE is_canonical ORDER BY height'

test('ROLE=all has the rows of its pairing index in its history, with replaced ones marked', async () => {
  const market = await openMarket({}, { dataDir: path })
  const devnet = market.authorities.devnet!
  const { index } = market.pairing!
  const play = playOn(devnet, market.config.PAIRING_MAGIC)
  const { outpoints } = await play.createObject('oak')
  await play.releaseObject(outpoints[0]!)
  const height = () => metricOf(market.metricsAddress, 'market_pairing_history_height')
  const written = () =>
    vi.waitFor(async () => {
      const tip = index.tip()
      expect(tip?.hash).toBe((await devnet.node.chain()).tip.hash)
      expect(await height()).toBe(tip?.height)
    }, PATIENCE)
  await written()
  const before = index.tip()!
  devnet.reorg(2)
  await vi.waitFor(() => expect(index.hashAt(before.height)).not.toBe(before.hash), PATIENCE)
  devnet.mine(1)
  await written()
  const held = index.read((view) =>
    Array.from({ length: index.tip()!.height - index.startHeight + 1 }, (_, place) =>
      rowOf(view.block(index.startHeight + place)!),
    ),
  )
  expect(held.some(({ event_count }) => event_count > 0)).toBe(true)
  await market.stop()

  const engine = await connectChdb(join(path, 'history'))
  expect(await engine.select(BLOCKS, {})).toEqual(held)
  const stale = await engine.select(
    'SELECT block_hash FROM pairing_blocks WHERE NOT is_canonical',
    {},
  )
  expect(stale).toContainEqual({ block_hash: before.hash })
  await engine.close()
})

test('a separate pipeline writes where CLICKHOUSE_URL says, and nowhere without it', async () => {
  const server = await ClickHouseServer.start()
  const index = openPairingIndex({ store: memoryPairingStore(), settings: SETTINGS })
  const chain = new LittleChain()
  chain.mine(transactionOf([elsewhere(1)], [p2wsh(1), create(0, hashBytes(1), 'oak')]))
  chain.mine()
  await index.connect(chain.blocks)
  const variables = {
    ROLE: 'pairing',
    DEVNET: 'off',
    LOG_LEVEL: 'silent',
    PAIRING_DEPLOYMENT: 'test',
  }
  const of = { CLICKHOUSE_USER: WRITER.user, CLICKHOUSE_PASSWORD: WRITER.password }
  const start = async (more: object) => {
    const context = createContext(Config.parse({ ...variables, DATA_DIR: path, ...more }))
    await keepPairingHistory(context, index)
    return context.closer
  }
  const apart = join(path, 'apart')
  await (await start({ DATA_DIR: apart })).close()
  expect(existsSync(join(apart, 'history'))).toBe(false)

  const closer = await start({ CLICKHOUSE_URL: server.url, ...of })
  await vi.waitFor(async () => {
    const rows = await server.query('market', `${BLOCKS} FORMAT JSONEachRow`)
    expect(rows).toEqual([0, 1].map((height) => rowOf(index.read((view) => view.block(height)!))))
  }, PATIENCE)
  await closer.close()
  await server.stop()
})
