import type { EventLog } from '../../ports/log/event-log.ts'
import type { Config } from '../../schemas/config/config.ts'
import { TOPICS } from '../../schemas/log.ts'
import { withStillStores } from '../log/copied-stores.ts'
import { partitionsOf, withExistingLog } from '../log/open-existing.ts'
import { requirePartition } from '../log/place.ts'
import type { OnProgress } from '../log/progress.ts'
import { auditLifecycle } from './audit-lifecycle.ts'
import { auditSnapshots } from './audit-snapshots.ts'
import type { ExistingActors, FoldedLog } from './folded-log.ts'
import { proofsHere } from './proofs-here.ts'
import { readWhole } from './read-whole.ts'
import { Replay } from './replay.ts'
import { AuditReport } from './report.ts'

export interface InboxReplay {
  lines: string[]
  /** True if what could be replayed has no differences. */
  isClean: boolean
}

/**
 * Replays the inbox in memory, from its first record up to what the order actors have consumed, and
 * compares the result with the lifecycle and the snapshots. Writes nothing. A partition whose first
 * records are past their retention cannot be replayed, and is reported. Beside a service it reads a copy.
 */
export const replayInbox = (
  config: Config,
  { partition: only }: { partition?: number },
  onProgress: OnProgress,
  signal: AbortSignal,
): Promise<InboxReplay> =>
  withStillStores(config, (stores) => replayStill(stores, only, onProgress, signal))

const replayStill = (
  config: Config,
  only: number | undefined,
  onProgress: OnProgress,
  signal: AbortSignal,
): Promise<InboxReplay> =>
  withExistingLog(config, 'replay inbox', async ({ log }) => {
    if (only !== undefined) requirePartition(only, log.partitions)
    const reach = await Promise.all(
      partitionsOf(log).map(async (partition) => ({
        inbox: await log.consumed(partition),
        views: 0,
        history: null,
      })),
    )
    // The audit checks the fold itself; here it is only what the replay is compared with.
    const folded = await auditLifecycle(log, reach, new AuditReport(), {
      proofs: proofsHere,
      node: null,
    })
    const actors = await auditSnapshots(log, folded, new AuditReport())
    const report = new AuditReport()
    const lines: string[] = []
    const partitions = partitionsOf(log).filter((one) => only === undefined || one === only)
    for (const partition of partitions) {
      if (signal.aborted) break
      const options = {
        ...{ network: config.BITCOIN_NETWORK, partition, partitions: log.partitions },
        proofs: proofsHere,
      }
      const line = await replayPartition(log, options, { folded, actors }, report)
      lines.push(`partition ${String(partition).padEnd(5)}${line}`)
      onProgress({ step: 'partitions', done: lines.length, all: partitions.length })
    }
    lines.push(...report.violations, ...(signal.aborted ? ['interrupted'] : []))
    lines.push(report.isClean ? 'no differences' : `${report.violations.length} differences`)
    return { lines, isClean: report.isClean && !signal.aborted }
  })

async function replayPartition(
  log: EventLog,
  options: ConstructorParameters<typeof Replay>[0],
  { folded, actors }: { folded: FoldedLog; actors: ExistingActors },
  report: AuditReport,
): Promise<string> {
  const { partition } = options
  const consumed = folded.reach[partition]?.inbox ?? 0
  const replay = new Replay(options)
  let records = 0
  for await (const record of readWhole(log, TOPICS.inbox, partition)) {
    if (record.offset >= consumed) break
    if (records === 0 && record.offset > 0) {
      return `not replayed: its inbox begins at offset ${record.offset}, earlier records have expired`
    }
    await replay.take(record)
    records += 1
  }
  if (records === 0 && consumed > 0) return 'not replayed: its inbox records have expired'
  const before = report.violations.length
  await replay.compare(folded, actors, report)
  const found = report.violations.length - before
  const verdict = found === 0 ? 'matches the lifecycle' : `${found} differences`
  return `${records} inbox records replayed: ${verdict}`
}
