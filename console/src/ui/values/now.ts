import { useEffect, useReducer, useRef } from 'preact/hooks'

const TICK_MS = 1_000

/** What each place on the page that depends on the time does once a second: all in one turn. */
const ticks = new Set<() => void>()
let timer: ReturnType<typeof setInterval> | undefined

function onTick(tick: () => void): () => void {
  ticks.add(tick)
  timer ??= setInterval(() => {
    for (const each of ticks) each()
  }, TICK_MS)
  return () => {
    ticks.delete(tick)
    if (ticks.size > 0) return
    clearInterval(timer)
    timer = undefined
  }
}

/** What is read from the time (ms), now and once a second: it is drawn again only where it changed. */
export function useFromNow<T extends string | boolean | null>(read: (nowMs: number) => T): T {
  const [, drawAgain] = useReducer((drawn: number) => drawn + 1, 0)
  const last = { read, shown: read(Date.now()) }
  const latest = useRef(last)
  latest.current = last
  useEffect(
    () =>
      onTick(() => {
        if (latest.current.read(Date.now()) !== latest.current.shown) drawAgain(undefined)
      }),
    [],
  )
  return last.shown
}
