import { BehaviorSubject, Subject } from 'rxjs'
import { expect, test } from 'vitest'
import { watchLatest } from '../../../src/streams/operators/watch-latest.ts'
import { systemClock } from '../../support/system-clock.ts'

const LONG_MS = 60_000

test('a value that arrived since the last wait is returned at once', async () => {
  const source = new BehaviorSubject(1)
  const latest = watchLatest(source, systemClock, new AbortController().signal)
  expect(latest.value).toBe(1)
  await latest.changed(LONG_MS)
  source.next(2)
  source.next(3)
  await latest.changed(LONG_MS)
  expect(latest.value).toBe(3)
})

test('a wait ends with the next value, or after its time', async () => {
  const source = new Subject<number>()
  const latest = watchLatest(source, systemClock, new AbortController().signal)
  expect(latest.value).toBeNull()
  const waiting = latest.changed(LONG_MS)
  source.next(7)
  await waiting
  expect(latest.value).toBe(7)
  await latest.changed(1)
})

test('an abort ends the wait and the subscription', async () => {
  const source = new Subject<number>()
  const stop = new AbortController()
  const latest = watchLatest(source, systemClock, stop.signal)
  const waiting = latest.changed(LONG_MS)
  stop.abort()
  await waiting
  expect(source.observed).toBe(false)
  await latest.changed(LONG_MS)
})
