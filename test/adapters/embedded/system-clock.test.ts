import { expect, test } from 'vitest'
import { systemClock } from '../../../src/adapters/embedded/system-clock.ts'
import { pace } from '../../../src/runtime/time-slice.ts'

const STRETCH_MS = 10

/** Blocks the thread. */
function work(ms: number): void {
  const until = performance.now() + ms
  while (performance.now() < until);
}

test('turns are given in the order of the requests', async () => {
  const order: string[] = []
  const ask = async (who: string, next?: string): Promise<void> => {
    await systemClock.turn()
    order.push(who)
    if (next) await ask(next)
  }
  await Promise.all([ask('a', 'd'), ask('b'), ask('c', 'e')])
  expect(order).toEqual(['a', 'b', 'c', 'd', 'e'])
})

test('small pieces of work share a turn of the event loop', async () => {
  let turns = 0
  let ended = false
  const count = () => {
    turns += 1
    if (!ended) setImmediate(count)
  }
  setImmediate(count)
  for (let round = 0; round < 10; round += 1) {
    await Promise.all(Array.from({ length: 100 }, () => systemClock.turn()))
  }
  ended = true
  expect(turns).toBeLessThan(200)
})

test('concurrent work blocks the event loop no longer than one of its parts', async () => {
  const longWork = async () => {
    const rest = pace(systemClock)
    for (let piece = 0; piece < 4 * STRETCH_MS; piece += 1) {
      work(1)
      await rest()
    }
  }
  const works = Promise.all(Array.from({ length: 8 }, longWork))
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
  // All 8 in one turn would take 80 ms each time.
  expect(late[Math.floor(late.length / 2)]).toBeLessThan(4 * STRETCH_MS)
})

test('a sleep without an end ends by its signal alone', async () => {
  const stop = new AbortController()
  let isOver = false
  const endless = systemClock.sleep(Infinity, stop.signal).then(() => {
    isOver = true
  })
  await systemClock.sleep(50)
  expect(isOver).toBe(false)
  stop.abort()
  await endless
})
