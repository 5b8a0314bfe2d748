import { LANES } from '../ports/lanes.ts'
import type { SignatureChecker } from '../ports/signature-checker.ts'
import { ingest } from '../streams/ingest.ts'
import type { Probe } from '../streams/role-readiness.ts'
import { inLane, type OpenAuthorities } from './authorities.ts'
import type { Foundation } from './foundation.ts'
import { superviseIntake } from './intake.ts'
import type { OpenedLog } from './open-log.ts'
import { supervise } from './supervise.ts'

/** The one follower of node and index, and the feeds of orders, until the closer ends. */
export async function runIngest(
  foundation: Foundation,
  { log, asIngest }: OpenedLog,
  authorities: OpenAuthorities,
  openSignatures: () => SignatureChecker,
): Promise<Probe> {
  const { config, clock, logger, metrics } = foundation
  // Feeds come after everything else that is asked of the node.
  const { node: lastServed } = inLane(authorities, LANES.later)
  await superviseIntake(config, { ...foundation, log, node: lastServed, openSignatures })
  const { node, index } = authorities.ofIngest ?? authorities
  let isReplaced = false
  const probe: Probe = {
    vital: true,
    unavailable: 'ingest_unavailable',
    ask: async () => (isReplaced ? ['ingest_replaced: another one has taken over'] : []),
  }
  if (!node) return probe
  supervise('ingest', foundation, async (signal) => {
    const sources = { node, index, clock, onMetric: metrics.ingest }
    const ended = await asIngest(signal, (parts) => ingest({ ...parts, ...sources }, signal))
    if (ended !== 'replaced') return
    isReplaced = true
    logger.error('another ingest has taken over: this one has stopped; end one of them')
    await clock.sleep(Infinity, signal)
  })
  return probe
}
