import { expect, test } from 'vitest'
import { inCompany } from '../../../../src/adapters/kafka/inbox/in-company.ts'
import { ManualClock } from '../../../support/manual-clock.ts'

/** Batches that come when the test says so. */
class Source {
  isReturned = false
  readonly #waiting: ((batch: number[] | null) => void)[] = []
  readonly #come: (number[] | null)[] = []

  /** Null: no more. */
  come(batch: number[] | null): void {
    const take = this.#waiting.shift()
    if (take) take(batch)
    else this.#come.push(batch)
  }

  async *batches(): AsyncGenerator<number[]> {
    try {
      for (;;) {
        const batch = this.#come.length > 0 ? this.#come.shift()! : await this.#next()
        if (batch === null) return
        yield batch
      }
    } finally {
      this.isReturned = true
    }
  }

  #next(): Promise<number[] | null> {
    return new Promise((resolve) => this.#waiting.push(resolve))
  }
}

const opened = () => {
  const source = new Source()
  const clock = new ManualClock()
  const batches = inCompany(source.batches(), clock)
  return { source, clock, next: async () => (await batches.next()).value, batches }
}
/** Everything that can happen without time has happened. */
const settled = () => new Promise((resolve) => setImmediate(resolve))

test('records that come together, or one after a silence, wait for no others', async () => {
  const { source, clock, next } = opened()
  source.come([1])
  expect(await next()).toEqual([1])
  source.come([2, 3])
  expect(await next()).toEqual([2, 3])
  clock.advance(21)
  source.come([4])
  expect(await next()).toEqual([4])
})

test('one that comes alone soon after others takes the next with it', async () => {
  const { source, clock, next } = opened()
  source.come([1])
  expect(await next()).toEqual([1])
  clock.advance(20)
  const company = next()
  source.come([2])
  await settled()
  clock.advance(2)
  source.come([3, 4])
  expect(await company).toEqual([2, 3, 4])
})

test('nothing is lost where none comes in time, and where none comes any more', async () => {
  const { source, clock, next } = opened()
  source.come([1])
  expect(await next()).toEqual([1])
  source.come([2])
  const alone = next()
  await settled()
  clock.advance(3)
  expect(await alone).toEqual([2])
  const later = next()
  source.come([3])
  await settled()
  source.come(null)
  expect(await later).toEqual([3])
  expect(await next()).toBeUndefined()
  expect(source.isReturned).toBe(true)
})

test('what it reads ends with it', async () => {
  const { source, next, batches } = opened()
  source.come([1])
  await next()
  await batches.return(undefined)
  expect(source.isReturned).toBe(true)
})
