import { describe, expect, test } from 'vitest'
import { readTouched, touchedName } from '../../../src/domain/order/touched.ts'
import { TOPICS, type Watermark } from '../../../src/schemas/log.ts'
import { chunk } from '../../../src/streams/operators/chunk.ts'
import { assetsOf } from '../../support/chain/scripted-authorities.ts'
import { ScriptedChain } from '../../support/chain/scripted-chain.ts'
import { ScriptedIndex } from '../../support/chain/scripted-index.ts'
import { toOutpointText } from '../../support/ids.ts'
import type { IngestRun } from '../../support/log/ingest-run.ts'
import { withRun } from '../../support/log/open-run.ts'
import { evidenceOf, hash, indexSays } from '../../support/orders/evidence.ts'
import { changeBetween } from '../../support/orders/order-changes.ts'
import { liveOrder } from '../../support/orders/orders.ts'

/** A chain of some blocks with ingest at its tip. */
async function following(
  test: (chain: ScriptedChain, run: IngestRun) => Promise<void>,
  { pushing = true, blocks = 3 } = {},
): Promise<void> {
  const chain = new ScriptedChain({ pushing })
  for (let i = 0; i < blocks; i++) chain.mine([])
  await withRun({ chain }, async (run) => {
    await run.settle()
    await test(chain, run)
  })
}

const SOON = { interval: 1, timeout: 20_000 }

const coinOf = (chain: ScriptedChain): string => chain.unspent().at(-1)!

const feed = (run: IngestRun, topic: string) =>
  run.log.records.filter((record) => record.topic === topic).map(({ value }) => value)

describe.for([true, false])('with pushes: %s', (pushing) => {
  test('a spend is seen, then confirmed by the block that mines it', () =>
    following(
      async (chain, run) => {
        const coin = coinOf(chain)
        const spend = chain.spend([coin])
        chain.enter(spend)
        await run.settle()
        chain.mine([spend])
        await run.settle()
        expect(run.story(coin)).toEqual(['spend seen', 'spend confirmed'])
        expect(run.story(`${spend.txid}:0`)).toEqual(['output seen', 'output confirmed'])
      },
      { pushing },
    ))

  test('a replacement that does not spend the output frees it; both are recorded (faults 11, 12)', () =>
    following(
      async (chain, run) => {
        const [kept, released] = chain.unspent()
        const first = chain.spend([kept!, released!])
        chain.enter(first)
        await run.settle()
        chain.evict(first.txid)
        chain.enter(chain.spend([kept!]))
        await run.settle()
        expect(run.story(kept!)).toEqual(['spend seen', 'spend dropped', 'spend seen'])
        expect(run.story(released!)).toEqual(['spend seen', 'spend dropped'])
        expect(run.story(`${first.txid}:0`)).toEqual(['output seen', 'output gone'])
      },
      { pushing },
    ))

  test('a block with a conflicting transaction drops the other from the mempool, and its child', () =>
    following(
      async (chain, run) => {
        const coin = coinOf(chain)
        const first = chain.spend([coin])
        chain.enter(first)
        chain.enter(chain.spend([`${first.txid}:1`]))
        await run.settle()
        chain.mine([chain.spend([coin])])
        await run.settle()
        expect(run.story(coin).toSorted()).toEqual(
          ['spend confirmed', 'spend dropped', 'spend seen'].toSorted(),
        )
        expect(run.story(`${first.txid}:1`).slice(-2).toSorted()).toEqual([
          'output gone',
          'spend dropped',
        ])
      },
      { pushing },
    ))

  test('settled, reorged out, mined elsewhere: confirmed, unconfirmed, confirmed (fault 16)', () =>
    following(
      async (chain, run) => {
        const coin = coinOf(chain)
        const spend = chain.spend([coin])
        chain.mine([spend])
        await run.settle()
        chain.reorg(1)
        await run.settle()
        chain.mine([spend])
        await run.settle()
        expect(run.story(coin)).toEqual(['spend confirmed', 'spend unconfirmed', 'spend confirmed'])
      },
      { pushing },
    ))

  test('reorged out, then spent by another: recorded in that order (fault 17)', () =>
    following(
      async (chain, run) => {
        const coin = coinOf(chain)
        const spend = chain.spend([coin])
        chain.mine([spend])
        await run.settle()
        chain.reorg(1, 2, undefined, new Set([spend.txid]))
        chain.mine([chain.spend([coin])])
        await run.settle()
        expect(run.story(coin)).toEqual([
          'spend confirmed',
          'spend unconfirmed',
          'spend confirmed',
          'spend dropped',
        ])
      },
      { pushing },
    ))
})

