import { systemClock } from '../../adapters/embedded/system-clock.ts'
import type { Config } from '../../schemas/config.ts'
import { openAuthorities } from '../authorities.ts'
import { Closer } from '../closer.ts'
import { openLogger } from '../logger.ts'
import { openMetrics } from '../metrics.ts'
import { openStores } from '../stores.ts'
import { audit } from './audit.ts'
import type { AuditReport } from './report.ts'

/** Audits the store of DATA_DIR. Throws `StorageUnavailable` while a service has it open. */
export async function auditStore(config: Config): Promise<AuditReport> {
  const closer = new Closer()
  try {
    const surroundings = {
      clock: systemClock,
      logger: openLogger(config),
      metrics: openMetrics(),
      closer,
    }
    const stores = await openStores(config, surroundings)
    const { node, index } = openAuthorities(config, systemClock, closer)
    return await audit({ ...stores, node, index, network: config.BITCOIN_NETWORK })
  } finally {
    await closer.close()
  }
}
