import fc from 'fast-check'
import { expect, test } from 'vitest'
import { FairQueue, type Said } from '../../../src/streams/feeds/fair-queue.ts'

const FREE = { perSecond: 1_000, burst: 1_000 }
const LIMITS = { rate: FREE, maxSize: 20, share: 2 }

function queueOf(publishers: string, limits = LIMITS): FairQueue<Said & { n: number }> {
  const queue = new FairQueue<Said & { n: number }>(limits)
  for (const [n, publisher] of [...publishers].entries()) queue.push({ publisher, size: 5, n })
  return queue
}

function drained(queue: FairQueue<Said & { n: number }>): string {
  let order = ''
  for (let next = queue.next(0); next; next = queue.next(0)) order += `${next.publisher}${next.n}`
  return order
}

test('publishers take turns, each in its own order', () => {
  expect(drained(queueOf('aaaabbc'))).toBe('a0b4c6a1b5a2a3')
})

test('a newcomer has a turn before one that has had one', () => {
  const queue = queueOf('aaa')
  expect(queue.next(0)).toMatchObject({ n: 0 })
  queue.push({ publisher: 'b', size: 5, n: 9 })
  queue.next(0)
  expect(drained(queue)).toBe('b9a2')
})

test('a publisher over the budget waits, and no other waits for it', () => {
  const queue = queueOf('aab', { ...LIMITS, rate: { perSecond: 1, burst: 1 } })
  queue.spend('a', 0)
  expect([queue.waitMs(0), queue.next(0)]).toMatchObject([0, { publisher: 'b' }])
  expect([queue.waitMs(0), queue.next(0)]).toEqual([1_000, null])
  expect([queue.waitMs(1_000), queue.next(1_000)]).toMatchObject([0, { n: 0 }])
})

test('an empty queue has nothing to wait for', () => {
  const queue = queueOf('')
  expect([queue.next(0), queue.waitMs(0), queue.isFull, queue.shed()]).toEqual([
    null,
    Number.POSITIVE_INFINITY,
    false,
    null,
  ])
})

test('the publisher with the most, above a share, makes room with its oldest', () => {
  const queue = queueOf('abbbcc')
  expect(queue.isFull).toBe(true)
  expect(queue.shed()).toMatchObject({ publisher: 'b', n: 1 })
  // None has more than two.
  expect(queue.shed()).toBeNull()
  expect(drained(queue)).toBe('a0b2c4b3c5')
})

test('a publisher of one item is never shed, and waits for at most one of each other publisher', () => {
  const said = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 60 })
  fc.assert(
    fc.property(said, fc.nat(60), (others, at) => {
      const queue = new FairQueue<Said>({ rate: FREE, maxSize: 10, share: 2 })
      const told = [...others.slice(0, at), 'honest', ...others.slice(at)]
      for (const publisher of told) {
        while (queue.isFull) {
          const shed = queue.shed()
          expect(shed?.publisher).not.toBe('honest')
          if (!shed) break
        }
        queue.push({ publisher, size: 1 })
      }
      const turns: string[] = []
      for (let next = queue.next(0); next; next = queue.next(0)) turns.push(next.publisher)
      expect(turns.indexOf('honest')).toBeGreaterThanOrEqual(0)
      expect(turns.indexOf('honest')).toBeLessThanOrEqual(4)
    }),
    { numRuns: 300 },
  )
})
