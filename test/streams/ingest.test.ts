import { describe, expect, test } from 'vitest'
import { TOPICS } from '../../src/schemas/log.ts'
import type { IngestRun } from '../support/ingest-run.ts'
import { withRun } from '../support/open-run.ts'
import { ScriptedChain } from '../support/scripted-chain.ts'
import { ScriptedIndex } from '../support/scripted-index.ts'

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

  test('a replacement that does not spend the output gives it back; both are told (faults 11, 12)', () =>
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

  test('reorged out, then spent by another: told in that order (fault 17)', () =>
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

test('a reorg, spends and evictions while ingest is down are told after its start (fault 20)', () =>
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
      // A step is three writes: intended, appended, done. The last one does not come any more.
      run.crashAfter(step === 'connect' ? 7 : 1, true)
      await run.settleOrDie()
      expect(run.running).toBe(false)
      chain.switchTo(step === 'connect' ? b!.hash : a)
      await run.settle()
      expect(chain.truth().get(coin)?.spender?.height ?? null).toBe(step === 'connect' ? null : 4)
    }),
)

test('a node that is away: no watermark; back: what happened meanwhile, then a new epoch (fault 1)', () =>
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

test('initial block download and a mempool that is being loaded are no basis for a watermark (faults 2, 3)', () =>
  following(async (chain, run) => {
    chain.initialBlockDownload = true
    expect(await run.beat()).toBe(0)
    chain.initialBlockDownload = false
    chain.mempoolLoaded = false
    expect(await run.beat()).toBe(0)
    chain.mempoolLoaded = true
    await run.settle()
  }))

test('a node that goes back without another branch: no watermark, nothing undone', () =>
  following(async (chain, run) => {
    const records = feed(run, TOPICS.blocks).length
    const before = [...chain.active]
    chain.active.length = 2
    expect(await run.beat()).toBe(0)
    expect(feed(run, TOPICS.blocks)).toHaveLength(records)
    chain.active = before
    await run.settle()
  }))

test('lost pushes: the gap is closed by a snapshot, no spend is missed (fault 8)', () =>
  following(async (chain, run) => {
    const [dropped, spent] = chain.unspent()
    const first = chain.spend([dropped!])
    chain.enter(first)
    await run.settle()
    chain.deafen()
    chain.evict(first.txid)
    chain.enter(chain.spend([spent!]))
    await run.breathe(20)
    expect(run.story(spent!)).toEqual([])
    chain.hear()
    await run.settle()
    expect(run.story(dropped!)).toEqual(['spend seen', 'spend dropped'])
    expect(run.story(spent!)).toEqual(['spend seen'])
    expect(feed(run, TOPICS.mempool).at(-1)).toMatchObject({ kind: 'resynchronised' })
  }))

test('a lost push of a block is noticed by the next watermark', () =>
  following(async (chain, run) => {
    chain.deafen()
    chain.mine([])
    expect(await run.settle()).toMatchObject({ tip: { hash: chain.tip.hash } })
  }))

test('pushes that come late, twice or in disorder change nothing that is already known', () =>
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

test('a restart of the node numbers its mempool anew: resynchronised under a new epoch (fault 9)', () =>
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

test('a pruned block ends continuity for all, said once; following goes on at the tip (fault 6)', () =>
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
    expect(await run.settle()).toMatchObject({ n: 2, tip: { hash: chain.tip.hash } })
    for (let beat = 1; beat <= 3; beat++) expect(await run.beat()).toBe(1)
    const last = run.log.records.slice(-run.log.partitions)
    expect(last.map(({ partition }) => partition)).toEqual([0, 1, 2, 3])
    expect(new Set(last.map(({ value }) => value)).size).toBe(1)
  }))

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

test('an answer of the node costs the same whatever the number of outputs: a beat asks one question', () =>
  following(async (chain, run) => {
    await run.beat()
    chain.calls.clear()
    await run.beat()
    expect(Object.fromEntries(chain.calls)).toEqual({ chain: 1 })
  }))

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
      expect(apart).toMatchObject({ covers: false, indexStatus: 'reorged', index: null })
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

  test('an index that cannot recover is told of once, and never covers (fault 23)', () =>
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

  test('an index rebuilt twice at one tip ends continuity twice', () =>
    indexed(async (chain, index, run) => {
      index.stand(chain.tip, 'v2')
      await run.until(({ lost }) => lost === 'all')
      await run.until(({ lost }) => lost === undefined)
      index.stand(chain.tip, 'v3')
      const again = await run.until(({ index: at }) => at?.version === 'v3')
      expect(again).toMatchObject({ covers: true, lost: 'all' })
    }))

  test('an index that does not answer does not stop what the node says', () =>
    indexed(async (chain, index, run) => {
      index.hang()
      const coin = coinOf(chain)
      chain.mine([chain.spend([coin])])
      const unreachable = await run.until(({ indexStatus }) => indexStatus === 'unreachable')
      expect(unreachable).toMatchObject({ covers: false, index: null, tip: { height: 4 } })
      expect(run.story(coin)).toEqual(['spend confirmed'])
    }))
})
