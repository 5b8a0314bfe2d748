import { useCallback, useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { coloursOf } from '../ui/colours.ts'
import { useThemeCount } from '../ui/shell/theme-count.ts'
import { COLOURS, draw, jointAt } from './draw.ts'
import type { Joint, Layout } from './layout.ts'
import { centred, moved, type Size, type View, wholeOf, zoomed } from './view.ts'

const NEARER = 0.8
const STEP = 0.1

interface Parts {
  layout: Layout
  upTo: number
  chosen: Joint | null
  choose(joint: Joint | null): void
}

/** The graph: dragged, zoomed by Ctrl and wheel, by the keyboard and by buttons. */
export function CircleCanvas({ layout, upTo, chosen, choose }: Parts) {
  const canvas = useRef<HTMLCanvasElement>(null)
  const whole = useMemo(() => wholeOf(layout), [layout])
  // Null: all of it, however it grows.
  const [own, setOwn] = useState<View | null>(null)
  const view = own ?? whole
  const setView = useCallback(
    (change: (now: View) => View) => setOwn((now) => change(now ?? whole)),
    [whole],
  )
  const showAll = () => setOwn(null)
  const size = useSize(canvas)
  const theme = useThemeCount()
  const [isDragged, setDragged] = useState(false)
  const scene = { layout, view, size, upTo, chosen }

  useEffect(() => {
    const element = canvas.current
    const context = element?.getContext('2d')
    if (!element || !context || size.width === 0) return
    const frame = requestAnimationFrame(() => {
      element.width = size.width * devicePixelRatio
      element.height = size.height * devicePixelRatio
      context.scale(devicePixelRatio, devicePixelRatio)
      draw(context, { layout, view, size, upTo, chosen }, coloursOf(element, COLOURS))
    })
    return () => cancelAnimationFrame(frame)
  }, [layout, view, size, upTo, chosen, theme])

  useEffect(() => {
    const element = canvas.current
    if (!element) return
    const wheel = (event: WheelEvent) => {
      if (!event.ctrlKey) return
      event.preventDefault()
      const at = { x: event.offsetX / size.width, y: event.offsetY / size.height }
      setView((now) => zoomed(now, event.deltaY > 0 ? 1 / NEARER : NEARER, whole, at))
    }
    element.addEventListener('wheel', wheel, { passive: false })
    return () => element.removeEventListener('wheel', wheel)
  }, [whole, size, setView])

  const point = (event: PointerEvent) => {
    if (!isDragged) choose(jointAt(scene, { x: event.offsetX, y: event.offsetY }) ?? chosen)
    else setView((now) => moved(now, -event.movementX / size.width, -event.movementY / size.height))
  }
  const step = (by: 1 | -1) => {
    const joint = neighbourOf(layout, upTo, chosen, by)
    if (!joint) return
    choose(joint)
    setView((now) => centred(now, joint.x, joint.rows[0] ?? 0))
  }
  const press = (event: KeyboardEvent) => {
    const act = actOf(event.key, { setView, showAll, whole, step })
    if (!act) return
    event.preventDefault()
    act()
  }
  const zoom = (factor: number) => setView((now) => zoomed(now, factor, whole))
  return (
    <>
      <div class="row moves">
        <button type="button" class="plain" onClick={() => zoom(NEARER)}>
          Zoom in
        </button>
        <button type="button" class="plain" onClick={() => zoom(1 / NEARER)}>
          Zoom out
        </button>
        <button type="button" class="plain" onClick={showAll}>
          Show all
        </button>
        <button type="button" class="plain" onClick={() => step(-1)}>
          Previous circle
        </button>
        <button type="button" class="plain" onClick={() => step(1)}>
          Next circle
        </button>
      </div>
      <canvas
        ref={canvas}
        class="graph"
        tabIndex={0}
        role="img"
        aria-label={`${layout.lines.length} lineages over the height, joined by ${layout.joints.length} circles`}
        aria-describedby="keys"
        onKeyDown={press}
        onPointerMove={point}
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId)
          setDragged(true)
        }}
        onPointerUp={() => setDragged(false)}
        onPointerCancel={() => setDragged(false)}
      />
      <p id="keys" class="quiet">
        Drag to move, Ctrl and wheel to zoom. On the keyboard: arrows, + and −, 0 for all, N and P
        for the next and previous circle.
      </p>
    </>
  )
}

interface Moves {
  setView(change: (now: View) => View): void
  showAll(): void
  whole: View
  step(by: 1 | -1): void
}

function actOf(key: string, { setView, showAll, whole, step }: Moves): (() => void) | undefined {
  const move = (right: number, down: number) => () => setView((now) => moved(now, right, down))
  const acts: Record<string, () => void> = {
    ArrowLeft: move(-STEP, 0),
    ArrowRight: move(STEP, 0),
    ArrowUp: move(0, -STEP),
    ArrowDown: move(0, STEP),
    '+': () => setView((now) => zoomed(now, NEARER, whole)),
    '-': () => setView((now) => zoomed(now, 1 / NEARER, whole)),
    0: showAll,
    n: () => step(1),
    p: () => step(-1),
  }
  return Object.hasOwn(acts, key) ? acts[key] : undefined
}

function neighbourOf({ joints }: Layout, upTo: number, chosen: Joint | null, by: 1 | -1) {
  const seen = joints.filter(({ blockHeight }) => blockHeight <= upTo)
  const at = chosen ? seen.findIndex(({ txid }) => txid === chosen.txid) : -1
  if (at === -1) return by === 1 ? seen[0] : seen.at(-1)
  return seen[at + by]
}

function useSize(target: { current: HTMLCanvasElement | null }): Size {
  const [size, setSize] = useState<Size>({ width: 0, height: 0 })
  useEffect(() => {
    const element = target.current
    if (!element) return
    const watch = new ResizeObserver(() =>
      setSize({ width: element.clientWidth, height: element.clientHeight }),
    )
    watch.observe(element)
    return () => watch.disconnect()
  }, [target])
  return size
}
