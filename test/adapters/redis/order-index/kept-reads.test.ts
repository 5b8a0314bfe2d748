import { describe, expect, test } from 'vitest'
import {
  type ChangeReply,
  changesAfter,
  NO_CHANGE,
} from '../../../../src/adapters/redis/order-index/changes.ts'
import { KeptReads } from '../../../../src/adapters/redis/order-index/kept-reads.ts'
import { CHUNK_SLOTS, SlotSet } from '../../../../src/adapters/redis/order-index/slot-set.ts'
import type { StoredAnswer } from '../../../../src/domain/order/stored-answer.ts'
import { collectGarbage } from '../../../support/collect-garbage.ts'

const change = (id: string, slot: number, ...bits: string[]): ChangeReply[number] => [
  id,
  ['slot', String(slot), ...bits],
]

describe('changes after one', () => {
  const reply = [change('5-0', 1, 'enter', 'a'), change('5-1', 2, 'leave', 'a', 'enter', 'b')]

  test('are those that follow it', () => {
    const bits = [
      { name: 'a', isIn: false },
      { name: 'b', isIn: true },
    ]
    expect(changesAfter('5-0', reply)).toEqual([{ id: '5-1', slot: 2, bits }])
  })

  test('are unknown where Redis has lost or forgotten it, or has too many', () => {
    expect(changesAfter('4-0', reply)).toBeNull()
    expect(changesAfter('4-0', [])).toBeNull()
    expect(changesAfter(NO_CHANGE, reply)).toBeNull()
    const many = Array.from({ length: 512 }, (_, n) => change(`5-${n}`, n))
    expect(changesAfter('5-0', many)).toBeNull()
  })

  test('are none before the first', () => {
    expect(changesAfter(NO_CHANGE, [])).toEqual([])
  })
})

describe('cached bitmaps', () => {
  const kept = () => {
    const bitmaps = new KeptReads()
    bitmaps.begin('9-0')
    const set = new SlotSet(CHUNK_SLOTS)
    set.add(3)
    bitmaps.put('a', set, '9-0')
    return bitmaps
  }
  const bits = (isIn: boolean) => [{ name: 'a', isIn }]

  test('follow each change once, in its order', () => {
    const bitmaps = kept()
    const changes = [
      { id: '9-1', slot: 3, bits: bits(false) },
      { id: '10-0', slot: 4, bits: bits(true) },
    ]
    bitmaps.follow(changes)
    expect([...(bitmaps.get('a') ?? [])]).toEqual([4])
    bitmaps.follow([{ id: '9-0', slot: 9, bits: bits(true) }, ...changes])
    expect([...(bitmaps.get('a') ?? [])]).toEqual([4])
    expect(bitmaps.at).toBe('10-0')
  })

  test('grow with the orders', () => {
    const bitmaps = kept()
    bitmaps.follow([{ id: '9-1', slot: CHUNK_SLOTS + 7, bits: bits(true) }])
    expect([...(bitmaps.get('a') ?? [])]).toEqual([3, CHUNK_SLOTS + 7])
  })

  test('ignore those of another moment', () => {
    const bitmaps = kept()
    bitmaps.put('b', new SlotSet(CHUNK_SLOTS), '9-1')
    expect(bitmaps.get('b')).toBeUndefined()
    bitmaps.forget()
    expect([bitmaps.at, bitmaps.get('a')]).toEqual([null, undefined])
  })
})

function heapUsed(): number {
  collectGarbage()
  return process.memoryUsage().heapUsed
}

describe('kept answers', () => {
  const answer = (text: string) => ({
    partition: 1,
    answer: { judged: {} as StoredAnswer['judged'], pieces: [text], digest: text },
  })
  const begun = () => {
    const kept = new KeptReads()
    kept.begin('9-0')
    return kept
  }
  const span = { from: '9-0', to: '9-0' }
  const changeOf = (id: string, slot: number) => ({ id, slot, bits: [] })

  test('are those of their orders until these change', () => {
    const kept = begun()
    kept.putAnswers(
      [
        [3, answer('three')],
        [4, answer('four – 4')],
      ],
      span,
    )
    expect(kept.answer(3, '9-0')).toEqual(answer('three'))
    kept.follow([changeOf('9-1', 3), changeOf('9-2', 5)])
    expect(kept.answer(3, '9-2')).toBeUndefined()
    expect(kept.answer(4, '9-2')).toEqual(answer('four – 4'))
  })

  test('are not as of before they were read, nor of later than was followed', () => {
    const kept = begun()
    kept.follow([changeOf('9-5', 1)])
    kept.putAnswers([[3, answer('three')]], { from: '9-5', to: '9-7' })
    expect(kept.answer(3, '9-4')).toBeUndefined()
    expect(kept.answer(3, '9-5')).toEqual(answer('three'))
    expect(kept.answer(3, '9-6')).toBeUndefined()
    kept.follow([changeOf('9-6', 1)])
    expect(kept.answer(3, '9-6')).toEqual(answer('three'))
  })

  test('are kept only if the index is of the time when they were read', () => {
    const kept = begun()
    kept.putAnswers([[3, answer('later')]], { from: '9-1', to: '9-2' })
    kept.follow([changeOf('9-3', 3)])
    kept.putAnswers([[3, answer('earlier')]], { from: '9-0', to: '9-2' })
    expect(kept.answer(3, '9-3')).toBeUndefined()
    kept.forget()
    kept.putAnswers([[3, answer('none')]], span)
    kept.begin('9-3')
    expect(kept.answer(3, '9-3')).toBeUndefined()
  })

  test('do not hold the text of the whole order in memory', () => {
    const kept = begun()
    const before = heapUsed()
    for (let slot = 0; slot < 100; slot += 1) {
      const text = `${slot} `.repeat(200_000)
      const piece = text.slice(100, 2_100)
      const digest = text.slice(0, 22)
      const { judged } = answer('').answer
      kept.putAnswers([[slot, { partition: 1, answer: { judged, pieces: [piece], digest } }]], span)
    }
    expect(heapUsed() - before).toBeLessThan(2 ** 20)
  })

  test('are forgotten with the rest, and are 64 MiB at most', () => {
    const kept = begun()
    kept.putAnswers([[1, answer('é'.repeat(16 * 2 ** 20))]], span)
    kept.putAnswers([[2, answer('e'.repeat(31 * 2 ** 20))]], span)
    expect([1, 2].map((slot) => kept.answer(slot, '9-0') !== undefined)).toEqual([true, true])
    kept.putAnswers([[3, answer('e'.repeat(2 ** 20))]], span)
    expect([1, 2, 3].map((slot) => kept.answer(slot, '9-0') !== undefined)).toEqual([
      false,
      true,
      true,
    ])
    kept.forget()
    kept.begin('9-0')
    expect(kept.answer(3, '9-0')).toBeUndefined()
  })
})

test('a set of slots counts what is in it, whatever its size', () => {
  for (const slots of [0, 1, 31, 32, 33, 4_095, 4_097, 10_000]) {
    const all = SlotSet.all(slots)
    expect([all.count(), [...all].length]).toEqual([slots, slots])
    const odd = new SlotSet(slots)
    for (let slot = 1; slot < slots; slot += 2) odd.add(slot)
    expect(all.countWith(odd)).toBe(Math.floor(slots / 2))
    all.keep(odd, false)
    expect([...all]).toEqual(Array.from({ length: Math.ceil(slots / 2) }, (_, n) => n * 2))
  }
})
