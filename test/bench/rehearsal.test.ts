import { expect, test } from 'vitest'
import { rebuildMinutes } from '../../bench/lines/books/rebuild-minutes.ts'
import { type Reading, ratesDuring, restingPercent } from '../../bench/rehearsal/measure.ts'
import { Pace } from '../../bench/rehearsal/pace.ts'

const NOTHING: Reading = { atMs: 0, bytesHanded: 0, commits: 0, cpuMs: 0, mainCpuMs: 0 }

test('as much is due in a minute, however late the ticks are', () => {
  for (const tickMs of [100, 120, 1_700, 60_000]) {
    const pace = new Pace({ perSecond: 7, blockEveryMs: 30_000 }, 1_000)
    const sent = { transactions: 0, blocks: 0 }
    for (let at = tickMs; at <= 60_000; at += tickMs) {
      const due = pace.dueAt(1_000 + at)
      sent.transactions += due.transactions
      sent.blocks += due.blocks
    }
    const last = pace.dueAt(61_000)
    expect(sent.transactions + last.transactions).toBe(420)
    expect(sent.blocks + last.blocks).toBe(2)
    expect(pace.dueAt(61_000)).toEqual({ transactions: 0, blocks: 0 })
  }
  expect(new Pace({ perSecond: 0, blockEveryMs: 0 }, 0).dueAt(60_000)).toEqual({
    transactions: 0,
    blocks: 0,
  })
})

/** A process that lists a mempool each few seconds, which takes its thread so long. */
function polling({
  everyMs,
  listMs,
  fromMs = 0,
}: Record<'everyMs' | 'listMs', number> & { fromMs?: number }) {
  let now = 0
  const counted = () => (now < fromMs ? 0 : Math.floor((now - fromMs) / everyMs) + 1)
  const clock = {
    now: () => now,
    sleep: async (ms: number) => {
      now += ms
    },
  }
  return {
    polled: {
      read: () => ({ ...NOTHING, atMs: now, mainCpuMs: counted() * listMs }),
      lists: async () => counted(),
    },
    clock,
  }
}

test('a thread is measured over as many lists as are due, also where it rests long between them', async () => {
  const { polled, clock } = polling({ everyMs: 7_000, listMs: 1_000 })
  expect(await restingPercent(polled, 5, clock)).toBeCloseTo(100 / 7, 0)
  expect(clock.now()).toBeGreaterThan(300_000)
})

test('a thread that is idle enough is measured once, after a start that lists nothing', async () => {
  const { polled, clock } = polling({ everyMs: 7_000, listMs: 100, fromMs: 120_000 })
  expect(await restingPercent(polled, 5, clock)).toBeCloseTo(10 / 7, 0)
  expect(clock.now()).toBeLessThan(160_000)
})

test('a mempool that is not listed is no idle thread', async () => {
  const { polled, clock } = polling({ everyMs: 200_000, listMs: 1 })
  await expect(restingPercent(polled, 5, clock)).rejects.toThrow('was not listed 3 times')
})

test('bytes are those handed over, with a page for each commit', async () => {
  const readings = [
    { ...NOTHING, bytesHanded: 1_000 },
    { ...NOTHING, atMs: 2_000, bytesHanded: 21_000, commits: 4 },
  ]
  const { bytesPerS, commitsPerS } = await ratesDuring(1, () => readings.shift() ?? NOTHING)
  expect(bytesPerS).toBe((20_000 + 4 * 4_096) / 2)
  expect(commitsPerS).toBe(2)
})

test('the wait for readers is not multiplied with the orders', () => {
  expect(rebuildMinutes(1_048_000, 1_000_000)).toBeCloseTo(1_048 / 60)
  const perOrderMs = 0.3
  expect(rebuildMinutes(2_000 + 15_000 * perOrderMs, 15_000)).toBeCloseTo((2 + 300) / 60)
})
