import { expect, test } from 'vitest'
import type { NodeChange } from '../../../src/ports/authorities/full-node.ts'
import { gather, type IngestSignals } from '../../../src/streams/ingest/gather.ts'
import { toBlockHash, toTxid } from '../../support/ids.ts'

const limits = { maxPushes: 3, maxPushedHex: 100 }
const added = (mempoolSequence: number, hex: string | null = 'ff'): NodeChange => ({
  kind: 'added',
  txid: toTxid('aa'.repeat(32)),
  mempoolSequence,
  hex,
})

const gathered = (...changes: readonly NodeChange[]): IngestSignals =>
  changes.reduce<IngestSignals | null>(
    (waiting, change) => gather(limits)(waiting, { from: 'node', change }),
    null,
  )!

test('pushes wait in their order', () => {
  const removed = { kind: 'removed', txid: toTxid('aa'.repeat(32)), mempoolSequence: 2 } as const
  expect(gathered(added(1), removed).pushes).toEqual([added(1), removed])
})

test.for([
  ['pushes', [1, 2, 3, 4].map((n) => added(n))],
  ['bytes', [added(1, 'ff'.repeat(30)), added(2, 'ff'.repeat(30))]],
] as const)(
  'more than the limit of %s becomes a gap, and nothing of them is held',
  ([, changes]) => {
    const { pushes, weight, gaps } = gathered(...changes)
    expect([pushes, weight, gaps.length]).toEqual([[], 0, 1])
  },
)

test('what came before a gap is discarded, what comes after it is not', () => {
  const { pushes, gaps } = gathered(added(1), { kind: 'gap', detail: 'lost' }, added(7))
  expect([pushes, gaps]).toEqual([[added(7)], ['lost']])
})

test('blocks and polls request a check; the latest answer of the index counts', () => {
  for (const kind of ['connected', 'disconnected'] as const)
    expect(gathered({ kind, hash: toBlockHash('') }).ask).toBe(true)
  expect(gathered({ kind: 'poll', isAlone: true }).ask).toBe(true)
  expect(gathered(added(1)).ask).toBe(false)
  const away = (detail: string) => ({
    from: 'index' as const,
    answer: { status: 'unavailable' as const, reason: 'asset_index_unreachable' as const, detail },
  })
  const waiting = gather(limits)(gather(limits)(null, away('first')), away('second'))
  expect(waiting.index).toMatchObject({ detail: 'second' })
})
