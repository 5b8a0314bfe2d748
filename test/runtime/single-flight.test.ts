import { expect, test } from 'vitest'
import { SingleFlight } from '../../src/runtime/single-flight.ts'

test('runs once for each name at a time, and again once it has ended or failed', async () => {
  const flight = new SingleFlight<number>()
  let begun = 0
  const begin = async () => {
    begun += 1
    await Promise.resolve()
    if (begun === 3) throw new Error('the index is away')
    return begun
  }
  const first = flight.run('a', begin)
  expect(flight.run('a', begin)).toBe(first)
  const other = flight.run('b', begin)
  expect([flight.size, flight.has('a'), flight.has('c')]).toEqual([2, true, false])
  expect(await Promise.all([first, other])).toEqual([2, 2])
  expect(flight.size).toBe(0)

  const failing = [flight.run('a', begin), flight.run('a', begin)]
  for (const one of failing) await expect(one).rejects.toThrow('the index is away')
  expect(await flight.run('a', begin)).toBe(4)
})