test.for([1, 2, 6, 18, 100])(
  'a reorg of %i blocks carries its fork in the next watermark, and only there',
  (depth) =>
    following(
      async (chain, run) => {
        const forkHeight = chain.tip.height - depth
        chain.reorg(depth)
        expect(await run.settle()).toMatchObject({ forkHeight })
        expect(run.metrics).toContainEqual({ kind: 'reorg', depth })
        chain.mine([])
        expect(await run.settle()).not.toHaveProperty('forkHeight')
      },
      { blocks: depth + 1 },
    ),
)

test('A to B to A: the fold is that of A, the log keeps all three passages (fault 18)', () =>
  following(async (chain, run) => {
    const coin = coinOf(chain)
    chain.mine([chain.spend([coin])])
    const a = chain.tip.hash
    await run.settle()
    chain.reorg(1)
    await run.settle()
    chain.switchTo(a)
    await run.settle()
    expect(run.story(coin)).toEqual(['spend confirmed', 'spend unconfirmed', 'spend confirmed'])
  }))

test('a reorg, spends and evictions while ingest is down are recorded after its start (fault 20)', () =>
  following(async (chain, run) => {
    const [settled, dropped, fresh] = chain.unspent()
    const spend = chain.spend([settled!])
    const evicted = chain.spend([dropped!])
    chain.mine([spend])
    chain.enter(evicted)
    await run.settle()
    await run.stop()
    chain.reorg(1, 2, undefined, new Set([spend.txid]))
    chain.evict(evicted.txid)
    chain.enter(chain.spend([fresh!]))
    const { epoch } = run.watermarks.at(-1)!
    const watermark = await run.settle()
    expect(run.story(settled!)).toEqual(['spend confirmed', 'spend unconfirmed', 'spend dropped'])
    expect(run.story(dropped!)).toEqual(['spend seen', 'spend dropped'])
    expect(run.story(fresh!)).toEqual(['spend seen'])
    expect(watermark.epoch).toBeGreaterThan(epoch)
    expect(watermark).not.toHaveProperty('lost')
  }))

test.for(['connect', 'disconnect'] as const)(
  'a crash when a %s was appended and not yet stored as done, and the chain flips back meanwhile',
  (step) =>
    following(async (chain, run) => {
      const coin = coinOf(chain)
      chain.mine([chain.spend([coin])])
      const a = chain.tip.hash
      await run.settle()
      const [b] = chain.reorg(1)
      if (step === 'connect') {
        await run.settle()
        chain.switchTo(a)
      }
      // A step is three writes: pending, appended, done. The last one is not made.
      run.crashAfter(step === 'connect' ? 7 : 1, true)
      await run.settleOrDie()
      expect(run.running).toBe(false)
      chain.switchTo(step === 'connect' ? b!.hash : a)
      await run.settle()
      expect(chain.truth().get(coin)?.spender?.height ?? null).toBe(step === 'connect' ? null : 4)
    }),
)

