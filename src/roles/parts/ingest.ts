import { NodeUnavailableError } from '../../ports/authorities/authority-errors.ts'
import { LANES } from '../../runtime/lanes.ts'
import { Turn } from '../../runtime/turn.ts'
import { aborted } from '../../runtime/until-aborted.ts'
import type { Config } from '../../schemas/config/config.ts'
import type { Begun } from '../../schemas/evidence.ts'
import { ingest } from '../../streams/ingest/ingest.ts'
import {
  INGEST_DEFAULTS,
  type IngestMetric,
  type IngestOptions,
} from '../../streams/ingest/ingest-options.ts'
import type { RuntimeContext } from '../context/runtime-context.ts'
import { supervise } from '../context/supervise.ts'
import { inLane, type OpenAuthorities } from '../open/authorities.ts'
import type { OpenedLog } from '../open/open-log.ts'
import { type Intake, type IntakeParts, superviseIntake } from './intake.ts'

/**
 * The follower of node and index, and the feeds of orders, until the closer ends. Of all processes
 * that run it, one does this and the others wait.
 */
export async function runIngest(
  context: RuntimeContext,
  { log, asIngest }: OpenedLog,
  authorities: OpenAuthorities,
  openSignatures: IntakeParts['openSignatures'],
  options: Partial<IngestOptions> = {},
): Promise<Intake> {
  const { config, clock, logger, metrics, report } = context
  // Several processes may follow the chain: one of them writes, and reads the feeds.
  const turn = new Turn()
  // What this process has written: partitions consume it before any command that follows.
  let begun: Begun | null = null
  const intake = await superviseIntake(config, {
    ...context,
    log,
    // Feeds have the lowest priority of all questions.
    ...inLane(authorities, LANES.later),
    lastWatermark: async () => begun,
    openSignatures,
    turn,
  })
  const { node, index } = authorities.ofIngest ?? authorities
  if (!node) {
    turn.set(true)
    return intake
  }
  metrics.watch(
    'market_ingest_writes',
    '1 while this process follows the chain and writes what it sees, 0 while it waits to take over.',
    () => Number(turn.isOurs),
  )
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
    await asIngest((parts, until) => ingest({ ...parts, ...sources }, until), turn, signal)
  })
  supervise('turns of ingest', context, (signal) => {
    const work = async (until: AbortSignal) => {
      logger.info('this ingest follows the chain')
      await aborted(until)
      begun = null
      metrics.ingestWaits()
      if (!signal.aborted)
        logger.warn('this ingest no longer follows the chain: it waits for its turn')
    }
    return turn.alternate({ work, wait: aborted }, signal)
  })
  return intake
}

/** Watermarks come often enough to keep verified orders fresh. */
const quietMs = ({ MAX_VERIFICATION_AGE_SECONDS: seconds }: Config): number =>
  Math.min(INGEST_DEFAULTS.quietMs, (seconds * 1_000) / 4)
