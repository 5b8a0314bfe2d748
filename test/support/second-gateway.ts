import { openSignaturePool } from '../../src/adapters/embedded/signature-pool.ts'
import { layFoundation } from '../../src/roles/foundation.ts'
import { gatewayApp, openGateway } from '../../src/roles/gateway.ts'
import { probesOf } from '../../src/roles/probes.ts'
import { openRedisStores, usesRedis } from '../../src/roles/redis-stores.ts'
import { READINESS, serve } from '../../src/roles/serve.ts'
import { roleReadiness } from '../../src/streams/role-readiness.ts'
import type { Market } from './market.ts'

/**
 * Another gateway of a service on Redis: a server, connections and caches of its own. What Kafka and
 * ClickHouse are elsewhere, the log and the history, it has from the first one.
 */
export async function openSecondGateway({ config, stores, authorities }: Market) {
  if (!usesRedis(config)) throw new Error('gateways share a Redis')
  const foundation = layFoundation(config)
  const { closer } = foundation
  const { log, history } = stores
  const book = { ...(await openRedisStores(config, foundation)), history }
  const signatures = openSignaturePool({ threads: 1 })
  closer.add(() => signatures.close())
  const gateway = openGateway(foundation, { log, book, authorities, signatures })
  const readiness = roleReadiness(probesOf({ log, book, authorities }), READINESS)
  const app = gatewayApp(foundation, gateway, { book, authorities }, readiness)
  const { address } = await serve(foundation, app)
  return { address, close: () => closer.close() }
}
