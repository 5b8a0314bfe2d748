import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  type BitmapFilter,
  listOf,
  wholeList,
} from '../../../../src/adapters/redis/order-index/kept-lists.ts'
import { KeptReads } from '../../../../src/adapters/redis/order-index/kept-reads.ts'
import { CHUNK_SLOTS, SlotSet } from '../../../../src/adapters/redis/order-index/slot-set.ts'

const NAMES = ['a', 'b', 'c'] as const
const FILTERS: readonly (readonly BitmapFilter[])[] = [
  [],
  [{ bits: ['a'], has: true }],
  [{ bits: ['a'], has: false }],
  [
    { bits: ['a', 'b'], has: true },
    { bits: ['c'], has: false },
  ],
  [{ bits: [], has: true }],
]
const BEGUN = '1-0'

/** By the bitmaps, of so many orders. */
function combined(filters: readonly BitmapFilter[], kept: KeptReads, orders: number): number[] {
  const passes = (slot: number) =>
    filters.every(({ bits, has }) => bits.some((name) => kept.get(name)?.has(slot)) === has)
  return Array.from({ length: orders }, (_, slot) => slot).filter(passes)
}

/** Bitmaps without orders in them, and the lists of all filters, of some orders. */
function keptOf(orders: number): KeptReads {
  const kept = new KeptReads()
  kept.begin(BEGUN)
  for (const name of NAMES) kept.put(name, new SlotSet(CHUNK_SLOTS), BEGUN)
  for (const filters of FILTERS) {
    const list = wholeList(orders)
    for (const { has } of filters) list.keep(new SlotSet(CHUNK_SLOTS), has)
    kept.putList(filters, listOf(list), BEGUN)
  }
  return kept
}

const someBits = fc.uniqueArray(
  fc.record({ name: fc.constantFrom(...NAMES), isIn: fc.boolean() }),
  {
    selector: ({ name }) => name,
  },
)

describe('kept lists', () => {
  test('are those of the bitmaps after every change, of orders old and new', () => {
    const oneChange = fc.record({ slot: fc.nat({ max: 40 }), bits: someBits })
    const batch = fc.record({
      changes: fc.array(oneChange, { maxLength: 4 }),
      isRead: fc.boolean(),
    })
    fc.assert(
      fc.property(fc.array(batch, { maxLength: 12 }), (batches) => {
        let [orders, id] = [20, 0]
        const kept = keptOf(orders)
        for (const { changes, isRead } of [...batches, { changes: [], isRead: true }]) {
          // A new order has the next slot.
          const made = changes.map(({ slot: drawn, bits }) => {
            const slot = Math.min(drawn, orders)
            orders = Math.max(orders, slot + 1)
            id += 1
            return { id: `1-${id}`, slot, bits }
          })
          kept.follow(made)
          // A list that was read since it changed last is copied, another one is not.
          if (!isRead) continue
          for (const filters of FILTERS) {
            const list = kept.list(filters, `1-${id}`)
            const slots = combined(filters, kept, orders)
            expect(list && [...list.slots]).toEqual(slots)
            expect(list?.total).toBe(slots.length)
          }
        }
      }),
    )
  })

  test('a list that was handed out stays as it was', () => {
    const kept = keptOf(5)
    const filters = FILTERS[2] ?? []
    const before = kept.list(filters, BEGUN)
    kept.follow([{ id: '1-1', slot: 3, bits: [{ name: 'a', isIn: true }] }])
    kept.follow([{ id: '1-2', slot: 4, bits: [{ name: 'a', isIn: true }] }])
    expect([...(before?.slots ?? [])]).toEqual([0, 1, 2, 3, 4])
    expect(before?.total).toBe(5)
    expect(kept.list(filters, '1-2')?.total).toBe(3)
  })

  test('have another version once an order that was or is in them has changed', () => {
    const kept = keptOf(5)
    const filters = FILTERS[1] ?? []
    const versions: unknown[] = [kept.list(filters, BEGUN)?.version]
    const change = (n: number, slot: number, isIn?: boolean) => {
      const bits = isIn === undefined ? [] : [{ name: 'a', isIn }]
      kept.follow([{ id: `1-${n}`, slot, bits }])
      versions.push(kept.list(filters, `1-${n}`)?.version)
    }
    change(1, 3)
    expect(versions[1]).toBe(versions[0])
    change(2, 3, true)
    change(3, 3)
    change(4, 2)
    expect(versions[4]).toBe(versions[3])
    change(5, 3, false)
    expect(new Set(versions).size).toBe(4)
  })

  test('are of one moment alone', () => {
    const kept = keptOf(5)
    kept.follow([{ id: '1-1', slot: 3, bits: [] }])
    expect(kept.list([], BEGUN)).toBeUndefined()
    kept.putList([{ bits: ['b'], has: false }], listOf(wholeList(5)), BEGUN)
    expect(kept.list([{ bits: ['b'], has: false }], '1-1')).toBeUndefined()
    kept.forget()
    kept.begin('1-1')
    expect(kept.list([], '1-1')).toBeUndefined()
  })

  test('are dropped where a bitmap is missing or an order is beyond their room', () => {
    const kept = keptOf(5)
    kept.putList([{ bits: ['unread'], has: false }], listOf(wholeList(5)), BEGUN)
    kept.follow([{ id: '1-1', slot: 3, bits: [] }])
    expect(kept.list([{ bits: ['unread'], has: false }], '1-1')).toBeUndefined()
    expect(kept.list([], '1-1')?.total).toBe(5)
    kept.follow([{ id: '1-2', slot: CHUNK_SLOTS, bits: [] }])
    expect(kept.list([], '1-2')).toBeUndefined()
  })

  test('are sixty-four at most', () => {
    const kept = keptOf(5)
    for (let n = 0; n < 64; n += 1)
      kept.putList([{ bits: [`n${n}`], has: false }], listOf(wholeList(5)), BEGUN)
    expect(FILTERS.map((filters) => kept.list(filters, BEGUN))).toEqual(
      FILTERS.map(() => undefined),
    )
    expect(kept.list([{ bits: ['n0'], has: false }], BEGUN)?.total).toBe(5)
  })
})
