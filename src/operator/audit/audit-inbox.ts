import { partitionOf } from '../../domain/order/partition.ts'
import type { RoomBounds } from '../../domain/order/room.ts'
import type { ProofChecker } from '../../ports/authorities/proof-checker.ts'
import type { EventLog, Stored } from '../../ports/log/event-log.ts'
import { DeadRecord, InboxRecord, TOO_LARGE, TOPICS } from '../../schemas/log.ts'
import type { Network } from '../../schemas/scalars.ts'
import type { ExistingActors, FoldedLog } from './folded-log.ts'
import { readWhole } from './read-whole.ts'
import { Replay } from './replay.ts'
import type { AuditReport } from './report.ts'

interface InboxParts {
  log: EventLog
  network: Network
  proofs: ProofChecker
  room?: RoomBounds
}

/**
 * The inbox, as far as it was consumed: I1, each command has its outcome, or an actor that still
 * has to give it one; I8, I12 and I7 by replaying all of it.
 */
export async function auditInbox(
  { log, network, proofs, room }: InboxParts,
  folded: FoldedLog,
  actors: ExistingActors,
  report: AuditReport,
): Promise<void> {
  const owed = requestsOf(actors)
  let trimmed = 0
  let waiting = 0
  for (const [partition, { inbox: consumed }] of folded.reach.entries()) {
    waiting += (await log.end(TOPICS.inbox, partition)) - consumed
    const dead = await deadReasons(log, partition)
    const partEnd = actors.parts.get(partition)
    const replay = new Replay({
      ...{ network, partition, partitions: log.partitions, proofs },
      ...(partEnd ? { partEnd } : {}),
      ...(room ? { room } : {}),
    })
    let first: number | null = null
    for await (const record of readWhole(log, TOPICS.inbox, partition)) {
      if (record.offset >= consumed) {
        if (first === 0 && record.offset === partEnd?.offset) await replay.takePart(record)
        break
      }
      first ??= record.offset
      if (!dead.has(record.offset)) auditCommand(record, { owed, folded, log, report })
      if (first !== 0) continue
      const reason = dead.get(record.offset)
      if (reason?.startsWith(TOO_LARGE)) await replay.setAside(record, reason)
      else await replay.take(record)
    }
    const isWhole = first === 0 || (first === null && consumed === 0)
    if (isWhole) await replay.compare(folded, actors, report)
    else trimmed += 1
  }
  if (trimmed > 0) {
    report.skip('I8', `${trimmed} partitions have expired inbox records`)
  }
  if (waiting > 0) report.note(`the order actors are ${waiting} inbox records behind`)
}

function auditCommand(
  { partition, offset, value }: Stored<unknown>,
  {
    owed,
    folded,
    log,
    report,
  }: {
    owed: ReadonlySet<string>
    folded: FoldedLog
    log: EventLog
    report: AuditReport
  },
): void {
  const { data: record } = InboxRecord.safeParse(value)
  // The sweep's audit commands come from no client: none waits for the outcome.
  if (record?.kind !== 'command' || record.command === 'audit') return
  const { requestId, orderId, command, outpoint } = record
  if (folded.broken.has(orderId) || partitionOf(outpoint, log.partitions) !== partition) return
  const isKept = folded.answered.has(requestId) || owed.has(requestId)
  const place = `partition ${partition}: the ${command} at inbox offset ${offset}`
  const what = () => `${place} (request ${requestId} of ${orderId}) has no outcome`
  if (!report.check('I1', isKept, what)) folded.broken.add(orderId)
}

/** Requests whose verdict is pending. */
const requestsOf = ({ orders }: ExistingActors): ReadonlySet<string> =>
  new Set(
    [...orders.values()].flatMap(({ pending }) =>
      [...(pending?.requests ?? []), ...(pending?.late ?? [])].map(({ requestId }) => requestId),
    ),
  )

/** Why each record was set aside, by its offset; empty if it was retried since. */
async function deadReasons(log: EventLog, partition: number): Promise<Map<number, string>> {
  const reasons = new Map<number, string>()
  for await (const { value } of readWhole(log, TOPICS.dead, partition)) {
    const record = DeadRecord.parse(value)
    const known = reasons.get(record.offset)
    reasons.set(record.offset, record.kind === 'dead' ? record.reason : (known ?? ''))
  }
  return reasons
}