test('an unavailable node: no watermark; back: what happened meanwhile, then a new epoch (fault 1)', () =>
  following(async (chain, run) => {
    const { epoch } = run.watermarks.at(-1)!
    chain.trouble = 'node_unavailable'
    expect(await run.beat()).toBe(0)
    const coin = coinOf(chain)
    chain.mine([chain.spend([coin])])
    chain.trouble = null
    const watermark = await run.settle()
    expect(run.story(coin)).toEqual(['spend confirmed'])
    expect(watermark.epoch).toBeGreaterThan(epoch)
    expect(run.metrics).toContainEqual(expect.objectContaining({ kind: 'node-away' }))
  }))

test('there is no watermark during initial block download, or while the mempool is loading (faults 2, 3)', () =>
  following(async (chain, run) => {
    chain.initialBlockDownload = true
    expect(await run.beat()).toBe(0)
    chain.initialBlockDownload = false
    chain.mempoolLoaded = false
    expect(await run.beat()).toBe(0)
    chain.mempoolLoaded = true
    await run.settle()
  }))

test('a node that rolls back without another branch: no watermark, nothing undone', () =>
  following(async (chain, run) => {
    const records = feed(run, TOPICS.blocks).length
    const before = [...chain.active]
    chain.active.length = 2
    expect(await run.beat()).toBe(0)
    expect(feed(run, TOPICS.blocks)).toHaveLength(records)
    chain.active = before
    await run.settle()
  }))

describe('the outputs that a watermark names', () => {
  const isNamed = (mark: Watermark, text: string): boolean => {
    const names = readTouched(mark.touched)
    return names !== 'all' && names.has(touchedName(text))
  }

  test('are those that entered or left the mempool, once; what is mined from it is no longer named', () =>
    following(async (chain, run) => {
      const coin = coinOf(chain)
      const spend = chain.spend([coin])
      chain.enter(spend)
      const seen = await run.settle()
      expect([coin, spend.txid].map((text) => isNamed(seen, text))).toEqual([true, true])
      chain.mine([spend])
      expect(isNamed(await run.settle(), coin)).toBe(false)
    }))

  test('are those of a block that was in no mempool', () =>
    following(async (chain, run) => {
      const coin = coinOf(chain)
      chain.mine([chain.spend([coin])])
      expect(isNamed(await run.settle(), coin)).toBe(true)
      chain.mine([])
      expect(isNamed(await run.settle(), coin)).toBe(false)
    }))

  test('are all, after too many blocks to name them', () =>
    following(async (chain, run) => {
      await run.stop()
      for (let n = 0; n < 3; n += 1) {
        const coins = Array.from({ length: 6_000 }, (_, vout) => `${chain.tip.hash}:${vout}`)
        chain.mine([...chunk(coins, 200)].map((some) => chain.spend(some, 1)))
      }
      expect(await run.settle()).toMatchObject({ touched: 'all' })
      chain.mine([])
      expect((await run.settle()).touched).not.toBe('all')
    }))

  test('are named after a crash that came before their watermark', () =>
    following(async (chain, run) => {
      const coin = coinOf(chain)
      chain.enter(chain.spend([coin]))
      // The step is stored as done, the watermark is not written.
      run.crashAfter(2, true)
      await run.settleOrDie()
      expect(run.running).toBe(false)
      expect(run.story(coin)).toEqual(['spend seen'])
      expect(isNamed(await run.settle(), coin)).toBe(true)
    }))
})

test('lost notifications: the gap is closed by a snapshot, no spend is missed (fault 8)', () =>
  following(async (chain, run) => {
    const [dropped, spent] = chain.unspent()
    const first = chain.spend([dropped!])
    chain.enter(first)
    await run.settle()
    chain.deafen()
    chain.evict(first.txid)
    chain.enter(chain.spend([spent!]))
    await run.rest()
    expect(run.story(spent!)).toEqual([])
    chain.hear()
    await run.settle()
    expect(run.story(dropped!)).toEqual(['spend seen', 'spend dropped'])
    expect(run.story(spent!)).toEqual(['spend seen'])
    expect(feed(run, TOPICS.mempool).at(-1)).toMatchObject({ kind: 'resynchronised' })
  }))

