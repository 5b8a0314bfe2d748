/** The drawn part of a snapshot: its circles in order, and its lineages. */
export interface Graph {
  circles: readonly {
    txid: string
    blockHeight: number
    members: readonly { lineageId: string }[]
  }[]
  lineages: readonly {
    lineageId: string
    status: 'active' | 'closed'
    firstHeight: number
    lastHeight: number
  }[]
}

/** A lineage: one line in a lane of its own, from its first circle on. */
export interface Line {
  id: string
  row: number
  from: number
  /** Of an open lineage: its last circle. */
  to: number
  /** Infinity: it is open. */
  closedAt: number
}

/** A circle, where the lines of its members meet. */
export interface Joint {
  txid: string
  blockHeight: number
  x: number
  /** Ascending. */
  rows: readonly number[]
}

/** Where everything is: x is the height, with the circles of one block beside each other; y is the lane. */
export interface Layout {
  lines: readonly Line[]
  /** By x. */
  joints: readonly Joint[]
  firstX: number
  lastX: number
  rows: number
  /** Heights of blocks that changed the graph, ascending. */
  heights: readonly number[]
}

/** Of a block's width, that its circles share. */
const SHARED = 0.8

export function layoutOf({ circles, lineages }: Graph): Layout {
  const xOf = placesOf(circles)
  const firstOf = new Map<string, number>()
  const lastOf = new Map<string, number>()
  for (const circle of circles) {
    const x = xOf.get(circle.txid) ?? circle.blockHeight
    for (const { lineageId } of circle.members) {
      if (!firstOf.has(lineageId)) firstOf.set(lineageId, x)
      lastOf.set(lineageId, x)
    }
  }
  const lines = lineages.map((one): Line => {
    const from = firstOf.get(one.lineageId) ?? one.firstHeight
    const to = lastOf.get(one.lineageId) ?? one.lastHeight
    const closedAt = one.status === 'closed' ? Math.max(to, one.lastHeight + SHARED) : Infinity
    return { id: one.lineageId, row: 0, from, to, closedAt }
  })
  const rows = assignLanes(lines)
  const rowOf = new Map(lines.map(({ id, row }) => [id, row]))
  const joints = circles.map(({ txid, blockHeight, members }): Joint => {
    const own = members.map(({ lineageId }) => rowOf.get(lineageId) ?? 0)
    const x = xOf.get(txid) ?? blockHeight
    return { txid, blockHeight, x, rows: own.sort((a, b) => a - b) }
  })
  const closings = lineages.filter(({ status }) => status === 'closed')
  const heights = [
    ...new Set([
      ...circles.map(({ blockHeight }) => blockHeight),
      ...closings.map(({ lastHeight }) => lastHeight),
    ]),
  ].sort((a, b) => a - b)
  const firstX = heights[0] ?? 0
  return { lines, joints, firstX, lastX: (heights.at(-1) ?? 0) + 1, rows, heights }
}

/** The circles of a block in their order, beside each other; a snapshot has them by height and place. */
function placesOf(circles: Graph['circles']): Map<string, number> {
  const countAt = new Map<number, number>()
  for (const { blockHeight } of circles)
    countAt.set(blockHeight, (countAt.get(blockHeight) ?? 0) + 1)
  const seenAt = new Map<number, number>()
  return new Map(
    circles.map(({ txid, blockHeight }) => {
      const seen = seenAt.get(blockHeight) ?? 0
      seenAt.set(blockHeight, seen + 1)
      return [txid, blockHeight + (SHARED * seen) / (countAt.get(blockHeight) ?? 1)]
    }),
  )
}

/**
 * Each line gets a lane; an ended one passes its lane to the next that begins.
 * @returns how many there are
 */
function assignLanes(lines: readonly Line[]): number {
  const byEnd = [...lines].sort((a, b) => a.closedAt - b.closedAt)
  const free: number[] = []
  let ended = 0
  let rows = 0
  for (const line of [...lines].sort((a, b) => a.from - b.from || (a.id < b.id ? -1 : 1))) {
    for (let next = byEnd[ended]; next && next.closedAt < line.from; next = byEnd[ended]) {
      free.push(next.row)
      ended += 1
    }
    line.row = free.shift() ?? rows
    if (line.row === rows) rows += 1
  }
  return rows
}
