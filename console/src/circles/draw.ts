import type { Joint, Layout, Line } from './layout.ts'
import { type Size, toScreen, type View } from './view.ts'

export const COLOURS = ['ink', 'quiet', 'line', 'accent', 'bad', 'page'] as const

export type Colours = Record<(typeof COLOURS)[number], string>

export interface Scene {
  layout: Layout
  view: View
  size: Size
  /** Later heights are omitted. */
  upTo: number
  chosen: Joint | null
}

/** Lanes nearer than this have lines without dots. */
const DOTS_FROM_PX = 5
const DOT_PX = 4
/** Lanes nearer than this have thin, pale lines. */
const SPARSE_FROM_PX = 4
const MAX_MARKS = 8
/** From one mark of the height to the next: its number has room, on a phone too. */
const MARK_PX = 72
const FONT = '12px system-ui, sans-serif'

/**
 * The visible part of the graph. Each kind is one path, whatever its size: thousands of lines take
 * a few ms.
 */
export function draw(context: CanvasRenderingContext2D, scene: Scene, colours: Colours): void {
  const { size } = scene
  context.clearRect(0, 0, size.width, size.height)
  drawHeights(context, scene, colours)
  const isDense = size.height / scene.view.height < SPARSE_FROM_PX
  context.lineWidth = isDense ? 0.5 : 1.5
  context.globalAlpha = isDense ? 0.5 : 1
  drawLines(context, scene, colours)
  drawJoints(context, scene, colours)
  context.globalAlpha = 1
  drawHeightNames(context, scene, colours)
  if (scene.chosen) drawChosen(context, scene, scene.chosen, colours)
}

const isSeen = (from: number, to: number, start: number, length: number): boolean =>
  to >= start && from <= start + length

function drawHeights(
  context: CanvasRenderingContext2D,
  { view, size }: Scene,
  { line }: Colours,
): void {
  const { x } = toScreen(view, size)
  context.strokeStyle = line
  context.lineWidth = 1
  context.beginPath()
  for (const height of marksOf(view, size)) {
    context.moveTo(x(height), 0)
    context.lineTo(x(height), size.height)
  }
  context.stroke()
}

/** Over the lines, on the colour of the page. */
function drawHeightNames(
  context: CanvasRenderingContext2D,
  { view, size }: Scene,
  { page, ink }: Colours,
): void {
  const { x } = toScreen(view, size)
  context.font = FONT
  for (const height of marksOf(view, size)) {
    const name = String(height)
    const width = context.measureText(name).width + 4
    const isCut = x(height) + 2 + width > size.width
    const left = isCut ? x(height) - 2 - width : x(height) + 2
    context.fillStyle = page
    context.fillRect(left, size.height - 18, width, 16)
    context.fillStyle = ink
    context.fillText(name, left + 2, size.height - 6)
  }
}

/** Round heights in view, as many as have room for their names. */
export function marksOf(view: View, size: Size): number[] {
  const count = Math.max(1, Math.min(MAX_MARKS, Math.floor(size.width / MARK_PX)))
  const step = roundStep(view.width / count)
  const first = Math.max(0, Math.ceil(view.x / step))
  const last = Math.floor((view.x + view.width) / step)
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, at) => (first + at) * step)
}

/** 1, 2 or 5 times a power of ten blocks. */
function roundStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, least)))
  return ([1, 2, 5, 10].find((factor) => factor * power >= least) ?? 10) * power
}

function drawLines(context: CanvasRenderingContext2D, scene: Scene, colours: Colours): void {
  const { layout, view, size, upTo } = scene
  const { x, y } = toScreen(view, size)
  const end = upTo + 1
  const seen = layout.lines.filter(
    ({ row, from, closedAt }) =>
      from < end &&
      isSeen(row, row, view.y, view.height) &&
      isSeen(from, Math.min(closedAt, end), view.x, view.width),
  )
  context.strokeStyle = colours.quiet
  context.beginPath()
  for (const { row, from, closedAt } of seen) {
    context.moveTo(x(from), y(row))
    context.lineTo(x(Math.min(closedAt, end)), y(row))
  }
  context.stroke()
  drawClosings(
    context,
    scene,
    seen.filter(({ closedAt }) => closedAt < end),
    colours,
  )
}

function drawClosings(
  context: CanvasRenderingContext2D,
  { view, size }: Scene,
  closed: readonly Line[],
  { bad }: Colours,
): void {
  const { x, y } = toScreen(view, size)
  context.strokeStyle = bad
  context.beginPath()
  for (const { row, closedAt } of closed) {
    context.moveTo(x(closedAt), y(row) - DOT_PX)
    context.lineTo(x(closedAt), y(row) + DOT_PX)
  }
  context.stroke()
}

function drawJoints(context: CanvasRenderingContext2D, scene: Scene, { accent }: Colours): void {
  const { layout, view, size, upTo } = scene
  const { x, y } = toScreen(view, size)
  const hasDots = size.height / view.height >= DOTS_FROM_PX
  context.strokeStyle = accent
  context.fillStyle = accent
  context.beginPath()
  const dots = new Path2D()
  for (const joint of layout.joints) {
    const [top = 0, bottom = top] = [joint.rows[0], joint.rows.at(-1)]
    if (joint.blockHeight > upTo) break
    if (!isSeen(joint.x, joint.x, view.x, view.width)) continue
    if (!isSeen(top, bottom, view.y, view.height)) continue
    const across = x(joint.x)
    context.moveTo(across, y(top))
    context.lineTo(across, y(bottom))
    if (hasDots)
      for (const row of joint.rows) {
        dots.moveTo(across + DOT_PX, y(row))
        dots.arc(across, y(row), DOT_PX, 0, 2 * Math.PI)
      }
  }
  context.stroke()
  context.fill(dots)
}

function drawChosen(
  context: CanvasRenderingContext2D,
  { view, size }: Scene,
  { x: at, rows }: Joint,
  { ink }: Colours,
): void {
  const { x, y } = toScreen(view, size)
  context.strokeStyle = ink
  context.lineWidth = 3
  context.beginPath()
  context.moveTo(x(at), y(rows[0] ?? 0))
  context.lineTo(x(at), y(rows.at(-1) ?? 0))
  for (const row of rows) {
    context.moveTo(x(at) + DOT_PX + 2, y(row))
    context.arc(x(at), y(row), DOT_PX + 2, 0, 2 * Math.PI)
  }
  context.stroke()
}

/** How near the pointer must be. */
const NEAR_PX = 12

/** The circle under the pointer, or the nearest one there. */
export function jointAt(
  { layout, view, size, upTo }: Omit<Scene, 'chosen'>,
  pointer: { x: number; y: number },
): Joint | null {
  const { x, y } = toScreen(view, size)
  let best: Joint | null = null
  let least = NEAR_PX
  for (const joint of layout.joints) {
    if (joint.blockHeight > upTo) break
    const away = Math.abs(x(joint.x) - pointer.x)
    const [top, bottom] = [y(joint.rows[0] ?? 0), y(joint.rows.at(-1) ?? 0)]
    if (away >= least || pointer.y < top - NEAR_PX || pointer.y > bottom + NEAR_PX) continue
    best = joint
    least = away
  }
  return best
}