test('a lost notification of a block is noticed by the next watermark', () =>
  following(async (chain, run) => {
    chain.deafen()
    chain.mine([])
    expect(await run.settle()).toMatchObject({ tip: { hash: chain.tip.hash } })
  }))

test('notifications that arrive late, twice or out of order change nothing that is already known', () =>
  following(async (chain, run) => {
    const coin = coinOf(chain)
    const spend = chain.spend([coin])
    chain.enter(spend)
    await run.settle()
    chain.mine([spend])
    await run.settle()
    const mempoolSequence = chain.sequence - 2
    chain.push({ kind: 'added', mempoolSequence, ...spend })
    chain.push({ kind: 'connected', hash: chain.active[1]! })
    chain.push({ kind: 'disconnected', hash: chain.tip.hash })
    chain.push({ kind: 'added', mempoolSequence, ...spend })
    await run.settle()
    expect(run.story(coin)).toEqual(['spend seen', 'spend confirmed'])
  }))

test('a restart of the node renumbers its mempool: resynchronised under a new epoch (fault 9)', () =>
  following(async (chain, run) => {
    const coin = coinOf(chain)
    const spend = chain.spend([coin])
    chain.enter(spend)
    const { epoch } = await run.settle()
    chain.restart([])
    const watermark = await run.settle()
    expect(watermark.epoch).toBeGreaterThan(epoch)
    expect(run.story(coin)).toEqual(['spend seen', 'spend dropped'])
  }))

test('a pruned block ends continuity for all, reported once; following continues at the tip (fault 6)', () =>
  following(async (chain, run) => {
    await run.stop()
    chain.pruned.add(chain.mine([]).hash)
    chain.mine([])
    expect(await run.settle()).toMatchObject({ lost: 'all', tip: { height: chain.tip.height } })
    chain.mine([])
    expect(await run.settle()).not.toHaveProperty('lost')
  }))

test('a fresh store knows nothing of what the log may hold: its first watermark says so', () =>
  following(async (_, run) => {
    expect(run.watermarks[0]).toMatchObject({ n: 0, lost: 'all', covers: true })
  }))

test('a watermark at each beat and each block, to every partition at once, numbered without gaps', () =>
  following(async (chain, run) => {
    expect(await run.beat()).toBe(1)
    chain.mine([])
    const tip = () => run.watermarks.at(-1)?.tip.hash
    await expect.poll(tip, { interval: 1, timeout: 10_000 }).toBe(chain.tip.hash)
    await run.rest()
    expect(tip()).toBe(chain.tip.hash)
    // The block may be read in a turn of its own, or in that of the next beat.
    expect(run.watermarks.map(({ n }) => n)).toEqual(run.watermarks.map((_, at) => at))
    for (let beat = 1; beat <= 3; beat++) expect(await run.beat()).toBe(1)
    const last = run.log.records.slice(-run.log.partitions)
    expect(last.map(({ partition }) => partition)).toEqual([0, 1, 2, 3])
    expect(new Set(last.map(({ value }) => value)).size).toBe(1)
  }))

test('while nothing changes a watermark every ten seconds is enough; what changes has one at the next beat', () => {
  const chain = new ScriptedChain()
  for (let i = 0; i < 3; i++) chain.mine([])
  return withRun({ chain, options: { quietMs: 10_000 } }, async (run) => {
    const turns = () => run.metrics.filter(({ kind }) => kind === 'waiting').length
    const beat = async () => {
      const before = turns()
      run.clock.advance(2_000)
      await expect.poll(turns, { interval: 1, timeout: 10_000 }).toBeGreaterThan(before)
      await run.rest()
    }
    await run.settle()
    const settled = run.watermarks.length - 1
    for (let beats = 30; beats > 0; beats -= 1) await beat()
    const quiet = run.watermarks.slice(settled).map(({ at }) => Date.parse(at))
    expect(quiet.length).toBeGreaterThanOrEqual(5)
    for (const [n, at] of quiet.slice(1).entries()) {
      expect(at - (quiet[n] ?? 0)).toBeGreaterThanOrEqual(10_000)
    }
    await run.until(() => true)
    const changedAt = run.clock.now()
    chain.enter(chain.spend([coinOf(chain)]))
    await beat()
    await beat()
    const { at = '' } = run.watermarks.find(({ mempoolSequence: n }) => n === chain.sequence) ?? {}
    expect(Date.parse(at) - changedAt).toBeLessThanOrEqual(4_000)
  })
})

