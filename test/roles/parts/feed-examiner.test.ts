import { describe, expect, test } from 'vitest'
import {
  IndexUnavailableError,
  NodeUnavailableError,
} from '../../../src/ports/authorities/authority-errors.ts'
import type { FullNode, OutputAnswer } from '../../../src/ports/authorities/full-node.ts'
import {
  EXAMINED_AT_ONCE,
  type FeedExaminerParts,
  feedExaminer,
  TRUSTED_EXAMINED_AT_ONCE,
} from '../../../src/roles/parts/feed-examiner.ts'
import {
  checkerWith,
  indexWith,
  nodeWith,
  unspentAnswer,
} from '../../support/chain/scripted-authorities.ts'
import { toOutpointText } from '../../support/ids.ts'
import { ManualClock } from '../../support/manual-clock.ts'
import { askClaim } from '../../support/orders/evidence.ts'

const OUTPOINT = toOutpointText(`${'ab'.repeat(32)}:0`)
const NEVER = new AbortController().signal
const AWAY = new NodeUnavailableError('node_unavailable', 'no answer')

const examinerOf = (node: FullNode | null) =>
  feedExaminer(
    {
      node,
      index: null,
      clock: new ManualClock(),
      lastWatermark: async () => null,
      signatures: {
        check: () => Promise.reject(new Error('there is no signature to check')),
        close: async () => {},
      },
    },
    EXAMINED_AT_ONCE,
  )

test('few offers are examined at once, whatever the number of callers', async () => {
  const answers: ((answer: OutputAnswer) => void)[] = []
  let asked = 0
  const examine = examinerOf(
    nodeWith({
      output: () => {
        asked += 1
        return new Promise((resolve) => answers.push(resolve))
      },
    }),
  )
  const all = Array.from({ length: 7 }, () => examine(OUTPOINT, [], NEVER))
  const settle = () => new Promise((resolve) => setImmediate(resolve))
  await settle()
  expect(asked).toBe(EXAMINED_AT_ONCE)
  for (let done = 1; done <= 7; done += 1) {
    answers.shift()?.({ status: 'absent' })
    await settle()
    expect(asked).toBe(Math.min(7, EXAMINED_AT_ONCE + done))
  }
  for (const said of await Promise.all(all)) {
    expect(said).toMatchObject({ status: 'ready', output: { status: 'missing' } })
  }
})

test('an unavailable node is distinguished from one that fails only for this offer', async () => {
  const output = () => Promise.reject(AWAY)
  const away = nodeWith({ output, chain: () => Promise.reject(AWAY) })
  expect(await examinerOf(away)(OUTPOINT, [], NEVER)).toEqual({
    status: 'unavailable',
    reason: 'node_unavailable',
  })
  expect(await examinerOf(nodeWith({ output }))(OUTPOINT, [], NEVER)).toBe('unexaminable')
})

test('a node that was briefly unavailable is asked once more', async () => {
  let isAway = true
  const output = async (): Promise<OutputAnswer> => {
    if (!isAway) return { status: 'absent' }
    isAway = false
    throw AWAY
  }
  expect(await examinerOf(nodeWith({ output }))(OUTPOINT, [], NEVER)).toMatchObject({
    status: 'ready',
  })
})

test('without a node nothing can be proved', async () => {
  expect(await examinerOf(null)(OUTPOINT, [], NEVER)).toEqual({
    status: 'unavailable',
    reason: 'node_unconfigured',
  })
})

test('a cancelled examination does not wait for a node that hangs', async () => {
  const stop = new AbortController()
  const examine = examinerOf(nodeWith({ output: () => new Promise(() => {}) }))
  const waiting = [1, 2, 3].map(() => examine(OUTPOINT, [], stop.signal))
  stop.abort()
  const ended = await Promise.allSettled(waiting)
  expect(ended.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
})

describe('an ask that its owner signed', () => {
  const BEGUN = { begunAt: { epoch: 1, n: 3 }, mempoolSequence: 7 }
  const claim = askClaim()
  const examined = (parts: Partial<FeedExaminerParts>) =>
    feedExaminer(
      {
        node: nodeWith({ output: async () => unspentAnswer() }),
        index: indexWith(),
        clock: new ManualClock(),
        signatures: checkerWith(() => ({ status: 'valid' })),
        lastWatermark: async () => BEGUN,
        ...parts,
      },
      EXAMINED_AT_ONCE,
    )(claim.offer.outpoint, [claim], NEVER)

  test('has everything that its verdict needs, asked after the last watermark', async () => {
    expect(await examined({})).toMatchObject({
      evidence: { ...BEGUN, node: { status: 'ready' }, index: { status: 'ready' } },
    })
  })

  test('is only proved while no watermark is known, or the index does not answer', async () => {
    const away = new IndexUnavailableError('asset_index_unreachable', 'no answer')
    const index = indexWith({ status: () => Promise.reject(away) })
    for (const parts of [{ lastWatermark: async () => null }, { index }])
      expect(await examined(parts)).toEqual({ evidence: null })
  })

  test('of an output that is not in a block yet is only proved', async () => {
    const node = nodeWith({ output: async () => unspentAnswer({ confirmations: 0 }) })
    expect(await examined({ node })).toEqual({ evidence: null })
  })
})

test('offers that are examined at the same time share what they ask about the tips', async () => {
  const claim = askClaim()
  const asked = { chain: 0, status: 0 }
  const turn = () => new Promise((resolve) => setImmediate(resolve))
  const node = nodeWith({ output: async () => unspentAnswer() })
  const index = indexWith()
  const counted = {
    node: nodeWith({
      outputAtTip: node.outputAtTip,
      chain: async () => {
        asked.chain += 1
        await turn()
        return node.chain()
      },
    }),
    index: indexWith({
      status: async () => {
        asked.status += 1
        await turn()
        return index.status()
      },
    }),
  }
  const examine = feedExaminer(
    {
      ...counted,
      clock: new ManualClock(),
      signatures: checkerWith(() => ({ status: 'valid' })),
      lastWatermark: async () => ({ begunAt: { epoch: 1, n: 3 }, mempoolSequence: 7 }),
    },
    TRUSTED_EXAMINED_AT_ONCE,
  )
  const all = Array.from({ length: TRUSTED_EXAMINED_AT_ONCE }, () =>
    examine(claim.offer.outpoint, [claim], NEVER),
  )
  for (const said of await Promise.all(all))
    expect(said).toMatchObject({ evidence: { index: { status: 'ready' } } })
  expect(asked.chain).toBeLessThan(TRUSTED_EXAMINED_AT_ONCE / 2)
  expect(asked.status).toBeLessThan(TRUSTED_EXAMINED_AT_ONCE)
})
