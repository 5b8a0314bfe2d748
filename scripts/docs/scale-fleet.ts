import { DEFAULT_MAP_BYTES } from '../../src/adapters/embedded/lmdb/lmdb-environment.ts'
import { RESTORED_WITHIN_MS } from './scale-needs.ts'
import { LIMITS, type ScaleUnits } from './scale-units.ts'

/** Each process on a core of its own, and as many partitions as ORDER_PARTITIONS has by default. */
export const FLEET = { gateways: 4, workers: 4, partitions: 16 } as const

/** How much a part allows: the first of them is what ends it. */
export interface Ceiling {
  what: string
  allows: number
}

/** Imports a second, from what allows the fewest. */
export function importCeilings(units: ScaleUnits): Ceiling[] {
  const coreMs = 1_000 * LIMITS.busy
  return fewestFirst({
    'processor of the gateways': (FLEET.gateways * coreMs) / units.gatewayMsOfImport,
    'processor of the workers': (FLEET.workers * coreMs) / units.workerMsOfOrder,
    'steps of the partitions, one after another': FLEET.partitions * units.partitionImportsPerS,
    'the one projector': (units.projectorChangesPerS * LIMITS.busy) / units.changesOfOrder,
    'thread of Redis': coreMs / (units.changesOfOrder * units.redisMsOfChange),
  })
}

/** Orders, from what allows the fewest. */
export const orderCeilings = (units: ScaleUnits): Ceiling[] =>
  fewestFirst({
    'a partition served again within 30 s by a worker with an empty disk':
      (FLEET.partitions * RESTORED_WITHIN_MS) / units.restoreMsOfSnapshot,
    'memory of Redis': LIMITS.redisBytes / units.redisBytesOfOrder,
    'memory of each gateway': LIMITS.gatewayBytes / units.gatewayBytesOfOrder,
    'files of the workers, 64 GiB each':
      (FLEET.workers * DEFAULT_MAP_BYTES) / units.diskBytesOfSnapshot,
  })

const fewestFirst = (parts: Readonly<Record<string, number>>): Ceiling[] =>
  Object.entries(parts)
    .map(([what, allows]) => ({ what, allows }))
    .sort((a, b) => a.allows - b.allows)