test('a feed record for each block and each change of the mempool', () =>
  following(async (chain, run) => {
    const spend = chain.spend([coinOf(chain)])
    chain.enter(spend)
    await run.settle()
    const { height, hash, prevHash, time } = chain.mine([spend])
    await run.settle()
    expect(feed(run, TOPICS.mempool).at(-1)).toMatchObject({ kind: 'added', txid: spend.txid })
    expect(feed(run, TOPICS.blocks)).toEqual([
      { schema: 1, kind: 'connected', block: { height, hash }, prevHash, time, txCount: 2 },
    ])
  }))

test('an answer of the node costs the same for any number of outputs: a beat is one query', () =>
  following(async (chain, run) => {
    await run.beat()
    chain.calls.clear()
    await run.beat()
    expect(Object.fromEntries(chain.calls)).toEqual({ chain: 1 })
  }))

test('a block on top of the last one is four queries, a notification none', () =>
  following(async (chain, run) => {
    await run.beat()
    chain.calls.clear()
    chain.mine([])
    await expect.poll(() => run.watermarks.at(-1)?.tip.hash, SOON).toBe(chain.tip.hash)
    expect(Object.fromEntries(chain.calls)).toEqual({ chain: 2, block: 1, mempool: 1 })
    chain.calls.clear()
    const coin = coinOf(chain)
    chain.enter(chain.spend([coin]))
    await expect.poll(() => run.story(coin).at(-1), SOON).toBe('spend seen')
    expect(Object.fromEntries(chain.calls)).toEqual({})
  }))

test('notifications are batched for a while after a turn: a single one is recorded at once', () => {
  const chain = new ScriptedChain()
  for (let i = 0; i < 3; i++) chain.mine([])
  return withRun({ chain, areOne: true, options: { gatherMs: 500 } }, async (run) => {
    await run.settle()
    run.clock.advance(500)
    await run.rest()
    const [first, second, third] = chain.unspent()
    chain.enter(chain.spend([first!]))
    await expect.poll(() => run.story(first!), SOON).toEqual(['spend seen'])
    await run.rest()
    chain.enter(chain.spend([second!]))
    chain.enter(chain.spend([third!]))
    run.clock.advance(499)
    await run.rest()
    expect(run.story(second!)).toEqual([])
    run.clock.advance(1)
    await expect.poll(() => run.story(second!), SOON).toEqual(['spend seen'])
    expect(run.story(third!)).toEqual(['spend seen'])
  })
})

test('where log and store are one, a change of the mempool is one write', () => {
  const chain = new ScriptedChain()
  for (let i = 0; i < 3; i++) chain.mine([])
  return withRun({ chain, areOne: true }, async (run) => {
    await run.settle()
    const coin = coinOf(chain)
    run.crashAfter(0, true)
    chain.enter(chain.spend([coin]))
    await run.settleOrDie()
    expect(run.running).toBe(false)
    expect(run.story(coin)).toEqual(['spend seen'])
    await run.settle()
    expect(run.story(coin)).toEqual(['spend seen'])
  })
})

