import { Gauge } from 'prom-client'
import { writeHistory } from '../../pairing/fold/write-history.ts'
import type { PairingIndex } from '../../pairing/pairing-index.ts'
import { pairingDeployment } from '../../schemas/config/config.ts'
import type { RuntimeContext } from '../context/runtime-context.ts'
import { supervise } from '../context/supervise.ts'
import { openHistory } from '../open/open-history.ts'

/**
 * Writes the rows of the index to the history until the closer ends: to that of the whole service,
 * or for a standalone pipeline to ClickHouse, if CLICKHOUSE_URL names it.
 *
 * @throws HistoryRefusedError as `openHistory`
 */
export async function keepPairingHistory(
  context: RuntimeContext,
  index: PairingIndex,
): Promise<void> {
  const { config, clock, metrics } = context
  if (config.ROLE !== 'all' && config.CLICKHOUSE_URL === undefined) return
  const height = new Gauge({
    name: 'market_pairing_history_height',
    help: 'Height up to which the history contains the rows of the pairing index.',
    registers: [metrics.registry],
  })
  const history = (await openHistory(context)).pairing(pairingDeployment(config))
  const { startHeight } = index
  const parts = { views: index, startHeight, history, clock }
  supervise('pairing_history', context, (signal) =>
    writeHistory({ ...parts, onWritten: (written) => height.set(written) }, signal),
  )
}
