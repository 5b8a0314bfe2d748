import type { Sample } from '../../harness/results.ts'
import type { PinnedProcess } from './pinned.ts'
import type { Load, LoadFigures } from './socket-load.ts'

export type LoadedSample = Sample & LoadFigures

/**
 * Requests a second of a server (`listen` was called) under the load of a client (`socket-load`).
 */
export async function loaded(
  server: PinnedProcess,
  client: PinnedProcess,
  load: Load,
): Promise<LoadedSample> {
  const before = await server.call<number>('cpu')
  const figures = await client.call<LoadFigures>('run', load)
  const used = (await server.call<number>('cpu')) - before
  return { ...figures, figure: figures.perSecond, cpuUs: used / figures.requests }
}
