import type { Transaction } from 'bitcoinjs-lib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { FullNode, NodeChange } from '../../src/ports/authorities/full-node.ts'
import type { ChainDriver, OpenChain } from '../support/chain/chain-driver.ts'
import { coinOf, openWallet, txOut, type Wallet } from '../support/chain/wallet.ts'
import { waitUntil } from '../support/services/programs.ts'

/**
 * What a node that pushes reports, in order: recorded from the `sequence` messages of Bitcoin Core
 * 31.99 (zmq-frames.json; test/adapters/bitcoind checks its decoder against the same order). For
 * implementations that push; those that poll promise only what fullNodeContract asks.
 */
export function pushContract(name: string, open: OpenChain): void {
  describe(`FullNode pushes/${name}`, () => {
    let driver: ChainDriver
    let wallet: Wallet
    let news: News
    beforeAll(async () => {
      driver = await open()
      wallet = await openWallet(driver, 10)
      news = listen(driver.node)
    })
    afterAll(async () => {
      await news?.stop()
      await driver?.close()
    })

    const payment = () => wallet.pay([txOut(wallet.scriptHex, 50_000n)])
    const spend = (of: Transaction, feeSats: bigint) =>
      wallet.sign({
        inputs: [coinOf(of, 0)],
        outputs: [txOut(wallet.scriptHex, 50_000n - feeSats)],
      })
    const submit = (transaction: Transaction) => driver.submit(transaction.toHex())
    const sequence = async () => (await driver.node.mempool()).sequence

    test('acceptance, replacement, a block with both, the block disconnected', async () => {
      const parent = payment()
      const first = spend(parent, 1_000n)
      const second = spend(parent, 9_000n)
      const at = await sequence()
      for (const transaction of [parent, first, second]) await submit(transaction)
      expect(await news.take(4)).toEqual([
        added(parent, at),
        added(first, at + 1),
        { kind: 'removed', txid: first.getId(), mempoolSequence: at + 2 },
        added(second, at + 3),
      ])
      expect(await sequence()).toBe(at + 4)

      const [hash = ''] = await driver.mine(1)
      expect(await news.take(1)).toEqual([{ kind: 'connected', hash }])
      expect(await sequence()).toBe(at + 6)

      await driver.invalidate(hash)
      expect(await news.take(3)).toEqual([
        { kind: 'disconnected', hash },
        added(parent, at + 6),
        added(second, at + 7),
      ])
      const branch = [await driver.mineExactly([]), await driver.mineExactly([])]
      expect(await news.take(2)).toEqual(branch.map((hash) => ({ kind: 'connected', hash })))
      await driver.mine(1)
      await news.take(1)
    })

    test('a block that spends the same: the loser is removed, then the block connected', async () => {
      const parent = payment()
      await submit(parent)
      await driver.mine(1)
      await news.take(2)
      const loser = spend(parent, 1_000n)
      await submit(loser)
      await news.take(1)
      const at = await sequence()
      const hash = await driver.mineExactly([spend(parent, 2_000n).toHex()])
      expect(await news.take(2)).toEqual([
        { kind: 'removed', txid: loser.getId(), mempoolSequence: at },
        { kind: 'connected', hash },
      ])
    })

    test('a restart is a gap', async () => {
      await driver.restartNode()
      await waitUntil('a gap is reported', () => news.gaps > 0)
    })
  })
}

const added = (transaction: Transaction, mempoolSequence: number) => ({
  kind: 'added',
  txid: transaction.getId(),
  mempoolSequence,
  hex: transaction.toHex(),
})

interface News {
  /** Waits for as many changes as asked, apart from polls and gaps, and for no more than those. */
  take(count: number): Promise<readonly NodeChange[]>
  readonly gaps: number
  stop(): Promise<void>
}

function listen(node: FullNode): News {
  const abort = new AbortController()
  const heard: NodeChange[] = []
  let gaps = 0
  const listening = (async () => {
    for await (const change of node.changes(abort.signal)) {
      if (change.kind === 'gap') gaps++
      else if (change.kind !== 'poll') heard.push(change)
    }
  })()
  return {
    take: async (count) => {
      await waitUntil(`${count} changes are reported`, () => heard.length >= count, 5_000)
      await new Promise((resolve) => setTimeout(resolve, 20))
      return heard.splice(0)
    },
    get gaps() {
      return gaps
    },
    stop: () => {
      abort.abort()
      return listening
    },
  }
}
