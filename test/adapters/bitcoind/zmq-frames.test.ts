import { describe, expect, test } from 'vitest'
import { createZmqDecoder } from '../../../src/adapters/bitcoind/zmq-frames.ts'
import type { NodeChange } from '../../../src/ports/authorities/full-node.ts'
import { framesOf, readRecording, sequenceFrames } from './zmq-recording.ts'

const kinds = (changes: readonly NodeChange[]) => changes.map(({ kind }) => kind)
const gapsIn = (changes: readonly NodeChange[]) => kinds(changes).filter((kind) => kind === 'gap')

describe('zmq frames recorded from Bitcoin Core', () => {
  test('every step reports what the mempool did, in order, with the bodies of new transactions', () => {
    const decode = createZmqDecoder()
    const steps = readRecording().map(({ step, messages }) => ({
      step,
      changes: messages.flatMap((message) => decode(framesOf(message))),
    }))
    expect(steps.map(({ step, changes }) => [step, kinds(changes)])).toEqual([
      ['subscribed', ['gap', 'connected', 'connected']],
      ['a transaction', ['added']],
      ['replaced', ['removed', 'added']],
      ['a child', ['added']],
      ['mined', ['connected']],
      ['one more', ['added']],
      ['block undone', ['disconnected', 'added', 'added']],
      ['longer branch', ['connected', 'connected']],
      ['spent by a block', ['added', 'removed', 'connected']],
      ['back to the first branch', []],
      ['restart', []],
      ['a block', ['gap', 'connected']],
    ])
    const added = steps.flatMap(({ changes }) => changes).filter(({ kind }) => kind === 'added')
    expect(added.every((change) => change.kind === 'added' && change.hex !== null)).toBe(true)
  })

  test('the numbers are those of the mempool itself', () => {
    const decode = createZmqDecoder()
    for (const { messages, mempoolSequence } of readRecording()) {
      const numbers = messages
        .flatMap((message) => decode(framesOf(message)))
        .flatMap((change) => ('mempoolSequence' in change ? [change.mempoolSequence] : []))
      if (numbers.length > 0) expect(mempoolSequence).toBe((numbers.at(-1) ?? 0) + 1)
    }
  })

  test('a lost message is a gap at the next one, whichever was lost', () => {
    const messages = readRecording()
      .slice(0, 9)
      .flatMap((step) => step.messages)
    const pushes = messages.filter(({ topic }) => topic === 'sequence')
    for (const lost of pushes.slice(1, -1)) {
      const decode = createZmqDecoder()
      const changes = messages
        .filter((message) => message !== lost)
        .flatMap((message) => decode(framesOf(message)))
      expect(gapsIn(changes)).toHaveLength(2)
    }
  })

  test('a lost rawtx costs the body only', () => {
    const decode = createZmqDecoder()
    const changes = readRecording()
      .slice(0, 2)
      .flatMap(({ messages }) => messages)
      .filter(({ topic }) => topic !== 'rawtx')
      .flatMap((message) => decode(framesOf(message)))
    expect(changes.at(-1)).toMatchObject({ kind: 'added', hex: null })
    expect(gapsIn(changes)).toHaveLength(1)
  })
})

describe('zmq counters', () => {
  const hash = 'ab'.repeat(32)
  const connected = (counter: number) => sequenceFrames(`${hash}43`, counter)

  test('wrap at 2^32 without a gap', () => {
    const decode = createZmqDecoder()
    decode(connected(0xfffffffe))
    expect(kinds(decode(connected(0xffffffff)))).toEqual(['connected'])
    expect(kinds(decode(connected(0)))).toEqual(['connected'])
    expect(kinds(decode(connected(2)))).toEqual(['gap', 'connected'])
  })

  test('a restarted node starts anew: one gap, not four billion', () => {
    const decode = createZmqDecoder()
    decode(connected(117))
    expect(decode(connected(3))).toEqual([
      { kind: 'gap', detail: 'zmq sequence: message 3 came after 117' },
      { kind: 'connected', hash },
    ])
    expect(kinds(decode(connected(4)))).toEqual(['connected'])
  })

  test('unreadable messages are gaps, other topics are ignored', () => {
    const decode = createZmqDecoder()
    decode(connected(1))
    const odd = [
      [Buffer.from('sequence')],
      [Buffer.from('sequence'), Buffer.alloc(33)],
      [Buffer.from('sequence'), Buffer.alloc(33), Buffer.alloc(3)],
      sequenceFrames(`${hash}58`, 2),
      sequenceFrames(`${hash}4301`, 3),
      sequenceFrames(`${hash}410000`, 4),
      sequenceFrames('', 5),
    ]
    for (const frames of odd) expect(kinds(decode(frames))).toEqual(['gap'])
    expect(decode([])).toEqual([])
    expect(decode([Buffer.from('hashblock'), Buffer.alloc(32), Buffer.alloc(4)])).toEqual([])
    expect(decode([Buffer.from('rawtx'), Buffer.alloc(9), Buffer.alloc(4)])).toEqual([])
  })
})
