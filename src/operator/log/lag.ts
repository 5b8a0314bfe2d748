import type { Config } from '../../schemas/config/config.ts'
import type { ReaderPosition } from '../../schemas/operations.ts'
import { lagOf, type PartitionLag } from '../../streams/progress/partition-lag.ts'
import { openReaders, partitionsOf, withExistingLog } from './open-existing.ts'

/** How far its readers are behind the log, partition by partition. */
export const lag = (config: Config): Promise<PartitionLag[]> =>
  withExistingLog(config, 'lag', async (kept) => {
    const { log } = kept
    const { views, history } = await openReaders(kept)
    return await Promise.all(
      partitionsOf(log).map((partition) => lagOf({ log, views, history }, partition)),
    )
  })

/** A table: records left, and the position of each reader. */
export function lagTable(lags: readonly PartitionLag[]): string[] {
  const cell = ({ at, end, left }: ReaderPosition) =>
    left === null ? 'unavailable' : left === 0 ? '0' : `${left} (${at} of ${end})`
  const row = (...cells: string[]) =>
    cells
      .map((text) => text.padEnd(24))
      .join('')
      .trimEnd()
  const total = (reader: (lag: PartitionLag) => ReaderPosition) =>
    lags.some((one) => reader(one).left === null)
      ? 'unavailable'
      : String(lags.reduce((sum, one) => sum + (reader(one).left ?? 0), 0))
  return [
    row('partition', 'actors', 'views', 'history'),
    ...lags.map((one) =>
      row(String(one.partition), cell(one.actors), cell(one.views), cell(one.history)),
    ),
    row(
      'all',
      total((one) => one.actors),
      total((one) => one.views),
      total((one) => one.history),
    ),
  ]
}
