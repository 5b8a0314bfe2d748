import { expect, test } from 'vitest'
import type { Gateway } from '../../../src/gateway/gateway.ts'
import { FacetCounter } from '../../../src/gateway/reading/count-facets.ts'
import type { CountQuery } from '../../../src/ports/views/order-views.ts'
import { LANES, openLanes } from '../../../src/runtime/lanes.ts'
import { CountFacetsQuery } from '../../../src/schemas/api/api.ts'
import { ManualClock } from '../../support/manual-clock.ts'

const turn = () => new Promise(setImmediate)
const query = (filters: object) => CountFacetsQuery.parse(filters)

function counterOn(
  lanes = openLanes({ rules: Array(3).fill({ atOnce: 1, waiting: 9 }) as never }),
) {
  const counted: (string | undefined)[] = []
  const ends: (() => void)[] = []
  const views = {
    counts: ({ filters }: CountQuery) => {
      counted.push(filters.priceMin)
      return new Promise((resolve) => {
        ends.push(() =>
          resolve({ total: counted.length, counts: new Proxy({}, { get: () => ({}) }) }),
        )
      })
    },
  }
  const gateway = { clock: new ManualClock(), settings: { network: 'regtest' }, views }
  const facets = new FacetCounter(gateway as unknown as Gateway, (work, source) =>
    lanes.run(LANES.later, work, source),
  )
  const step = async () => {
    ends.shift()?.()
    for (let at = 0; at < 5; at += 1) await turn()
  }
  return { facets, counted, step }
}

test('equal counts of a source wait as one, and those of another have a turn of their own', async () => {
  const { facets, counted, step } = counterOn()
  const flood = ['1', '2', '3'].map((priceMin) => facets.count(query({ priceMin }), 'a'))
  const shared = facets.count(query({}), 'a')
  expect(facets.count(query({}), 'a')).toStrictEqual(shared)
  const own = facets.count(query({}), 'b')
  await step()
  expect(counted).toEqual(['1', '2'])
  await step()
  expect(counted).toEqual(['1', '2', undefined])
  await step()
  await own
  expect(counted).toEqual(['1', '2', undefined, '3'])
  await step()
  // What was counted meanwhile is taken.
  expect(await shared).toEqual(await own)
  await Promise.all(flood)
  expect(counted).toEqual(['1', '2', undefined, '3'])
})
