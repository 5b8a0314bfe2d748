import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { systemClock } from '../../../src/adapters/embedded/system-clock.ts'
import { pace } from '../../../src/ports/clock.ts'

test('who asks for a turn gets one of its own, after those who asked before', async () => {
  let turn = 0
  let ended = false
  const counting = (async () => {
    for (; !ended; turn += 1) await nextTurn()
  })()
  const order: string[] = []
  const turns: number[] = []
  const ask = async (who: string) => {
    await systemClock.turn()
    order.push(who)
    turns.push(turn)
  }
  await Promise.all(['a', 'b', 'c'].map(ask))
  await ask('d')
  ended = true
  await counting
  expect(order).toEqual(['a', 'b', 'c', 'd'])
  expect(new Set(turns).size).toBe(4)
})

test('works side by side hold the event loop no longer than one of them', async () => {
  const work = async () => {
    const rest = pace(systemClock)
    for (let piece = 0; piece < 40; piece += 1) {
      const until = performance.now() + 1
      while (performance.now() < until);
      await rest()
    }
  }
  const works = Promise.all(Array.from({ length: 8 }, work))
  let ended = false
  const late: number[] = []
  const watching = (async () => {
    for (let last = performance.now(); !ended; last = performance.now()) {
      await systemClock.sleep(1)
      late.push(performance.now() - last)
    }
  })()
  await works
  ended = true
  await watching
  late.sort((a, b) => a - b)
  // All 8 in one turn would be 80 ms each time.
  expect(late[Math.floor(late.length / 2)]).toBeLessThan(40)
})
