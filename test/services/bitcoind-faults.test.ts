import { afterEach, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { openBitcoind } from '../../src/adapters/bitcoind/bitcoind.ts'
import { GENESIS_HASH } from '../../src/domain/chain/genesis.ts'
import {
  BlockUnavailableError,
  NodeUnavailableError,
} from '../../src/ports/authorities/authority-errors.ts'
import type { FullNode } from '../../src/ports/authorities/full-node.ts'
import { BlockHash } from '../../src/schemas/scalars.ts'
import { toBlockHash, toTxid } from '../support/ids.ts'
import { type Core, prepareCore, SERVICE_LOGIN } from '../support/services/core.ts'
import { waitUntil } from '../support/services/programs.ts'
import { systemClock } from '../support/system-clock.ts'

type Client = FullNode & { close(): Promise<void> }

const Hashes = z.array(BlockHash)
const closing: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

async function prepare(options?: Parameters<typeof prepareCore>[0]): Promise<Core> {
  const core = await prepareCore(options)
  closing.push(core.close)
  return core
}

/** By the cookie by default; with little patience, so that a silent node shows. */
function client(
  core: Core,
  options: { login?: boolean; network?: 'regtest' | 'mainnet' } = {},
): Client {
  const node = openBitcoind({
    url: core.url,
    credentials: options.login ? SERVICE_LOGIN : { cookieFile: core.cookieFile },
    network: options.network ?? 'regtest',
    clock: systemClock,
    timeoutMs: 2_000,
  })
  closing.push(node.close)
  return node
}

const mine = async (core: Core, count: number): Promise<readonly BlockHash[]> =>
  Hashes.parse(await core.rpc('generatetodescriptor', count, 'raw(51)'))

async function reasonOf(asked: Promise<unknown>): Promise<string> {
  const outcome: unknown = await asked.then(
    () => 'answered',
    (error: unknown) => error,
  )
  if (outcome instanceof NodeUnavailableError) return outcome.reason
  if (outcome === 'answered') return outcome
  throw outcome
}

describe('a node that becomes unavailable', () => {
  test('stopped, then back with a new cookie: unavailable, then as before', async () => {
    const core = await prepare()
    await core.start()
    await mine(core, 1)
    const node = client(core)
    const { tip } = await node.chain()
    await core.stop()
    expect(await reasonOf(node.chain())).toBe('node_unavailable')
    expect(await reasonOf(node.blockHash(1))).toBe('node_unavailable')
    await core.start()
    expect((await node.chain()).tip.hash).toBe(tip.hash)
  })

  test('killed and started: the cookie that it left behind is replaced', async () => {
    const core = await prepare()
    await core.start()
    const node = client(core)
    await node.chain()
    core.kill('SIGKILL')
    await core.stop()
    expect(await reasonOf(node.chain())).toBe('node_unavailable')
    await core.start()
    expect((await node.chain()).network).toBe('regtest')
  })

  test('while it starts it warms up: an output that is there is never missing', async () => {
    const core = await prepare()
    await core.start()
    const [hash = ''] = await mine(core, 1)
    const node = client(core, { login: true })
    const txid = (await node.block(toBlockHash(hash)))?.transactions[0]?.txid ?? toTxid('')
    await core.stop()

    const finishWarmUp = await core.startWarmingUp()
    expect(await reasonOf(node.output({ txid, vout: 0 }))).toBe('node_warming_up')
    const up = finishWarmUp()
    const seen = new Set<string>()
    await waitUntil('the output is found', async () => {
      const asked = node.output({ txid, vout: 0 })
      seen.add(
        await asked.then(
          ({ status }) => status,
          () => reasonOf(asked),
        ),
      )
      return seen.has('unspent')
    })
    await up
    expect(seen).not.toContain('absent')
  })

  test('suspended: a timeout is neither an answer nor an absence', async () => {
    const core = await prepare()
    await core.start()
    const [hash = ''] = await mine(core, 1)
    const node = client(core)
    const txid = (await node.block(toBlockHash(hash)))?.transactions[0]?.txid ?? toTxid('')
    core.kill('SIGSTOP')
    expect(await reasonOf(node.output({ txid, vout: 0 }))).toBe('node_unavailable')
    core.kill('SIGCONT')
    expect(await node.output({ txid, vout: 0 })).toMatchObject({ status: 'unspent' })
    expect(await node.output({ txid, vout: 1 })).toMatchObject({ status: 'absent' })
  })
})

describe('a node of another chain', () => {
  test('from the start: both hashes are named', async () => {
    const core = await prepare()
    await core.start()
    const node = client(core, { network: 'mainnet' })
    const asked = node.chain()
    expect(await reasonOf(asked)).toBe('node_wrong_network')
    await expect(asked).rejects.toThrow(GENESIS_HASH.regtest)
    await expect(asked).rejects.toThrow(GENESIS_HASH.mainnet)
  })

  test('after a restart at the same address: none of its answers count', async () => {
    const core = await prepare()
    await core.start()
    await mine(core, 1)
    const node = client(core, { login: true })
    const outpoint = { txid: toTxid('f'.repeat(64)), vout: 0 }
    expect(await node.output(outpoint)).toEqual({ status: 'absent' })
    await core.stop()

    const signet = await prepare({ chain: 'signet', port: core.port })
    await signet.start()
    expect(await reasonOf(node.output(outpoint))).toBe('node_wrong_network')
    expect(await reasonOf(node.mempool())).toBe('node_wrong_network')
    await signet.stop()
    await core.start()
    expect(await node.output(outpoint)).toEqual({ status: 'absent' })
  })
})

describe('a node with few resources', () => {
  test('its work queue full for a moment: retried; for long: unavailable', async () => {
    const core = await prepare({ args: ['-rpcthreads=1', '-rpcworkqueue=1'] })
    await core.start()
    await mine(core, 1)
    const node = client(core)
    const { tip } = await node.chain()
    const burst = (length: number) =>
      Promise.all(Array.from({ length }, () => reasonOf(node.header(tip.hash))))

    const shortly = core.rpc('waitfornewblock', 600)
    await new Promise((resolve) => setTimeout(resolve, 100))
    // One waits in the queue. The two that are refused fit into the node as soon as it is free, so
    // that neither can be refused again by the other, as some of many would be.
    expect(await burst(3)).toEqual(['answered', 'answered', 'answered'])
    await shortly

    const long = core.rpc('waitfornewblock', 6_000)
    await new Promise((resolve) => setTimeout(resolve, 100))
    expect(new Set(await burst(20))).toEqual(new Set(['node_unavailable']))
    await long
    await waitUntil('it answers again', async () => (await reasonOf(node.chain())) === 'answered')
  })

  test('pruned: a block is not available, its header is; the rest continues', async () => {
    const core = await prepare({ args: ['-prune=1', '-fastprune'] })
    await core.start()
    await mine(core, 1_000)
    await core.rpc('pruneblockchain', 500)
    const node = client(core)
    const first = (await node.blockHash(1)) ?? toBlockHash('')
    await expect(node.block(first)).rejects.toThrow(BlockUnavailableError)
    await expect(node.transaction(toTxid('f'.repeat(64)), first)).rejects.toThrow(
      BlockUnavailableError,
    )
    expect(await node.header(first)).toMatchObject({ height: 1, onBestChain: true })
    const { prunedBelow } = await node.chain()
    expect(prunedBelow).toBeGreaterThan(1)
    const kept = (await node.blockHash(prunedBelow)) ?? toBlockHash('')
    expect((await node.block(kept))?.height).toBe(prunedBelow)
  })

  test('without indexes: a mined transaction needs its block, its spender stays unknown', async () => {
    const core = await prepare({ args: [] })
    await core.start()
    const [hash = ''] = await mine(core, 1)
    const node = client(core)
    const txid = (await node.block(toBlockHash(hash)))?.transactions[0]?.txid ?? toTxid('')
    expect(await node.transaction(txid)).toBeNull()
    expect(await node.transaction(txid, toBlockHash(hash))).toMatchObject({ txid, blockHash: hash })
    expect(await node.confirmedSpender({ txid, vout: 0 })).toBeNull()
    expect(await node.mempoolSpenders([{ txid, vout: 0 }])).toEqual([null])
  })
})