test('where log and store are one, the changes of a turn and its watermark are one write', () => {
  const chain = new ScriptedChain()
  for (let i = 0; i < 3; i++) chain.mine([])
  return withRun({ chain, areOne: true, options: { gatherMs: 60_000 } }, async (run) => {
    await run.settle()
    const coin = coinOf(chain)
    chain.enter(chain.spend([coin]))
    await run.rest()
    expect(run.story(coin)).toEqual([])
    run.crashAfter(0, true)
    run.clock.advance(2_000)
    await expect.poll(() => run.running, SOON).toBe(false)
    expect(run.story(coin)).toEqual(['spend seen'])
    expect(run.watermarks.at(-1)).toMatchObject({ mempoolSequence: chain.sequence })
  })
})

describe('with an asset index', () => {
  async function indexed(
    test: (chain: ScriptedChain, index: ScriptedIndex, run: IngestRun) => Promise<void>,
  ): Promise<void> {
    const chain = new ScriptedChain()
    for (let i = 0; i < 3; i++) chain.mine([])
    const index = new ScriptedIndex()
    index.stand(chain.tip)
    await withRun({ chain, index }, async (run) => {
      await run.settle()
      await test(chain, index, run)
    })
  }

  test('behind the node is covered, another hash at its height is not (fault 21)', () =>
    indexed(async (chain, index, run) => {
      const stale = chain.tip
      chain.mine([])
      expect(await run.settle()).toMatchObject({ covers: true, indexStatus: 'behind' })
      chain.reorg(2)
      const apart = await run.until(({ tip }) => tip.hash === chain.tip.hash)
      expect(apart).toMatchObject({ covers: false, indexStatus: 'behind', index: null })
      index.stand(chain.blocks.get(chain.active[2]!)!)
      const rolledBack = await run.until(({ covers }) => covers)
      expect(rolledBack).toMatchObject({ indexStatus: 'behind', lost: { aboveHeight: 2 } })
      expect(stale.height).toBe(3)
      index.stand(chain.tip)
      expect(await run.until(({ indexStatus }) => indexStatus === 'ready')).not.toHaveProperty(
        'lost',
      )
      const kinds = feed(run, TOPICS.index).map((record) => (record as { kind: string }).kind)
      expect(kinds).toEqual(['advanced', 'rolled-back', 'advanced'])
    }))

  test('a watermark caused by the index is as old as the node’s last answer', () => {
    const chain = new ScriptedChain()
    for (let i = 0; i < 3; i++) chain.mine([])
    const index = new ScriptedIndex()
    index.stand(chain.blocks.get(chain.active[2]!)!)
    return withRun({ chain, index, options: { watermarkMs: 10_000_000 } }, async (run) => {
      const { at } = await run.settle()
      await run.breathe(50)
      chain.calls.clear()
      run.clock.advance(20_000)
      index.stand(chain.tip)
      const moved = await run.until(({ indexStatus }) => indexStatus === 'ready')
      expect(chain.calls.get('chain')).toBeUndefined()
      expect(moved.at).toBe(at)
    })
  })

  test('is asked every five seconds while it has the last block, at each block, and each second until it has that', () =>
    indexed(async (chain, index, run) => {
      const seconds = async (count: number) => {
        const before = index.asked
        for (let second = 0; second < count; second += 1) {
          run.clock.advance(1_000)
          await run.rest()
        }
        return index.asked - before
      }
      await seconds(5)
      expect(await seconds(20)).toBe(4)
      const before = index.asked
      chain.mine([])
      await expect.poll(() => index.asked - before, SOON).toBe(1)
      expect(await seconds(10)).toBe(10)
      index.stand(chain.tip)
      await seconds(1)
      expect(await seconds(20)).toBe(4)
    }))

  test('costs the node one query for each block while it is on a lower one', () =>
    indexed(async (chain, _index, run) => {
      chain.mine([])
      await run.settle()
      chain.calls.clear()
      for (const coin of chain.unspent().slice(0, 3)) {
        chain.enter(chain.spend([coin]))
        await run.rest()
      }
      expect(Object.fromEntries(chain.calls)).toEqual({})
    }))

  test('an index that cannot recover is reported once, and never covers (fault 23)', () =>
    indexed(async (chain, index, run) => {
      index.at = { ...index.at!, unrecoverablyReorged: true }
      await run.until(({ indexStatus }) => indexStatus === 'reorged')
      chain.mine([])
      expect(await run.settle()).toMatchObject({ covers: false })
      expect(feed(run, TOPICS.index)).toHaveLength(2)
    }))

  test('an index rebuilt while ingest was down ends continuity for all', () =>
    indexed(async (chain, index, run) => {
      await run.stop()
      index.stand(chain.tip, 'v2')
      expect(await run.settle()).toMatchObject({ covers: true, lost: 'all' })
    }))

  test('an index that is configured later ends continuity for all, after a time without one too', () =>
    indexed(async (chain, index, run) => {
      for (const _again of [1, 2]) {
        await run.stop()
        run.configure({ index: null })
        expect(await run.settle()).toMatchObject({ covers: true, indexStatus: 'unconfigured' })
        await run.stop()
        run.configure({ index })
        expect(await run.settle()).toMatchObject({ covers: true, lost: 'all' })
        await run.stop()
        expect(await run.settle()).not.toHaveProperty('lost')
        chain.mine([])
        index.stand(chain.tip)
        expect(await run.until(({ tip }) => tip.hash === chain.tip.hash)).not.toHaveProperty('lost')
      }
    }))

  test.each([
    ['loses nothing', 'upgraded', undefined],
    ['and finds something elsewhere ends continuity for all', 'rebuilt', 'all'],
  ] as const)('an index that another program serves since ingest was down %s', (_, kind, lost) =>
    indexed(async (chain, index, run) => {
      const told = Array.from({ length: 20 }, (_, n) => ({
        outpoint: toOutpointText(`${hash(`output ${n}`)}:0`),
        inscriptions: [{ id: `${hash(`reveal ${n}`)}i0`, number: n, offset: '0' }],
      }))
      for (const { outpoint, inscriptions } of told) {
        const at = { height: chain.tip.height, hash: chain.tip.hash, version: 'v1' }
        const evidence = evidenceOf({ index: indexSays({ at, inscriptions }) })
        const order = liveOrder({ id: hash(outpoint), outpoint })
        const value = { ...changeBetween(null, order), evidence }
        await run.log.append([{ topic: TOPICS.lifecycle, partition: 0, key: '', value }])
        index.outputs.set(outpoint, assetsOf({ inscriptions }))
      }
      await run.stop()
      if (lost) index.outputs.set(told[7]!.outpoint, assetsOf({ inscriptions: [] }))
      index.stand(chain.tip, 'v2', 'v1')
      const next = await run.until(({ index: at }) => at?.version === 'v2')
      expect(next).toMatchObject({ covers: true })
      expect(next.lost).toBe(lost)
      const kinds = feed(run, TOPICS.index).map((record) => (record as { kind: string }).kind)
      expect(kinds.at(-1)).toBe(kind)
    }),
  )

  test('an index rebuilt twice at one tip ends continuity twice', () =>
    indexed(async (chain, index, run) => {
      index.stand(chain.tip, 'v2')
      await run.until(({ lost }) => lost === 'all')
      await run.until(({ lost }) => lost === undefined)
      index.stand(chain.tip, 'v3')
      const again = await run.until(({ index: at }) => at?.version === 'v3')
      expect(again).toMatchObject({ covers: true, lost: 'all' })
    }))

  test('an index that does not answer does not stop the node’s news', () =>
    indexed(async (chain, index, run) => {
      index.hang()
      const coin = coinOf(chain)
      chain.mine([chain.spend([coin])])
      const unreachable = await run.until(({ indexStatus }) => indexStatus === 'unreachable')
      expect(unreachable).toMatchObject({ covers: false, index: null, tip: { height: 4 } })
      expect(run.story(coin)).toEqual(['spend confirmed'])
    }))
})
