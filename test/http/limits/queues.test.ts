import { describe, expect, test } from 'vitest'
import { openQueues, type Queues } from '../../../src/http/limits/queues.ts'
import { BusyError, LANES } from '../../../src/runtime/lanes.ts'
import { ManualClock } from '../../support/manual-clock.ts'

const turn = () => new Promise(setImmediate)

/** Tasks that take so many milliseconds each, reads of the views by default, and when each began. */
function reads(
  lane: 0 | 2,
  tookMs: readonly number[],
  lanesOf = ({ stores }: Queues) => stores.views,
) {
  const clock = new ManualClock(0)
  const lanes = lanesOf(openQueues({ clock }))
  const begun: number[] = []
  const read = (ms: number) =>
    lanes.run(lane, async () => {
      begun.push(clock.now())
      await clock.sleep(ms)
      return ms
    })
  const pass = async (ms: number) => {
    for (let at = 0; at < ms; at += 1) {
      clock.advance(1)
      await turn()
    }
  }
  return { answers: tookMs.map(read), begun, pass, read, lanes, clock }
}

describe('large pages', () => {
  test('are read one at a time, for a fifth of the time after a burst', async () => {
    const { answers, begun, pass } = reads(LANES.later, Array(8).fill(100))
    await pass(2_500)
    expect(await Promise.all(answers)).toEqual(Array(8).fill(100))
    expect(begun).toEqual([0, 100, 200, 350, 850, 1_350, 1_850, 2_350])
  })

  test('may burst again after a pause', async () => {
    const { begun, pass, read } = reads(LANES.later, Array(6).fill(100))
    await pass(3_000)
    for (let count = 0; count < 6; count += 1) void read(100)
    await pass(1_400)
    expect(begun.slice(6)).toEqual([3_000, 3_100, 3_200, 3_350, 3_850, 4_350])
  })

  test('that took long rest for 0.4 s', async () => {
    const { begun, pass } = reads(LANES.later, [3_000, 1])
    await pass(3_410)
    expect(begun).toEqual([0, 3_400])
  })

  test('are answered before the rest; a failure rests too', async () => {
    const { answers, begun, pass, lanes, clock } = reads(LANES.later, [600])
    const failed = lanes.run(LANES.later, async () => {
      begun.push(clock.now())
      await clock.sleep(10)
      throw new Error('away')
    })
    failed.catch(() => undefined)
    const last = lanes.run(LANES.later, async () => begun.push(clock.now()))
    await pass(600)
    expect(await answers[0]).toBe(600)
    await pass(410)
    await expect(failed).rejects.toThrow('away')
    await pass(40)
    await last
    expect(begun).toEqual([0, 1_000, 1_050])
  })

  test('that wait for too long are refused', async () => {
    const { answers, pass } = reads(LANES.later, [6_000, 1])
    answers[1]?.catch(() => undefined)
    await pass(6_410)
    await expect(answers[1]).rejects.toThrow(BusyError)
  })
})

describe('imports', () => {
  const imports = ({ imports }: Queues) => imports

  test('wait for one of 32 slots', async () => {
    const { answers, begun, pass } = reads(LANES.first, Array(64).fill(20), imports)
    await pass(50)
    expect(await Promise.all(answers)).toHaveLength(64)
    expect(begun).toEqual([...Array(32).fill(0), ...Array(32).fill(20)])
  })

  test('that wait long for their verdict leave their slot', async () => {
    const { begun, pass } = reads(LANES.first, [...Array(32).fill(10_000), 20], imports)
    await pass(510)
    expect(begun.at(-1)).toBe(500)
  })
})

test('small pages are read at once, and never rest', async () => {
  const { answers, begun, pass } = reads(LANES.first, [10, 20, 30])
  await pass(30)
  expect(await Promise.all(answers)).toEqual([10, 20, 30])
  expect(begun).toEqual([0, 0, 0])
})

describe('quotes and preflights', () => {
  const purchases = (tookMs: readonly number[]) =>
    reads(LANES.first, tookMs, (queues) => queues.purchases)

  test('are answered eight at a time', async () => {
    const { answers, begun, pass } = purchases(Array(17).fill(100))
    await pass(300)
    const waves = [...Array(8).fill(0), ...Array(8).fill(100), 200]
    expect(begun).toEqual(waves)
    expect(await Promise.all(answers)).toEqual(Array(17).fill(100))
  })

  test('leave their places after 250 ms: those that hang stop no other', async () => {
    const { answers, begun, pass } = purchases([...Array(8).fill(10_000), 5])
    await pass(260)
    expect(begun).toEqual([...Array(8).fill(0), 250])
    expect(await answers[8]).toBe(5)
  })
})
