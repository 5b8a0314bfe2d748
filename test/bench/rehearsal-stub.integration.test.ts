import { Block } from 'bitcoinjs-lib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Stub } from '../../bench/rehearsal/stub.ts'
import { type Bitcoind, openBitcoind } from '../../src/adapters/bitcoind/bitcoind.ts'
import { openRest } from '../../src/adapters/bitcoind/rest.ts'
import { type Ord, openOrd } from '../../src/adapters/ord/ord.ts'
import type { NodeChange } from '../../src/ports/authorities/full-node.ts'
import { toBlockHash, toTxid } from '../support/ids.ts'
import { systemClock } from '../support/system-clock.ts'

// The stub of the rehearsal, queried by the adapters for the real ones.

const HEIGHT = 300
const TRANSACTIONS = 40
const WAITING = 120

let stub: Stub
let node: Bitcoind
let index: Ord
beforeAll(async () => {
  stub = await Stub.start({
    height: HEIGHT,
    fullBlocks: 2,
    transactions: TRANSACTIONS,
    mempool: WAITING,
    perSecond: 20,
    blockEveryMs: 1_000,
    hasRest: true,
  })
  const { rpcUrl, zmqUrl, indexUrl } = await stub.state()
  node = openBitcoind({
    url: rpcUrl,
    credentials: { user: 'user', password: 'password' },
    network: 'mainnet',
    zmqUrls: [zmqUrl],
    clock: systemClock,
  })
  index = openOrd({ url: indexUrl })
})
afterAll(async () => {
  await Promise.all([node.close(), index.close()])
  await stub.end()
})

test('its chain is one of mainnet, each block names the previous one and matches its hash', async () => {
  const { tip, network, initialBlockDownload } = await node.chain()
  expect({ network, initialBlockDownload }).toEqual({
    network: 'mainnet',
    initialBlockDownload: false,
  })
  expect(tip.height).toBeGreaterThanOrEqual(HEIGHT)
  for (const height of [1, HEIGHT - 2, HEIGHT - 1, HEIGHT]) {
    const hash = await node.blockHash(height)
    const block = await node.block(hash ?? toBlockHash(''))
    expect(block).toMatchObject({ hash, prevHash: await node.blockHash(height - 1) })
    expect(block?.transactions).toHaveLength(height > HEIGHT - 2 ? 1 + TRANSACTIONS : 1)
    const raw = Block.fromBuffer(Buffer.from((await node.rawBlock(hash ?? toBlockHash(''))) ?? []))
    expect(raw.getId()).toBe(hash)
    const root = Block.calculateMerkleRoot(raw.transactions ?? [])
    expect(Buffer.from(root).toString('hex')).toBe(
      Buffer.from(raw.merkleRoot ?? []).toString('hex'),
    )
  }
  expect(await node.blockHash(tip.height + 1_000)).toBeNull()
  expect(await node.header(toBlockHash('f'.repeat(64)))).toBeNull()
})

test('it gives blocks by REST as by RPC, and says where it has none', async () => {
  const { rpcUrl: url } = await stub.state()
  const rest = openRest({ url, clock: systemClock, timeoutMs: 10_000, onRequest: () => {} })
  const hash = (await node.blockHash(HEIGHT)) ?? toBlockHash('')
  const answer = await fetch(url, {
    method: 'POST',
    body: JSON.stringify({ id: 0, method: 'getblock', params: [hash, 0] }),
  })
  const { result } = (await answer.json()) as { result: string }
  expect(await rest.block(toBlockHash('f'.repeat(64)))).toBeNull()
  expect(Buffer.from((await rest.block(hash)) ?? []).toString('hex')).toBe(result)
  await rest.close()
})

test('its mempool has bodies, and arrivals are pushed: transactions with their number, then blocks', async () => {
  const { txids } = await node.mempool()
  expect(txids.length).toBeGreaterThan(0)
  const [first = ''] = txids
  const bodies = await node.mempoolTransactions([toTxid(first)])
  expect(bodies.size).toBeLessThanOrEqual(1)

  const stop = new AbortController()
  const told: NodeChange[] = []
  for await (const change of node.changes(stop.signal)) {
    told.push(change)
    const numbers = told.flatMap((one) => (one.kind === 'added' ? [one.mempoolSequence] : []))
    if (numbers.length >= 3 && told.some(({ kind }) => kind === 'connected')) stop.abort()
    expect(numbers).toEqual(numbers.map((_, at) => (numbers[0] ?? 0) + at))
  }
  expect(told.find((change) => change.kind === 'added')).toMatchObject({
    hex: expect.stringMatching(/^02000000/),
  })
})

test('its index is at the tip of its chain', async () => {
  const { tip } = await index.status()
  expect(await node.blockHash(tip?.height ?? -1)).toBe(tip?.hash)
})
