import { expect, test } from 'vitest'
import { Turn } from '../../src/runtime/turn.ts'
import { aborted } from '../../src/runtime/until-aborted.ts'

test('it waits at first, works in each turn, and never does both', async () => {
  const turn = new Turn()
  const stop = new AbortController()
  const seen: string[] = []
  const doing = (name: string) => async (until: AbortSignal) => {
    seen.push(`${name} begins`)
    await aborted(until)
    // Work ends later than its signal.
    await Promise.resolve()
    seen.push(`${name} ends`)
  }
  const running = turn.alternate({ work: doing('work'), wait: doing('wait') }, stop.signal)
  const settled = () => new Promise((resolve) => setImmediate(resolve))
  for (const isOurs of [true, true, false, true]) {
    turn.set(isOurs)
    await settled()
  }
  stop.abort()
  await running
  const twice = (name: string) => [`${name} begins`, `${name} ends`]
  expect(seen).toEqual(['wait', 'work', 'wait', 'work'].flatMap(twice))
})

test('a turn that comes and goes before the work of the last one has ended begins nothing', async () => {
  const turn = new Turn()
  const stop = new AbortController()
  const works: boolean[] = []
  let free = () => {}
  const running = turn.alternate(
    {
      work: async (until) => void works.push(until.aborted),
      wait: () => new Promise<void>((resolve) => (free = resolve)),
    },
    stop.signal,
  )
  turn.set(true)
  turn.set(false)
  free()
  await new Promise((resolve) => setImmediate(resolve))
  expect(works).toEqual([])
  stop.abort()
  free()
  await running
})

test('what fails ends it', async () => {
  const turn = new Turn()
  turn.set(true)
  const failing = { work: () => Promise.reject(new Error('a fault')), wait: aborted }
  await expect(turn.alternate(failing, new AbortController().signal)).rejects.toThrow('a fault')
})
