import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { systemClock } from '../../adapters/embedded/system-clock.ts'
import { type Config, usesDevnet } from '../../schemas/config.ts'
import { openAuthorities } from '../authorities.ts'
import type { Closer } from '../closer.ts'
import { layFoundation } from '../foundation.ts'
import { LocalStore } from '../local-store.ts'
import { openBook } from '../open-book.ts'
import { openLog } from '../open-log.ts'
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
  if (!config.KAFKA_BROKERS && !existsSync(join(DATA_DIR, 'store'))) {
    throw new NoStore(`there is no store in ${DATA_DIR}: set DATA_DIR to the folder of the service`)
  }
  const foundation = layFoundation(config)
  const { closer } = foundation
  try {
    const local = new LocalStore(foundation)
    const { log, ingestStore } = await openLog(foundation, local)
    const book = await openBook(foundation, local)
    const { node, index } = openKept(config, closer)
    return await audit({ ...book, log, ingestStore, node, index, network: BITCOIN_NETWORK })
  } finally {
    await closer.close()
  }
}

/** A devnet that this store never had would be made by opening it, and know nothing of its orders. */
function openKept(config: Config, closer: Closer) {
  const isMissing = usesDevnet(config) && !existsSync(join(config.DATA_DIR, 'devnet'))
  return isMissing ? { node: null, index: null } : openAuthorities(config, systemClock, closer)
}
