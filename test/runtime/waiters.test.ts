import { describe, expect, test } from 'vitest'
import { KeyedWaiters, Waiters } from '../../src/runtime/waiters.ts'
import { ManualClock } from '../support/manual-clock.ts'

const { signal } = new AbortController()

describe('callers that wait', () => {
  test('are all told, each once', async () => {
    const waiters = new Waiters<number>()
    const both = [waiters.next(signal), waiters.next(signal)]
    waiters.tell(1)
    waiters.tell(2)
    expect(await Promise.all(both)).toEqual([1, 1])
    expect(waiters.size).toBe(0)
  })

  test('are told what they want, and wait while it is something else', async () => {
    const waiters = new Waiters<number>()
    const large = waiters.next(signal, (value) => value > 5)
    for (const value of [3, 7, 9]) waiters.tell(value)
    expect(await large).toBe(7)
  })

  test('leave at the abort, and at once if that was before', async () => {
    const waiters = new Waiters()
    const stop = new AbortController()
    const waiting = waiters.next(stop.signal)
    stop.abort()
    expect(await waiting).toBeNull()
    expect(await waiters.next(stop.signal)).toBeNull()
    expect(waiters.size).toBe(0)
  })

  test('leave when their time is over', async () => {
    const clock = new ManualClock()
    const waiters = new Waiters<string>()
    const late = waiters.within(clock, 1_000)
    clock.advance(1_000)
    expect(await late).toBeNull()
    const told = waiters.within(clock, 1_000, signal)
    waiters.tell('in time')
    expect(await told).toBe('in time')
    expect(waiters.size).toBe(0)
  })

  test('are told under their key alone, and a key without waiters is forgotten', async () => {
    const waiters = new KeyedWaiters<string>()
    const stop = new AbortController()
    const one = waiters.next('one', signal)
    const other = waiters.next('other', stop.signal)
    waiters.tell('one', 'told')
    waiters.tell('nobody', 'told')
    expect(await one).toBe('told')
    expect(waiters.keys).toEqual(['other'])
    stop.abort()
    expect(await other).toBeNull()
    expect(waiters.keys).toEqual([])
  })
})
