import { setTimeout } from 'node:timers/promises'
import type { Transaction } from 'bitcoinjs-lib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { LmdbStore } from '../../src/adapters/embedded/lmdb/lmdb-store.ts'
import { openIngestStore } from '../../src/adapters/embedded/log/ingest-store.ts'
import { EmbeddedLog } from '../../src/adapters/embedded/log/log.ts'
import { outpointText, parseOutpoint } from '../../src/domain/chain/outpoint.ts'
import { partitionOf } from '../../src/domain/order/partition.ts'
import { InboxRecord, TOPICS, type Watermark } from '../../src/schemas/log.ts'
import type { OutpointText } from '../../src/schemas/scalars.ts'
import { ingest } from '../../src/streams/ingest/ingest.ts'
import type { ChainDriver, OpenChain } from '../support/chain/chain-driver.ts'
import { coinOf, openWallet, txOut, type Wallet } from '../support/chain/wallet.ts'
import { temporaryDirectory } from '../support/embedded.ts'
import { toTxid } from '../support/ids.ts'
import { systemClock } from '../support/system-clock.ts'

const PARTITIONS = 4
const OPTIONS = {
  watermarkMs: 100,
  quietMs: 100,
  indexPollMs: 50,
  indexBehindMs: 50,
  indexTimeoutMs: 2_000,
}
const PATIENCE_MS = 60_000

/**
 * What ingest reports of a real chain: the same stories for each kind of node, and at the end of
 * each the node is asked whether they are true.
 */
export function ingestContract(name: string, open: OpenChain): void {
  describe(`ingest/${name}`, () => {
    let chain: ChainDriver
    let wallet: Wallet
    let following: Following
    beforeAll(async () => {
      chain = await open()
      wallet = await openWallet(chain, 30)
      following = await Following.open(chain)
      await following.current()
    })
    afterAll(async () => {
      await following?.close()
      await chain?.close()
    })

    const outpointOf = (transaction: Transaction, vout = 0) =>
      outpointText(coinOf(transaction, vout).outpoint)
    const payment = async () => {
      const transaction = wallet.pay([txOut(wallet.scriptHex, 50_000n)])
      await chain.submit(transaction.toHex())
      return transaction
    }
    const spend = (of: Transaction, feeSats: bigint) =>
      wallet.sign({
        inputs: [coinOf(of, 0)],
        outputs: [txOut(wallet.scriptHex, 50_000n - feeSats)],
      })

    test('seen, replaced, confirmed', async () => {
      const parent = await payment()
      const [first, second] = [spend(parent, 1_000n), spend(parent, 9_000n)]
      await chain.submit(first.toHex())
      await following.current()
      await chain.submit(second.toHex())
      await following.current()
      await chain.mine(1)
      await following.current()
      expect(await following.story(outpointOf(parent))).toEqual([
        'output seen',
        `spend seen ${first.getId()}`,
        `spend dropped ${first.getId()}`,
        `spend seen ${second.getId()}`,
        'output confirmed',
        `spend confirmed ${second.getId()}`,
      ])
      expect(await following.story(outpointOf(first))).toEqual(['output seen', 'output gone'])
      await following.agreesWithNode([parent, first, second])
    })

    test('a stalled index is covered, an unavailable one is not', async () => {
      await chain.syncIndex()
      await following.next(({ indexStatus }) => indexStatus === 'ready')
      await chain.freezeIndex()
      await chain.mine(1)
      await following.next(({ indexStatus, covers }) => indexStatus === 'behind' && covers)
      await chain.thawIndex()
      await chain.syncIndex()
      await following.next(({ indexStatus, covers }) => indexStatus === 'ready' && covers)
      await chain.stopIndex()
      await following.next(({ indexStatus, covers }) => indexStatus === 'unreachable' && !covers)
      await chain.startIndex()
      await chain.syncIndex()
      await following.next(({ indexStatus, covers }) => indexStatus === 'ready' && covers)
    })

    // The last one breaks the index: ord keeps two savepoints.
    test.for([1, 2, 6, 18])(
      'a reorg of %i undoes a spend, and another transaction spends the same',
      async (depth) => {
        const parent = await payment()
        await chain.mine(1)
        const settled = spend(parent, 1_000n)
        await chain.submit(settled.toHex())
        const [hash = ''] = await chain.mine(1)
        await chain.mine(depth - 1)
        const { tip } = await following.current()
        const other = spend(parent, 9_000n)
        await chain.invalidate(hash)
        await chain.mineExactly([other.toHex()])
        for (let i = 0; i < depth; i++) await chain.mineExactly([])
        const reorged = await following.next(({ forkHeight }) => forkHeight !== undefined)
        expect(reorged.forkHeight).toBe(tip.height - depth)
        await following.current()
        const story = await following.story(outpointOf(parent))
        expect(story).toContain('output confirmed')
        expect(story).toContain(`spend unconfirmed ${settled.getId()}`)
        expect(story.filter((told) => told.startsWith('spend')).toSorted()).toEqual(
          [
            `spend confirmed ${settled.getId()}`,
            `spend unconfirmed ${settled.getId()}`,
            `spend dropped ${settled.getId()}`,
            `spend confirmed ${other.getId()}`,
          ]
            .concat(story.filter((told) => told === `spend seen ${settled.getId()}`))
            .toSorted(),
        )
        await following.agreesWithNode([parent, settled, other])
      },
    )

    test('spends while ingest is down and a restart of the node: nothing is missed', async () => {
      const [before, down, restarted] = [await payment(), await payment(), await payment()]
      const { epoch } = await following.current()
      await following.stop()
      await chain.submit(spend(down, 1_000n).toHex())
      await chain.mine(1)
      const late = spend(before, 1_000n)
      await chain.submit(late.toHex())
      following.start()
      const back = await following.next((mark) => mark.epoch > epoch)
      expect(back).not.toHaveProperty('lost')
      await chain.restartNode()
      const again = await following.next((mark) => mark.epoch > back.epoch)
      expect(again).not.toHaveProperty('lost')
      await chain.submit(spend(restarted, 1_000n).toHex())
      await following.current()
      await following.agreesWithNode([before, down, restarted, late])
    })
  })
}

