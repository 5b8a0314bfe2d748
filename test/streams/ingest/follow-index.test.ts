import { describe, expect, test } from 'vitest'
import { IndexUnavailableError } from '../../../src/ports/authorities/authority-errors.ts'
import type { IndexPlace } from '../../../src/ports/log/ingest-store.ts'
import type { IndexTrouble } from '../../../src/schemas/evidence.ts'
import type { BlockHash, BlockRef } from '../../../src/schemas/scalars.ts'
import type { IndexProbe } from '../../../src/streams/ask-authority.ts'
import { judgeIndex as judge } from '../../../src/streams/ingest/follow-index.ts'
import type { IndexSample } from '../../../src/streams/ingest/index-sample.ts'
import { ScriptedChain } from '../../support/chain/scripted-chain.ts'
import { toBlockHash } from '../../support/ids.ts'

const chainOf = (blocks: number): ScriptedChain => {
  const chain = new ScriptedChain()
  for (let i = 0; i < blocks; i++) chain.mine([])
  return chain
}

const at = (chain: ScriptedChain, height: number, version = 'v1') => ({
  height,
  hash: chain.active[height]!,
  version,
  build: 'made once',
})

const judgeIndex = (
  chain: ScriptedChain,
  said: IndexProbe,
  before: IndexPlace | null,
  tip: BlockRef,
  sample: IndexSample = async () => false,
) => judge(chain, said, before, tip, sample)

const answer = (
  place: { height: number; hash: BlockHash; version: string; build?: string },
  unrecoverablyReorged = false,
): IndexProbe => {
  const { height, hash, version, build = 'made once' } = place
  const status = { tip: { height, hash }, version, build, unrecoverablyReorged, runes: true }
  return { status: 'ready', at: status }
}

const away = (reason: IndexTrouble): IndexProbe => ({ status: 'unavailable', reason, detail: '' })

test('1. no index configured: the node alone covers', async () => {
  const chain = chainOf(3)
  const news = await judgeIndex(chain, away('asset_index_unconfigured'), null, chain.tip)
  expect(news).toEqual({
    verdict: { status: 'unconfigured', covers: true, at: null },
    place: null,
    feed: null,
    lost: null,
  })
})

test.for([
  ['asset_index_unreachable', 'unreachable'],
  ['asset_index_malformed', 'unreachable'],
  ['asset_index_behind', 'behind'],
  ['asset_index_reorged', 'reorged'],
] as const)('2. no usable answer (%s): not covered', async ([reason, status]) => {
  const chain = chainOf(3)
  const { verdict } = await judgeIndex(chain, away(reason), at(chain, 2), chain.tip)
  expect(verdict).toEqual({ status, covers: false, at: null })
})

test('2. an index that has no block yet does not cover', async () => {
  const chain = chainOf(3)
  const empty = { tip: null, version: 'v1', build: '', unrecoverablyReorged: false, runes: true }
  const { verdict } = await judgeIndex(chain, { status: 'ready', at: empty }, null, chain.tip)
  expect(verdict).toEqual({ status: 'behind', covers: false, at: null })
})

test('3. an index that cannot recover from a reorg does not cover, and is reported', async () => {
  const chain = chainOf(3)
  const news = await judgeIndex(chain, answer(at(chain, 3), true), at(chain, 3), chain.tip)
  expect(news.verdict).toMatchObject({ status: 'reorged', covers: false })
  expect(news.feed?.kind).toBe('reorged-beyond-recovery')
})

test('4. the same height with another hash is not one chain', async () => {
  const chain = chainOf(3)
  const before = at(chain, 3)
  chain.reorg(1, 1)
  const news = await judgeIndex(chain, answer(before), before, chain.tip)
  expect(news).toMatchObject({ verdict: { status: 'behind', covers: false }, feed: null })
})

test('4. an index above the node has a chain that the node does not know', async () => {
  const chain = chainOf(3)
  const ahead = { height: 9, hash: toBlockHash('ee'.repeat(32)), version: 'v1' }
  const news = await judgeIndex(chain, answer(ahead), at(chain, 3), chain.tip)
  expect(news.verdict).toMatchObject({ status: 'behind', covers: false })
})

test('5. the first answer: what was LIVE without an index is examined now', async () => {
  const chain = chainOf(3)
  const news = await judgeIndex(chain, answer(at(chain, 3)), null, chain.tip)
  expect(news).toMatchObject({ place: at(chain, 3), feed: { kind: 'advanced' }, lost: 'all' })
})

