import { filter, firstValueFrom } from 'rxjs'
import { expect, test, vi } from 'vitest'
import type { EventLog, Stored } from '../../../src/ports/log/event-log.ts'
import { TOPICS } from '../../../src/schemas/log.ts'
import { followChanges } from '../../../src/streams/activity/follow-changes.ts'
import type { RecentChanges } from '../../../src/streams/activity/recent-changes.ts'
import { toOrderId } from '../../support/ids.ts'
import { withEmbeddedLog } from '../../support/log/with-embedded-log.ts'
import { bookOf } from '../../support/orders/order-book.ts'
import { changeBetween, outcomeOf } from '../../support/orders/order-changes.ts'
import { systemClock as clock } from '../../support/system-clock.ts'

const PARTITIONS = 2
const LIMITS = { kept: 100, readBack: 3, lingerMs: 20, mostRetryMs: 50 }
const withLog = withEmbeddedLog(PARTITIONS)

const changes = bookOf(8, 1).map((order) => changeBetween(null, order))
const append = (log: EventLog, partition: number, values: readonly { orderId: string }[]) =>
  log.append(
    values.map((value) => ({ topic: TOPICS.lifecycle, partition, key: value.orderId, value })),
  )
const idsFrom = (recent: RecentChanges, place: readonly number[]) =>
  recent.between(place, recent.place, 100).map(({ orderId }) => orderId)
const fail = (error: unknown) => {
  throw error
}

test('the last records of each partition are read back, then new ones are added', async () =>
  withLog(async (log) => {
    await append(log, 0, [
      ...changes.slice(0, 4),
      outcomeOf('r', changes[0]?.orderId ?? toOrderId('')),
    ])
    const all = followChanges({ log, clock, onFailure: fail, limits: LIMITS })
    const recent = await firstValueFrom(all)
    expect(recent.place).toEqual([5, 0])
    expect(recent.reaches([2, 0])).toBe(true)
    expect(recent.reaches([1, 0])).toBe(false)
    expect(idsFrom(recent, [2, 0])).toHaveLength(2)
    const added = firstValueFrom(all.pipe(filter(({ place }) => place[1] === 1)))
    await append(log, 1, changes.slice(5, 6))
    expect(idsFrom(await added, [5, 0])).toEqual([changes[5]?.orderId])
  }))

test('the log is read once for all, and no longer when the last reader has left', async () =>
  withLog(async (log) => {
    let readings = 0
    const counted = {
      partitions: PARTITIONS,
      end: log.end.bind(log),
      stored: log.stored.bind(log),
      read: (...args: Parameters<EventLog['read']>) => {
        readings += 1
        return log.read(...args)
      },
    }
    const all = followChanges({ log: counted, clock, onFailure: fail, limits: LIMITS })
    const one = all.subscribe()
    const other = all.subscribe()
    await firstValueFrom(all)
    await expect.poll(() => readings).toBe(PARTITIONS)
    one.unsubscribe()
    other.unsubscribe()
    await expect
      .poll(
        async () => {
          await firstValueFrom(all)
          return readings
        },
        { interval: 3 * LIMITS.lingerMs },
      )
      .toBeGreaterThan(PARTITIONS)
  }))

test('a failed log is read again', async () =>
  withLog(async (log) => {
    await append(log, 0, changes.slice(0, 2))
    const failures: unknown[] = []
    let isAway = true
    async function* read(
      ...args: Parameters<EventLog['read']>
    ): AsyncGenerator<readonly Stored<unknown>[]> {
      if (isAway) throw new Error('away')
      yield* log.read(...args)
    }
    const away = {
      partitions: PARTITIONS,
      end: log.end.bind(log),
      stored: log.stored.bind(log),
      read,
    }
    const all = followChanges({
      log: away,
      clock,
      onFailure: (error) => failures.push(error),
      limits: LIMITS,
    })
    const seen = all.subscribe()
    await expect.poll(() => failures.length).toBeGreaterThan(1)
    isAway = false
    const added = firstValueFrom(all.pipe(filter(({ place }) => place[0] === 3)))
    await append(log, 0, changes.slice(2, 3))
    expect(idsFrom(await added, [0, 0])).toEqual(changes.slice(0, 3).map(({ orderId }) => orderId))
    seen.unsubscribe()
  }))

test('the cache for the next client keeps no ended process alive', async () =>
  withLog(async (log) => {
    const started = vi.spyOn(globalThis, 'setTimeout')
    const lingerMs = 61_234
    await firstValueFrom(
      followChanges({ log, clock, onFailure: fail, limits: { ...LIMITS, lingerMs } }),
    )
    const at = started.mock.calls.findIndex(([, ms]) => ms === lingerMs)
    const lingering = started.mock.results[at]?.value as NodeJS.Timeout
    started.mockRestore()
    expect(lingering.hasRef()).toBe(false)
    clearTimeout(lingering)
  }))
