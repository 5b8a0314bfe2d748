import { Gauge } from 'prom-client'
import type { PairingIndex } from '../pairing/pairing-index.ts'
import { writeHistory } from '../pairing/write-history.ts'
import { pairingDeployment } from '../schemas/config.ts'
import type { Foundation } from './foundation.ts'
import { openHistory } from './open-history.ts'
import { supervise } from './supervise.ts'

/**
 * Keeps the rows of the index in the history until the closer ends: in that of the whole service, or
 * in ClickHouse beside a pipeline alone, where CLICKHOUSE_URL names it.
 *
 * @throws HistoryRefused as `openHistory`
 */
export async function keepPairingHistory(
  foundation: Foundation,
  index: PairingIndex,
): Promise<void> {
  const { config, clock, metrics } = foundation
  if (config.ROLE !== 'all' && config.CLICKHOUSE_URL === undefined) return
  const height = new Gauge({
    name: 'market_pairing_history_height',
    help: 'Height up to which the history has the rows of the pairing index.',
    registers: [metrics.registry],
  })
  const history = (await openHistory(foundation)).pairing(pairingDeployment(config))
  const { startHeight } = index
  const parts = { views: index, startHeight, history, clock }
  supervise('pairing_history', foundation, (signal) =>
    writeHistory({ ...parts, onWritten: (written) => height.set(written) }, signal),
  )
}
