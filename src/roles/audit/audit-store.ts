import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { systemClock } from '../../adapters/embedded/system-clock.ts'
import { type Config, usesDevnet } from '../../schemas/config.ts'
import { openAuthorities } from '../authorities.ts'
import { Closer } from '../closer.ts'
import { openLogger } from '../logger.ts'
import { openMetrics } from '../metrics.ts'
import { openStores } from '../stores.ts'
import { audit } from './audit.ts'
import type { AuditReport } from './report.ts'

/** There is nothing to audit: the folder holds no store. */
export class NoStore extends Error {
  override name = 'NoStore'
}

/**
 * Audits the store of DATA_DIR. Throws `NoStore`, and `StorageUnavailable` while a service has it
 * open; it makes nothing that is not there.
 */
export async function auditStore(config: Config): Promise<AuditReport> {
  const { DATA_DIR, BITCOIN_NETWORK } = config
  if (!existsSync(join(DATA_DIR, 'store'))) {
    throw new NoStore(`there is no store in ${DATA_DIR}: set DATA_DIR to the folder of the service`)
  }
  const closer = new Closer()
  try {
    const surroundings = {
      clock: systemClock,
      logger: openLogger(config),
      metrics: openMetrics(),
      closer,
    }
    const stores = await openStores(config, surroundings)
    const { node, index } = openKept(config, closer)
    return await audit({ ...stores, node, index, network: BITCOIN_NETWORK })
  } finally {
    await closer.close()
  }
}

/** A devnet that this store never had would be made by opening it, and know nothing of its orders. */
function openKept(config: Config, closer: Closer) {
  const isMissing = usesDevnet(config) && !existsSync(join(config.DATA_DIR, 'devnet'))
  return isMissing ? { node: null, index: null } : openAuthorities(config, systemClock, closer)
}
