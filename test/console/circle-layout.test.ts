import { describe, expect, test } from 'vitest'
import { type Graph, layoutOf } from '../../console/src/circles/layout.ts'
import { moved, toScreen, wholeOf, zoomed } from '../../console/src/circles/view.ts'

const circle = (txid: string, blockHeight: number, ...lineages: string[]) => ({
  txid,
  blockHeight,
  members: lineages.map((lineageId) => ({ lineageId })),
})
const lineage = (lineageId: string, firstHeight: number, lastHeight: number, isClosed = false) => ({
  lineageId,
  status: isClosed ? ('closed' as const) : ('active' as const),
  firstHeight,
  lastHeight,
})
/** a and b meet at 10, a closes at 12, and c begins with b at 20, twice in one block. */
const GRAPH: Graph = {
  circles: [circle('x', 10, 'a', 'b'), circle('y', 20, 'c', 'b'), circle('z', 20, 'b', 'c')],
  lineages: [lineage('a', 10, 12, true), lineage('b', 10, 20), lineage('c', 20, 20)],
}

describe('the lanes of lineages', () => {
  test('a closed one leaves its lane to the next', () => {
    const { lines, rows } = layoutOf(GRAPH)
    expect(rows).toBe(2)
    expect(lines.map(({ id, row }) => [id, row])).toEqual([
      ['a', 0],
      ['b', 1],
      ['c', 0],
    ])
  })

  test('simultaneous lineages never share one', () => {
    const closings = Array.from({ length: 60 }, (_, n) => 100 + ((n * 37) % 50))
    const { lines } = layoutOf({
      circles: closings.map((_, n) => circle(`t${n}`, 100 + Math.floor(n / 3), `l${n}`, `m${n}`)),
      lineages: closings.flatMap((end, n) => [
        lineage(`l${n}`, 100 + Math.floor(n / 3), Math.max(end, 100 + Math.floor(n / 3)), true),
        lineage(`m${n}`, 100 + Math.floor(n / 3), 100 + Math.floor(n / 3)),
      ]),
    })
    for (const [at, a] of lines.entries())
      for (const b of lines.slice(at + 1))
        if (a.row === b.row) expect(a.closedAt < b.from || b.closedAt < a.from).toBe(true)
  })
})

test('circles of one block are beside each other, within the block', () => {
  const { joints, heights, firstX, lastX } = layoutOf(GRAPH)
  expect(joints.map(({ txid, x }) => [txid, x])).toEqual([
    ['x', 10],
    ['y', 20],
    ['z', 20.4],
  ])
  expect({ heights, firstX, lastX }).toEqual({ heights: [10, 12, 20], firstX: 10, lastX: 21 })
})

test('a graph without circles has nothing to draw', () => {
  expect(layoutOf({ circles: [], lineages: [] })).toMatchObject({ rows: 0, heights: [] })
})

describe('the view', () => {
  const whole = wholeOf(layoutOf(GRAPH))
  const size = { width: 800, height: 400 }

  test('a zoom keeps what is under the pointer, and has bounds', () => {
    const at = { x: 0.25, y: 0.75 }
    const near = zoomed(whole, 0.8, whole, at)
    const placed = whole.x + at.x * whole.width
    expect(toScreen(near, size).x(placed)).toBeCloseTo(200)
    const times = (factor: number) =>
      Array.from({ length: 100 }).reduce<typeof whole>((v) => zoomed(v, factor, whole), whole)
    expect(times(0.5)).toMatchObject({ width: 2, height: 2 })
    expect(times(2).width).toBeCloseTo(whole.width * 4)
  })

  test('a move is a share of the visible area', () => {
    expect(moved(whole, 0.5, 0).x - whole.x).toBeCloseTo(whole.width / 2)
  })
})
