import { render } from 'preact'
import { act } from 'preact/test-utils'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { useFromNow } from '../src/ui/values/now.ts'

const START = Date.parse('2026-01-01T00:00:00.000Z')
const MINUTE_MS = 60_000

let root: HTMLElement
beforeEach(() => {
  vi.useFakeTimers({ now: START })
  root = document.createElement('div')
})
afterEach(() => {
  render(null, root)
  vi.useRealTimers()
})

const drawn: string[] = []

function Minutes({ at, what }: { at: number; what: string }) {
  const text = useFromNow((nowMs) => `${what} ${Math.floor((nowMs - at) / MINUTE_MS)} min`)
  drawn.push(text)
  return <span>{text}</span>
}

const show = (content: preact.ComponentChild) => act(() => render(content, root))
const pass = (ms: number) =>
  act(() => {
    vi.advanceTimersByTime(ms)
  })

test('what reads alike is not drawn again; what changed is, with one timer for all', async () => {
  drawn.length = 0
  await show([
    <Minutes key="a" at={START} what="a" />,
    <Minutes key="b" at={START - 30_000} what="b" />,
  ])
  expect(vi.getTimerCount()).toBe(1)
  await pass(29_000)
  expect(drawn).toEqual(['a 0 min', 'b 0 min'])
  await pass(31_000)
  expect(drawn).toEqual(['a 0 min', 'b 0 min', 'b 1 min', 'a 1 min'])
  expect(root.textContent).toBe('a 1 minb 1 min')
})

test('another start is read at once, and a value that comes back is shown', async () => {
  await show(<Minutes at={START} what="a" />)
  await show(<Minutes at={START - 5 * MINUTE_MS} what="a" />)
  expect(root.textContent).toBe('a 5 min')
  let isSilent = true
  const Silence = () => useFromNow(() => (isSilent ? 'silent' : null))
  await show(<Silence />)
  expect(root.textContent).toBe('silent')
  isSilent = false
  await pass(1_000)
  expect(root.textContent).toBe('')
})

test('the timer ends with the last place that reads the time', async () => {
  await show(<Minutes at={START} what="a" />)
  expect(vi.getTimerCount()).toBe(1)
  await show(null)
  expect(vi.getTimerCount()).toBe(0)
})
