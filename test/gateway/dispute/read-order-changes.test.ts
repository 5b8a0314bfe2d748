import { describe, expect, test } from 'vitest'
import { readOrderChanges } from '../../../src/gateway/dispute/read-order-changes.ts'
import type { EventLog, Stored } from '../../../src/ports/log/event-log.ts'
import type { ChangePlace } from '../../../src/ports/views/order-versions.ts'
import type { ChangeRecord } from '../../../src/schemas/log.ts'
import { toOrderId } from '../../support/ids.ts'
import { marketLives } from '../../support/statistics/market-lives.ts'

const CHANGES = marketLives(20, 3).find((changes) => changes.length > 5)!
const ID = CHANGES[0]!.orderId
const BATCH = 4

/** A log whose partition 1 has the changes at these offsets, and other records everywhere else. */
function logWith(offsets: readonly number[], changes: readonly ChangeRecord[] = CHANGES) {
  const end = (offsets.at(-1) ?? 0) + 10
  const reads: [from: number, until: number | undefined][] = []
  const at = (offset: number): Stored<unknown> => {
    const index = offsets.indexOf(offset)
    return { partition: 1, offset, value: index < 0 ? { kind: 'outcome' } : changes[index] }
  }
  const log: Pick<EventLog, 'stored'> = {
    async *stored(_topic, partition, from, until) {
      reads.push([from, until])
      const last = Math.min(end, until ?? end)
      for (let first = from; first < last && partition === 1; first += BATCH)
        yield Array.from({ length: BATCH }, (_, n) => at(first + n))
    },
  }
  return { log, reads }
}

const placesAt = (offsets: readonly number[]): ChangePlace[] =>
  offsets.map((offset, index) => ({ seq: index + 1, partition: 1, offset }))
const { signal } = new AbortController()

describe('the changes of an order are read from their places', () => {
  test('in one read where they are close, in another beyond, the newest first, and no further', async () => {
    const offsets = [3, 4, 30, 2_000, 2_400].slice(0, CHANGES.length)
    const { log, reads } = logWith(offsets)
    const found = await readOrderChanges(log, ID, placesAt(offsets), signal)
    expect(found).toEqual(CHANGES.slice(0, offsets.length))
    expect(reads).toEqual([
      [2_000, 2_401],
      [3, 31],
    ])
  })

  test('none are read where there are none', async () => {
    const { log, reads } = logWith([3])
    expect(await readOrderChanges(log, ID, [], signal)).toEqual([])
    expect(reads).toEqual([])
  })

  test.each([
    ['something else is there', placesAt([5])],
    ['the log ends before it', placesAt([100])],
    ['its partition is empty', [{ seq: 1, partition: 0, offset: 3 }]],
    ['another change is there', [{ seq: 2, partition: 1, offset: 3 }]],
  ])('and refused if %s', async (_name, places) => {
    const { log } = logWith([3])
    await expect(readOrderChanges(log, ID, places, signal)).rejects.toThrow(
      `the log does not have the changes of ${ID} where its rows say`,
    )
  })

  test('another order’s change is not one of this one', async () => {
    const { log } = logWith([3])
    await expect(
      readOrderChanges(log, toOrderId('0'.repeat(64)), placesAt([3]), signal),
    ).rejects.toThrow('where its rows say')
  })

  test('without those for which there is no time: the log hangs, or is slow', async () => {
    const offsets = [3, 4, 2_000, 4_000]
    for (const isHanging of [true, false]) {
      const late = new AbortController()
      const { log, reads } = logWith(offsets)
      const slow: typeof log = {
        async *stored(topic, partition, from, until) {
          if (reads.length === 2) {
            setImmediate(() => late.abort(new Error('late')))
            await (isHanging ? new Promise(() => undefined) : new Promise(setImmediate))
          }
          yield* log.stored(topic, partition, from, until)
        },
      }
      const found = await readOrderChanges(slow, ID, placesAt(offsets), late.signal)
      expect(found).toEqual(CHANGES.slice(2, 4))
    }
  })

  test('until the client leaves', async () => {
    const { log } = logWith([3, 4])
    const signal = AbortSignal.abort(new Error('gone'))
    await expect(readOrderChanges(log, ID, placesAt([3, 4]), signal)).rejects.toThrow('gone')
  })
})
