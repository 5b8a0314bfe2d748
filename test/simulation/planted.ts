import { readFileSync } from 'node:fs'
import path from 'node:path'
import { z } from 'zod'
import { bundleSimulation } from './bundle.ts'
import type { PlantedBug } from './planted-bugs.ts'
import type { SeedResult } from './run-seed.ts'
import { SeedThreads } from './seed-threads.ts'

/** The seed that finds each bug, and as what: written by `npm run sim -- --planted --search`. */
export const PLANTED_SEEDS = path.join(import.meta.dirname, 'planted-seeds.json')
export const PlantedSeeds = z.record(z.string(), z.object({ seed: z.int(), invariant: z.string() }))
export type PlantedSeeds = z.infer<typeof PlantedSeeds>

export const plantedSeeds = (): PlantedSeeds =>
  PlantedSeeds.parse(JSON.parse(readFileSync(PLANTED_SEEDS, 'utf8')))

/** Short lives: a bug shows soon. */
const LIFE = { orders: 60, events: 700 }

/** Runs seeds with the planted bug, in order, until one finds it; null: none does. */
export async function findBug(
  bug: PlantedBug,
  seeds: Iterable<number>,
  threads = 1,
): Promise<SeedResult | null> {
  const bundle = await bundleSimulation(bug)
  const workers = new SeedThreads(bundle.worker)
  let found: SeedResult | null = null
  try {
    await workers.runAll(seeds, { threads, ...LIFE }, (result) => {
      if (result.violations.length === 0) return true
      found ??= result
      return false
    })
  } finally {
    await workers.close()
    bundle.drop()
  }
  return found
}
