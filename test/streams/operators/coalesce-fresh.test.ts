import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  coalesceFresh,
  TooManyWaitingError,
} from '../../../src/streams/operators/coalesce-fresh.ts'

const turn = () => new Promise((resolve) => setImmediate(resolve))

interface Run {
  started: number
  end: (fails: boolean) => void
}

test('no answer comes from a run that started before the call, in any order of events', async () => {
  const step = fc.constantFrom('ask', 'ask', 'end first', 'end last', 'fail first', 'turn')
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
      let time = 0
      let most = 0
      const running: Run[] = []
      const share = coalesceFresh(
        () =>
          new Promise<number>((resolve, reject) => {
            time += 1
            const started = time
            const run: Run = {
              started,
              end: (fails) => {
                running.splice(running.indexOf(run), 1)
                if (fails) reject(started)
                else resolve(started)
              },
            }
            running.push(run)
            most = Math.max(most, running.length)
          }),
        { concurrency: 2, maxWaiting: 1_000 },
      )
      const asks: Promise<{ asked: number; started: number }>[] = []
      for (const what of steps) {
        if (what === 'ask') {
          time += 1
          const asked = time
          const answer = share().catch((started: number) => started)
          asks.push(answer.then((started) => ({ asked, started })))
        }
        if (what === 'end first') running[0]?.end(false)
        if (what === 'end last') running.at(-1)?.end(false)
        if (what === 'fail first') running[0]?.end(true)
        if (what === 'turn') await turn()
      }
      // Every caller is served once the runs end, with none left waiting.
      for (let left = 0; left < asks.length + 2; left += 1) {
        await turn()
        running[0]?.end(false)
      }
      for (const { asked, started } of await Promise.all(asks))
        expect(started).toBeGreaterThan(asked)
      expect(most).toBeLessThanOrEqual(2)
    }),
    { numRuns: 300 },
  )
})

test('calls of one turn share one run', async () => {
  let runs = 0
  const share = coalesceFresh(
    async () => {
      runs += 1
      return runs
    },
    { concurrency: 2, maxWaiting: 10 },
  )
  expect(await Promise.all([share(), share(), share()])).toEqual([1, 1, 1])
  expect(await share()).toBe(2)
})

test('a run that throws at once fails for its own callers, and the next one works', async () => {
  let isBroken = true
  const share = coalesceFresh(
    () => {
      if (isBroken) throw new Error('broken')
      return Promise.resolve('whole')
    },
    { concurrency: 1, maxWaiting: 10 },
  )
  await expect(share()).rejects.toThrow('broken')
  isBroken = false
  expect(await share()).toBe('whole')
})

test('only a limited number wait', async () => {
  const share = coalesceFresh(() => new Promise(() => {}), { concurrency: 1, maxWaiting: 2 })
  share().catch(() => {})
  await turn()
  share().catch(() => {})
  share().catch(() => {})
  await expect(share()).rejects.toBeInstanceOf(TooManyWaitingError)
})
