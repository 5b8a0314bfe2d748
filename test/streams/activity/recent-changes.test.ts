import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  type ChangedSpender,
  type RecentChange,
  RecentChanges,
} from '../../../src/streams/activity/recent-changes.ts'
import { toOrderId, toTxid } from '../../support/ids.ts'

const changeAt = (partition: number, offset: number, second = offset): RecentChange => ({
  partition,
  offset,
  orderId: toOrderId(`${partition}`.padStart(64, '0')),
  seq: offset + 1,
  observedAt: new Date(Date.UTC(2026, 0, 1) + second * 1_000).toISOString(),
  entry: null,
  isVerified: false,
})
const TXIDS = ['aa', 'bb'].map((byte) => toTxid(byte.repeat(32)))
const places = (changes: readonly RecentChange[]) =>
  changes.map(({ partition, offset }) => [partition, offset])

describe('the newest changes', () => {
  test('of several partitions are sorted by their times, of one by their offsets', () => {
    const recent = new RecentChanges([0, 0], 10)
    // The clock of partition 0 was set back after its first change.
    recent.add(0, 3, [changeAt(0, 0, 5), changeAt(0, 1, 2), changeAt(0, 2, 9)])
    recent.add(1, 9, [changeAt(1, 4, 1), changeAt(1, 7, 7)])
    expect(places(recent.between([0, 0], recent.place, 9))).toEqual([
      [1, 4],
      [0, 0],
      [0, 1],
      [1, 7],
      [0, 2],
    ])
    expect(recent.place).toEqual([3, 9])
  })

  test('continue from any place, within or beyond it', () => {
    const recent = new RecentChanges([0, 0], 10)
    recent.add(0, 5, [changeAt(0, 1), changeAt(0, 3)])
    expect(places(recent.between([2, 0], recent.place, 9))).toEqual([[0, 3]])
    expect(places(recent.between([1, 0], recent.place, 1))).toEqual([[0, 1]])
    expect(places(recent.between([8, 0], recent.place, 9))).toEqual([])
  })

  test('do not reach a place below what is kept', () => {
    const recent = new RecentChanges([100, 7], 3)
    expect(recent.reaches([100, 7])).toBe(true)
    expect(recent.reaches([99, 7])).toBe(false)
    expect(recent.reaches([100, 6])).toBe(false)
    for (let offset = 100; offset < 106; offset += 1)
      recent.add(0, offset + 1, [changeAt(0, offset)])
    expect(recent.reaches([102, 7])).toBe(false)
    expect(recent.reaches([103, 7])).toBe(true)
    expect(places(recent.between([103, 7], recent.place, 9))).toEqual([
      [0, 103],
      [0, 104],
      [0, 105],
    ])
  })

  test('from a reachable place never have a gap: any additions, any step', () => {
    const additions = fc.array(fc.tuple(fc.nat(2), fc.integer({ min: 1, max: 4 }), fc.boolean()))
    fc.assert(
      fc.property(additions, fc.integer({ min: 1, max: 7 }), (added, most) => {
        const recent = new RecentChanges([0, 0, 0], 4)
        const all: RecentChange[] = []
        const ends = [0, 0, 0]
        for (const [partition, skip, isChange] of added) {
          const offset = (ends[partition] ?? 0) + skip - 1
          ends[partition] = offset + 1
          const changes = isChange ? [changeAt(partition, offset)] : []
          all.push(...changes)
          recent.add(partition, offset + 1, changes)
        }
        expect(recent.place).toEqual(ends)
        for (const from of [[0, 0, 0], ends.map((end) => Math.max(0, end - 3)), ends]) {
          if (!recent.reaches(from)) continue
          const place = [...from]
          const seen: RecentChange[] = []
          for (let step = recent.between(place, recent.place, most); step.length > 0; ) {
            for (const change of step) {
              seen.push(change)
              place[change.partition] = change.offset + 1
            }
            step = recent.between(place, recent.place, most)
          }
          const wanted = all.filter(({ partition, offset }) => offset >= (from[partition] ?? 0))
          const sorted = (changes: readonly RecentChange[]) =>
            [0, 1, 2].flatMap((of) => changes.filter(({ partition }) => partition === of))
          expect(places(sorted(seen))).toEqual(places(sorted(wanted)))
        }
      }),
    )
  })
})

describe('what spent the output and no longer does', () => {
  const [one = toTxid(''), other = toTxid('')] = TXIDS
  const lost = (...spenders: ChangedSpender[]) => {
    const recent = new RecentChanges([0], 10)
    const all = spenders.map((spender, offset) => ({ ...changeAt(0, offset), spender }))
    recent.add(0, all.length, all)
    return recent.between([0], recent.place, 10).map(({ lostSpender }) => lostSpender)
  }

  test('is that of the last change which named one', () => {
    const mayReplace = true
    const story = [null, one, one, other, null, null].map((now) => ({ now, mayReplace }))
    expect(lost({ now: null, mayReplace: false }, ...story.slice(1))).toEqual([
      ...[undefined, undefined, undefined],
      ...[one, other, undefined],
    ])
  })

  test('is unknown where no change named one, unless by its state there was none', () => {
    expect(lost({ now: one, mayReplace: true })).toEqual(['unknown'])
    expect(lost({ now: one, mayReplace: false })).toEqual([undefined])
  })
})
