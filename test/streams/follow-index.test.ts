import { expect, test } from 'vitest'
import type { IndexTrouble } from '../../src/schemas/evidence.ts'
import type { IndexProbe } from '../../src/streams/ask-authority.ts'
import { judgeIndex } from '../../src/streams/follow-index.ts'
import { ScriptedChain } from '../support/scripted-chain.ts'

const chainOf = (blocks: number): ScriptedChain => {
  const chain = new ScriptedChain()
  for (let i = 0; i < blocks; i++) chain.mine([])
  return chain
}

const at = (chain: ScriptedChain, height: number, version = 'v1') => ({
  height,
  hash: chain.active[height]!,
  version,
})

const answer = (
  place: { height: number; hash: string; version: string },
  unrecoverablyReorged = false,
): IndexProbe => {
  const { height, hash, version } = place
  const status = { tip: { height, hash }, version, unrecoverablyReorged, runes: true }
  return { status: 'ready', at: status }
}

const away = (reason: IndexTrouble): IndexProbe => ({ status: 'unavailable', reason, detail: '' })

test('1. no index configured: the node alone covers', async () => {
  const chain = chainOf(3)
  const news = await judgeIndex(chain, away('asset_index_unconfigured'), null, chain.tip)
  expect(news).toEqual({
    verdict: { status: 'unconfigured', covers: true, at: null },
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
  const empty = { tip: null, version: 'v1', unrecoverablyReorged: false, runes: true }
  const { verdict } = await judgeIndex(chain, { status: 'ready', at: empty }, null, chain.tip)
  expect(verdict).toEqual({ status: 'behind', covers: false, at: null })
})

test('3. an index that cannot recover from a reorg does not cover, and is told of', async () => {
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
  expect(news).toMatchObject({ verdict: { status: 'reorged', covers: false }, feed: null })
})

test('4. an index above the node has a chain that the node does not know', async () => {
  const chain = chainOf(3)
  const ahead = { height: 9, hash: 'ee'.repeat(32), version: 'v1' }
  const news = await judgeIndex(chain, answer(ahead), at(chain, 3), chain.tip)
  expect(news.verdict).toMatchObject({ status: 'reorged', covers: false })
})

test('5. another version: nothing that it said before counts', async () => {
  const chain = chainOf(3)
  const news = await judgeIndex(chain, answer(at(chain, 3, 'v2')), at(chain, 3), chain.tip)
  expect(news).toMatchObject({ verdict: { covers: true }, feed: { kind: 'rebuilt' }, lost: 'all' })
})

test('6. its former block left the chain: what was made above the fork is lost, whatever its height now', async () => {
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
  const foreign = { height: 3, hash: 'ee'.repeat(32), version: 'v1' }
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