test('5. another version: its earlier answers no longer count', async () => {
  const chain = chainOf(3)
  const news = await judgeIndex(chain, answer(at(chain, 3, 'v2')), at(chain, 3), chain.tip)
  expect(news).toMatchObject({ verdict: { covers: true }, feed: { kind: 'rebuilt' }, lost: 'all' })
})

describe('5. another version of the same index', () => {
  const says =
    (isSame: boolean): IndexSample =>
    async () =>
      isSame

  test('that says the same of a sample loses nothing, at its old height or further on', async () => {
    for (const height of [3, 5]) {
      const chain = chainOf(5)
      const now = at(chain, height, 'v2')
      const news = await judgeIndex(chain, answer(now), at(chain, 3), chain.tip, says(true))
      expect(news).toMatchObject({ verdict: { covers: true }, feed: { kind: 'upgraded' } })
      expect(news.lost).toBeNull()
      expect(news.place).toEqual(now)
      expect(news.feed?.at).not.toHaveProperty('build')
    }
  })

  test('is compared by its former version, and by its present one', async () => {
    const chain = chainOf(3)
    const asked: unknown[] = []
    const sample: IndexSample = async (...question) => asked.push(question) > 0
    await judgeIndex(chain, answer(at(chain, 3, 'v2')), at(chain, 3), chain.tip, sample)
    expect(asked).toEqual([[at(chain, 3), at(chain, 3, 'v2')]])
  })

  test.each<[string, (chain: ScriptedChain) => [IndexPlace, IndexPlace]]>([
    ['made anew', (chain) => [at(chain, 3), { ...at(chain, 3, 'v2'), build: 'made twice' }]],
    ['further back', (chain) => [at(chain, 3), at(chain, 2, 'v2')]],
    [
      'of which the former block left the chain',
      (chain) => {
        const before = at(chain, 3)
        chain.reorg(1, 2)
        return [before, at(chain, 4, 'v2')]
      },
    ],
  ])('that is %s loses everything, whatever it says', async (_, places) => {
    const chain = chainOf(3)
    const [before, now] = places(chain)
    const news = await judgeIndex(chain, answer(now), before, chain.tip, says(true))
    expect(news).toMatchObject({ feed: { kind: 'rebuilt' }, lost: 'all', place: now })
  })

  test('that gives no answer is judged by its next, and does not cover until then', async () => {
    const chain = chainOf(3)
    const news = await judgeIndex(
      chain,
      answer(at(chain, 3, 'v2')),
      at(chain, 3),
      chain.tip,
      async () => {
        throw new IndexUnavailableError('asset_index_unreachable', 'away')
      },
    )
    expect(news).toMatchObject({ verdict: { covers: false }, place: null, feed: null, lost: null })
  })
})

test('6. its former block left the chain: what was made above the fork is lost, at any height now', async () => {
  for (const height of [1, 4]) {
    const chain = chainOf(3)
    const before = at(chain, 3)
    chain.reorg(1, 3)
    const news = await judgeIndex(chain, answer(at(chain, height)), before, chain.tip)
    expect(news).toMatchObject({ feed: { kind: 'rolled-back' }, lost: { aboveHeight: 2 } })
  }
})

test('6. a former block that the node never saw: its fork is unknown, all is lost', async () => {
  const chain = chainOf(3)
  const foreign = { ...at(chain, 3), hash: toBlockHash('ee'.repeat(32)) }
  const news = await judgeIndex(chain, answer(at(chain, 3)), foreign, chain.tip)
  expect(news.lost).toBe('all')
})

test('7. advanced, behind, at the tip; back on the same chain loses nothing (a savepoint restored)', async () => {
  const chain = chainOf(20)
  const forth = await judgeIndex(chain, answer(at(chain, 19)), at(chain, 18), chain.tip)
  expect(forth).toMatchObject({ verdict: { status: 'behind', covers: true }, lost: null })
  expect(forth.feed?.kind).toBe('advanced')
  const there = await judgeIndex(chain, answer(at(chain, 20)), at(chain, 20), chain.tip)
  expect(there).toMatchObject({ verdict: { status: 'ready', covers: true }, feed: null })
  const back = await judgeIndex(chain, answer(at(chain, 5)), at(chain, 20), chain.tip)
  expect(back).toMatchObject({ verdict: { covers: true }, lost: null })
  expect(back.feed?.kind).toBe('rolled-back')
})
