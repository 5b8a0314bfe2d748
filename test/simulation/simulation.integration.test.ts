import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { bundleSimulation, plant, type SimulationBundle } from './bundle.ts'
import { plantedSeeds } from './planted.ts'
import { PLANTED_BUGS } from './planted-bugs.ts'
import type { SeedOptions } from './run-seed.ts'
import { SeedThreads } from './seed-threads.ts'
import { WITH_WEBHOOKS } from './world.ts'

/** Short lives: `npm run sim` runs full ones, and every planted bug. */
const LIFE: Omit<SeedOptions, 'seed'> = { orders: 15, events: 150 }

let bundle: SimulationBundle
let threads: SeedThreads

beforeAll(async () => {
  bundle = await bundleSimulation()
  threads = new SeedThreads(bundle.worker)
})

afterAll(async () => {
  await threads.close()
  bundle.drop()
})

describe('a seed', () => {
  test.each([1, WITH_WEBHOOKS])('%i violates nothing', async (seed) => {
    const { violations, orders, faults } = await threads.run({ seed, ...LIFE })
    expect(violations).toEqual([])
    expect(orders).toBe(LIFE.orders)
    expect(faults.length).toBeGreaterThan(2)
  })

  test('replays the same, to the last step', async () => {
    const [first, again] = [
      await threads.run({ seed: 4, ...LIFE }),
      await threads.run({ seed: 4, ...LIFE }),
    ]
    expect(again.digest).toBe(first.digest)
    expect(again.steps).toBe(first.steps)
  })

  test('is another life than the next one', async () => {
    const lives = [5, 6].map((seed) => threads.run({ seed, orders: 5, events: 50 }))
    const [one, other] = await Promise.all(lives)
    expect(one?.digest).not.toBe(other?.digest)
  })
})

describe('the planted bugs', () => {
  test.each(PLANTED_BUGS.map((bug) => [bug.name, bug] as const))('%s: can be planted', (_, bug) => {
    expect(plant(bug).size).toBeGreaterThan(0)
  })

  test('each has its seed', () => {
    expect(Object.keys(plantedSeeds()).sort()).toEqual(PLANTED_BUGS.map(({ name }) => name).sort())
  })
})
