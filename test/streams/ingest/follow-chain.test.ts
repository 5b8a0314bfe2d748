import { expect, test } from 'vitest'
import { bareTransaction } from '../../../src/domain/chain/bare-transaction.ts'
import { NodeUnavailableError } from '../../../src/ports/authorities/authority-errors.ts'
import type { StoredBlock } from '../../../src/ports/log/ingest-store.ts'
import { type ChainNews, followChain, tipOf } from '../../../src/streams/ingest/follow-chain.ts'
import { ScriptedChain } from '../../support/chain/scripted-chain.ts'

const chainOf = (blocks: number): ScriptedChain => {
  const chain = new ScriptedChain()
  for (let i = 0; i < blocks; i++) chain.mine([])
  return chain
}

/** Follows from a point, with these blocks stored. */
async function news(
  chain: ScriptedChain,
  from: Awaited<ReturnType<typeof tipOf>>,
  keptBlocks: readonly StoredBlock[] = [],
): Promise<ChainNews[]> {
  const kept = {
    block: async ({ hash }: { hash: string }) =>
      keptBlocks.find((block) => block.hash === hash) ?? null,
  }
  const all: ChainNews[] = []
  for await (const one of followChain({ node: chain, kept, pace: async () => {} }, from))
    all.push(one)
  return all
}

const told = (all: readonly ChainNews[]) =>
  all.map((one) => (one.type === 'lost' ? 'lost' : `${one.type} ${one.block.hash}`))

const keep = (chain: ScriptedChain): StoredBlock[] =>
  chain.active.map((hash) => {
    const block = chain.blocks.get(hash)!
    return { ...block, transactions: block.transactions.map(bareTransaction) }
  })

test('1. the same tip: nothing', async () => {
  const chain = chainOf(3)
  expect(await news(chain, await tipOf(chain))).toEqual([])
})

test.for([1, 2, 6, 8, 9, 17, 18, 100])(
  '2. a reorg of %i: disconnected newest first down to the fork, then connected',
  async (depth) => {
    const chain = chainOf(depth + 2)
    const from = await tipOf(chain)
    const stale = chain.active.slice(-depth).toReversed()
    const made = chain.reorg(depth)
    expect(told(await news(chain, from))).toEqual([
      ...stale.map((hash) => `disconnected ${hash}`),
      ...made.map(({ hash }) => `connected ${hash}`),
    ])
  },
)

test('2. a reorg to a lower tip with more work is a reorg', async () => {
  const chain = chainOf(6)
  const from = await tipOf(chain)
  const stale = chain.active.slice(-4).toReversed()
  const [made] = chain.reorg(4, 1)
  expect(told(await news(chain, from))).toEqual([
    ...stale.map((hash) => `disconnected ${hash}`),
    `connected ${made!.hash}`,
  ])
})

test('2. a node that rolls back without another branch is faulty: nothing is undone', async () => {
  const chain = chainOf(5)
  const from = await tipOf(chain)
  chain.active.length = 3
  await expect(news(chain, from)).rejects.toThrow(NodeUnavailableError)
  await expect(news(chain, from, keep(chain))).rejects.toThrow('no other branch')
})

test('2. stale blocks that another node never saw are undone from our own copies', async () => {
  const chain = chainOf(5)
  const from = await tipOf(chain)
  const kept = keep(chain)
  const stale = chain.active.slice(-3).toReversed()
  chain.reorg(3)
  for (const hash of stale) chain.unknown.add(hash)
  const all = await news(chain, from, kept)
  expect(told(all).slice(0, 3)).toEqual(stale.map((hash) => `disconnected ${hash}`))
  expect(all[0]).toMatchObject({ block: kept.find(({ hash }) => hash === stale[0]) })
})

test('2. a stale block without a copy ends continuity, and following resumes at the tip', async () => {
  const chain = chainOf(5)
  const from = await tipOf(chain)
  const stale = chain.active.slice(-2)
  chain.reorg(2)
  chain.pruned.add(stale[0]!)
  const all = await news(chain, from)
  expect(told(all)).toEqual([`disconnected ${stale[1]}`, 'lost'])
  expect(all.at(-1)).toMatchObject({ resumeAt: { hash: chain.tip.hash } })
  for (const hash of stale) chain.unknown.add(hash)
  expect(told(await news(chain, from))).toEqual(['lost'])
})

test('3. a gap is filled with every block between', async () => {
  const chain = chainOf(2)
  const from = await tipOf(chain)
  const made = [chain.mine([]), chain.mine([]), chain.mine([])]
  expect(told(await news(chain, from))).toEqual(made.map(({ hash }) => `connected ${hash}`))
})

test('3. a pruned block in the gap ends continuity: never a silent skip', async () => {
  const chain = chainOf(2)
  const from = await tipOf(chain)
  chain.mine([])
  chain.pruned.add(chain.mine([]).hash)
  chain.mine([])
  const all = await news(chain, from)
  expect(told(all)).toEqual([`connected ${chain.active[3]}`, 'lost'])
  expect(all.at(-1)).toMatchObject({ detail: 'the node has pruned block 4' })
})

test('4. a block on our tip', async () => {
  const chain = chainOf(2)
  const from = await tipOf(chain)
  const { hash } = chain.mine([])
  const [only, ...rest] = await news(chain, from)
  expect([only, rest]).toMatchObject([{ type: 'connected', block: { hash, height: 3 } }, []])
})

test('a reorg during a replay: each step still continues the one before it', async () => {
  const chain = chainOf(2)
  const from = await tipOf(chain)
  for (let i = 0; i < 4; i++) chain.mine([])
  let calls = 0
  chain.onCall = () => {
    if (++calls === 7) chain.reorg(3)
  }
  let at = from.hash
  for (const one of await news(chain, from)) {
    if (one.type === 'lost') throw new Error(one.detail)
    if (one.type === 'connected') expect(one.block.prevHash).toBe(at)
    else expect([one.block.hash, one.block.prevHash]).toEqual([at, one.parent.hash])
    at = one.type === 'connected' ? one.block.hash : one.parent.hash
  }
  expect(at).toBe(chain.tip.hash)
})
