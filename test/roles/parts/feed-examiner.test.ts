import { expect, test } from 'vitest'
import { NodeUnavailableError } from '../../../src/ports/authorities/authority-errors.ts'
import type { FullNode, OutputAnswer } from '../../../src/ports/authorities/full-node.ts'
import { EXAMINED_AT_ONCE, feedExaminer } from '../../../src/roles/parts/feed-examiner.ts'
import { nodeWith } from '../../support/chain/scripted-authorities.ts'
import { toOutpointText } from '../../support/ids.ts'
import { ManualClock } from '../../support/manual-clock.ts'

const OUTPOINT = toOutpointText(`${'ab'.repeat(32)}:0`)
const NEVER = new AbortController().signal
const AWAY = new NodeUnavailableError('node_unavailable', 'no answer')

const examinerOf = (node: FullNode | null) =>
  feedExaminer({
    node,
    clock: new ManualClock(),
    signatures: {
      check: () => Promise.reject(new Error('there is no signature to check')),
      close: async () => {},
    },
  })

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
