import type { Layout } from './layout.ts'

/** The visible part of the layout. */
export interface View {
  x: number
  y: number
  /** In blocks and in lanes. */
  width: number
  height: number
}

export interface Size {
  width: number
  height: number
}

const MARGIN = 0.05
/** Blocks and lanes that are visible at least. */
const LEAST = 2
/** How far the view may go beyond the edges. */
const MAX = 4

/** All of it. */
export function wholeOf({ firstX, lastX, rows }: Layout): View {
  const width = Math.max(LEAST, lastX - firstX)
  const height = Math.max(LEAST, rows)
  return {
    x: firstX - width * MARGIN,
    y: -0.5 - height * MARGIN,
    width: width * (1 + 2 * MARGIN),
    height: height * (1 + 2 * MARGIN),
  }
}

/** Moved by shares of itself. */
export const moved = (view: View, right: number, down: number): View => ({
  ...view,
  x: view.x + right * view.width,
  y: view.y + down * view.height,
})

/** Zooms in (below 1) or out, around a point that stays fixed: 0 to 1 from left and top. */
export function zoomed(view: View, factor: number, whole: View, at = { x: 0.5, y: 0.5 }): View {
  const width = clamped(view.width * factor, LEAST, whole.width * MAX)
  const height = clamped(view.height * factor, LEAST, whole.height * MAX)
  return {
    x: view.x + (view.width - width) * at.x,
    y: view.y + (view.height - height) * at.y,
    width,
    height,
  }
}

/** The same scale, around a point. */
export const centred = (view: View, x: number, y: number): View => ({
  ...view,
  x: x - view.width / 2,
  y: y - view.height / 2,
})

const clamped = (value: number, least: number, most: number): number =>
  Math.min(Math.max(value, least), Math.max(least, most))

export const toScreen = (view: View, size: Size) => ({
  x: (at: number) => ((at - view.x) / view.width) * size.width,
  y: (row: number) => ((row - view.y) / view.height) * size.height,
})
