import { describe, expect, test } from 'vitest'
import {
  type ChangeReply,
  changesAfter,
  NO_CHANGE,
} from '../../../../src/adapters/redis/order-index/changes.ts'
import { KeptBitmaps } from '../../../../src/adapters/redis/order-index/kept-bitmaps.ts'
import { CHUNK_SLOTS, SlotSet } from '../../../../src/adapters/redis/order-index/slot-set.ts'

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
    const bitmaps = new KeptBitmaps()
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
