import { LRUCache } from 'lru-cache'
import { expect, test } from 'vitest'
import { SharedReads } from '../../../src/gateway/reading/shared-reads.ts'
import { LANES, openLanes } from '../../../src/runtime/lanes.ts'

interface Answer {
  of: string
}

const turn = () => new Promise(setImmediate)

function readsOn(atOnce: number) {
  const lanes = openLanes({ rules: Array(3).fill({ atOnce, waiting: 9 }) as never })
  const kept = new LRUCache<string, Answer>({ max: 9 })
  const shared = new SharedReads(kept, (work, source) => lanes.run(LANES.later, work, { source }))
  const begun: string[] = []
  const ends: (() => void)[] = []
  const read = (name: string, source: string) =>
    shared.read(name, source, () => {
      begun.push(name)
      return new Promise((resolve, reject) => {
        ends.push(() => (name === 'bad' ? reject(new Error(name)) : resolve({ of: name })))
      })
    })
  const step = async () => {
    ends.shift()?.()
    for (let at = 0; at < 5; at += 1) await turn()
  }
  return { shared, begun, read, step }
}

test('equal reads of a source wait as one, and those of another have a turn of their own', async () => {
  const { begun, read, step } = readsOn(1)
  const flood = ['1', '2', '3'].map((name) => read(name, 'a'))
  const shared = read('same', 'a')
  const again = read('same', 'a')
  const own = read('same', 'b')
  await step()
  expect(begun).toEqual(['1', '2'])
  await step()
  expect(begun).toEqual(['1', '2', 'same'])
  await step()
  await own
  expect(begun).toEqual(['1', '2', 'same', '3'])
  await step()
  // What was read meanwhile is taken.
  expect(await shared).toBe(await own)
  expect(await again).toBe(await own)
  await Promise.all(flood)
  expect(begun).toEqual(['1', '2', 'same', '3'])
})

test('a read that has begun is shared by all, and read again once it failed', async () => {
  const { shared, begun, read, step } = readsOn(1)
  const first = read('same', 'a')
  const riding = read('same', 'b')
  expect(shared.has('same', 'c')).toBe(true)
  await step()
  expect(await riding).toBe(await first)
  const failed = ['a', 'b'].map((source) => expect(read('bad', source)).rejects.toThrow('bad'))
  await step()
  await Promise.all(failed)
  expect(shared.has('bad', 'a')).toBe(false)
  const again = expect(read('bad', 'a')).rejects.toThrow('bad')
  await step()
  await again
  expect(begun).toEqual(['same', 'bad', 'bad'])
})

test('two sources that wait with a turn at once read once', async () => {
  const { begun, read, step } = readsOn(2)
  const before = ['1', '2'].map((name) => read(name, 'c'))
  const both = [read('same', 'a'), read('same', 'b')]
  await step()
  await step()
  await step()
  const [one, other] = await Promise.all(both)
  expect(one).toBe(other)
  await Promise.all(before)
  expect(begun).toEqual(['1', '2', 'same'])
})

test('what waits is there for its source alone', async () => {
  const { shared, read, step } = readsOn(1)
  const all = [read('first', 'a'), read('next', 'a')]
  expect(shared.has('next', 'a')).toBe(true)
  expect(shared.has('next', 'b')).toBe(false)
  await step()
  await step()
  await Promise.all(all)
  expect(shared.has('next', 'b')).toBe(true)
})
