import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { LAST_ID, sweepWindow } from '../../../src/actors/partition/sweep-window.ts'
import { hash } from '../../support/orders/evidence.ts'

const DAY = 86_400_000
const MIDNIGHT = Date.UTC(2030, 0, 1)
const ids = Array.from({ length: 200 }, (_, n) => hash(`order ${n}`))
const inWindow = (from: number, to: number, dayMs = DAY) =>
  ids.filter((id) =>
    sweepWindow(from, to, dayMs).some(({ after, upTo }) => id > (after ?? '') && id <= upTo),
  )

describe('the window of a sweep', () => {
  test('is a share of all ids as large as its share of the day', () => {
    expect(sweepWindow(MIDNIGHT, MIDNIGHT + DAY / 4, DAY)).toEqual([
      { after: '0'.repeat(64), upTo: `4${'0'.repeat(63)}` },
    ])
  })

  test('over midnight is the last ids and the first', () => {
    const window = sweepWindow(MIDNIGHT - DAY / 16, MIDNIGHT + DAY / 16, DAY)
    expect(window).toEqual([
      { after: `f${'0'.repeat(63)}`, upTo: LAST_ID },
      { after: null, upTo: `1${'0'.repeat(63)}` },
    ])
  })

  test('of no time, or of time that goes back, is empty', () => {
    expect(sweepWindow(MIDNIGHT, MIDNIGHT, DAY)).toEqual([])
    expect(sweepWindow(MIDNIGHT, MIDNIGHT - 1, DAY)).toEqual([])
  })

  test('of a day or more is everything, once', () => {
    expect(sweepWindow(MIDNIGHT + 5, MIDNIGHT + 5 + DAY, DAY)).toEqual([
      { after: null, upTo: LAST_ID },
    ])
  })

  test('of any steps through a day has each id once', () => {
    fc.assert(
      fc.property(
        fc.nat(DAY),
        fc.uniqueArray(fc.integer({ min: 1, max: DAY - 1 }), { maxLength: 20 }),
        (start, cuts) => {
          const from = MIDNIGHT + start
          const moments = [0, ...cuts.toSorted((a, b) => a - b), DAY].map((ms) => from + ms)
          const swept = moments.slice(1).flatMap((to, at) => inWindow(moments[at] ?? from, to))
          expect(swept.toSorted()).toEqual(ids.toSorted())
        },
      ),
    )
  })
})
