import { NodeUnavailableError } from '../../ports/authorities/authority-errors.ts'
import { LANES } from '../../runtime/lanes.ts'
import type { Config } from '../../schemas/config/config.ts'
import type { Begun } from '../../schemas/evidence.ts'
import { ingest } from '../../streams/ingest/ingest.ts'
import {
  INGEST_DEFAULTS,
  type IngestMetric,
  type IngestOptions,
} from '../../streams/ingest/ingest-options.ts'
import type { Probe } from '../../streams/readiness/role-readiness.ts'
import type { RuntimeContext } from '../context/runtime-context.ts'
import { supervise } from '../context/supervise.ts'
import { inLane, type OpenAuthorities } from '../open/authorities.ts'
import type { OpenedLog } from '../open/open-log.ts'
import { type Intake, type IntakeParts, superviseIntake } from './intake.ts'

export interface RunningIngest {
  probe: Probe
  intake: Intake
}

/** The single follower of node and index, and the feeds of orders, until the closer ends. */
export async function runIngest(
  context: RuntimeContext,
  { log, asIngest }: OpenedLog,
  authorities: OpenAuthorities,
  openSignatures: IntakeParts['openSignatures'],
  options: Partial<IngestOptions> = {},
): Promise<RunningIngest> {
  const { config, clock, logger, metrics, report } = context
  // What this process has written: partitions consume it before any command that follows.
  let begun: Begun | null = null
  const intake = await superviseIntake(config, {
    ...context,
    log,
    // Feeds have the lowest priority of all questions.
    ...inLane(authorities, LANES.later),
    lastWatermark: async () => begun,
    openSignatures,
  })
  const { node, index } = authorities.ofIngest ?? authorities
  let isReplaced = false
  const probe: Probe = {
    vital: true,
    unavailable: 'ingest_unavailable',
    ask: async () => (isReplaced ? ['ingest_replaced: another ingest has taken over'] : []),
  }
  if (!node) return { probe, intake }
  const onMetric = (metric: IngestMetric) => {
    metrics.ingest(metric)
    if (metric.kind === 'watermark') {
      const { epoch, n, mempoolSequence } = metric
      begun = { begunAt: { epoch, n }, mempoolSequence }
    }
    if (metric.kind === 'node-away') {
      const { reason, detail } = metric
      report('ingest', new NodeUnavailableError(reason, detail), 'the node gives no state')
    }
  }
  supervise('ingest', context, async (signal) => {
    const pace = { quietMs: quietMs(config), ...options }
    const sources = { node, index, lifecycle: log, clock, options: pace, onMetric }
    const ended = await asIngest(signal, (parts) => ingest({ ...parts, ...sources }, signal))
    if (ended !== 'replaced') return
    isReplaced = true
    begun = null
    logger.error('another ingest took over and this one stopped: run only one')
    await clock.sleep(Infinity, signal)
  })
  return { probe, intake }
}

/** Watermarks come often enough to keep verified orders fresh. */
const quietMs = ({ MAX_VERIFICATION_AGE_SECONDS: seconds }: Config): number =>
  Math.min(INGEST_DEFAULTS.quietMs, (seconds * 1_000) / 4)