/** Ingest on a chain, with an embedded log and store of its own. */
class Following {
  readonly #chain: ChainDriver
  readonly #store: LmdbStore
  readonly #log: EmbeddedLog
  readonly #drop: () => void
  #stop = new AbortController()
  #running: Promise<void> = Promise.resolve()
  /** Watermarks that the test has consumed. */
  #heard = 0

  static async open(chain: ChainDriver): Promise<Following> {
    const directory = temporaryDirectory()
    const store = await LmdbStore.open(directory.path)
    const log = await EmbeddedLog.open({ store, partitions: PARTITIONS, clock: systemClock })
    const following = new Following(chain, store, log, directory.drop)
    following.start()
    return following
  }

  private constructor(chain: ChainDriver, store: LmdbStore, log: EmbeddedLog, drop: () => void) {
    this.#chain = chain
    this.#store = store
    this.#log = log
    this.#drop = drop
  }

  start(): void {
    this.#stop = new AbortController()
    const { node, index } = this.#chain
    const parts = { node, index, clock: systemClock, log: this.#log, options: OPTIONS }
    const store = openIngestStore(this.#store, this.#log)
    this.#running = ingest({ ...parts, store }, this.#stop.signal)
  }

  async stop(): Promise<void> {
    this.#stop.abort()
    await this.#running
  }

  async close(): Promise<void> {
    await this.stop()
    await this.#store.close()
    this.#drop()
  }

  /** The first watermark that satisfies this, after the last one returned. */
  async next(isMeant: (mark: Watermark) => boolean | Promise<boolean>): Promise<Watermark> {
    for (const deadline = performance.now() + PATIENCE_MS; performance.now() < deadline; ) {
      const marks = (await this.#inbox(0)).filter((record) => record.kind === 'watermark')
      for (const mark of marks.slice(this.#heard)) {
        this.#heard += 1
        if (await isMeant(mark)) return mark
      }
      await setTimeout(20)
    }
    throw new Error('no such watermark came')
  }

  /** The watermark of the node's present state. */
  async current(): Promise<Watermark> {
    const [{ tip }, { sequence }] = await Promise.all([
      this.#chain.node.chain(),
      this.#chain.node.mempool(),
    ])
    return this.next((mark) => mark.tip.hash === tip.hash && mark.mempoolSequence === sequence)
  }

  /** What the inbox has about an output, in order, spends with their transaction. */
  async story(outpoint: OutpointText): Promise<string[]> {
    const records = await this.#inbox(partitionOf(outpoint, PARTITIONS))
    return records.flatMap((record) => {
      if (!('change' in record) || record.outpoint !== outpoint) return []
      const by = record.kind === 'spend' ? ` ${record.spend.txid}` : ''
      return [`${record.kind} ${record.change}${by}`]
    })
  }

  /** The final state of each of these outputs must be the node's. */
  async agreesWithNode(transactions: readonly Transaction[]): Promise<void> {
    for (const transaction of transactions) {
      for (let vout = 0; vout < transaction.outs.length; vout++) {
        const outpoint = outpointText({ txid: toTxid(transaction.getId()), vout })
        const answer = await this.#chain.node.output(parseOutpoint(outpoint))
        const told = endOf(await this.story(outpoint))
        expect([outpoint, told]).toEqual([outpoint, answer.status])
        if (answer.status !== 'absent') {
          const made = (await this.story(outpoint)).findLast((line) => line.startsWith('output'))
          expect(made === 'output confirmed').toBe(answer.confirmations > 0)
        }
      }
    }
  }

  async #inbox(partition: number): Promise<InboxRecord[]> {
    const all: InboxRecord[] = []
    const end = await this.#log.end(TOPICS.inbox, partition)
    if (end === 0) return all
    const reading = AbortSignal.timeout(10_000)
    for await (const batch of this.#log.read(TOPICS.inbox, partition, 0, reading)) {
      all.push(...batch.map(({ value }) => InboxRecord.parse(value)))
      if ((batch.at(-1)?.offset ?? 0) >= end - 1) break
    }
    return all
  }
}

/** What `gettxout` must say at the end of a story. */
function endOf(story: readonly string[]): string {
  const made = story.findLast((line) => line.startsWith('output'))
  if (made === undefined || made === 'output gone') return 'absent'
  const spends = new Map<string, string>()
  for (const line of story) {
    const [kind = '', change = '', by = ''] = line.split(' ')
    if (kind === 'spend') spends.set(by, change)
  }
  const changes = new Set(spends.values())
  if (changes.has('confirmed')) return 'absent'
  const isSpent = changes.has('seen') || changes.has('unconfirmed')
  if (!isSpent) return 'unspent'
  return made === 'output confirmed' ? 'spent-in-mempool' : 'absent'
}
