import { audit } from '../../src/operator/audit/audit.ts'
import { INVARIANTS, type Invariant } from '../../src/operator/audit/report.ts'
import { type ChangeRecord, DeadLetter, TOPICS } from '../../src/schemas/log.ts'
import { standingProofs } from '../support/orders/withdrawals.ts'
import { indexOf } from './asset-index.ts'
import type { Gateway } from './gateway.ts'
import { historyOf } from './history.ts'
import { ingestStoreOf } from './ingest-store.ts'
import type { Violation } from './monitor.ts'
import { nodeOf } from './node.ts'
import { contradictions } from './oracle.ts'
import { isPrefix } from './pool-watch.ts'
import { SMALL_ROOM } from './room-watch.ts'
import type { Service } from './service.ts'
import { viewsOf } from './views.ts'
import { PARTITIONS, type World } from './world.ts'

const ALL = Number.MAX_SAFE_INTEGER

/** What must be true once everything is healed and idle: the audit's own checks, and more. */
export async function violationsAtRest(
  world: World,
  service: Service,
  gateway: Gateway,
): Promise<Violation[]> {
  return [
    ...(await auditOf(world, service)),
    ...lostOutcomes(world, gateway),
    ...lostLetters(world, gateway),
    ...lostStories(world),
    ...leftOvers(world),
    ...(world.webhooks?.watch.violationsAtRest ?? []),
    ...contradictions(world, world.log.orders()).map((what) => ({
      invariant: 'I9' as const,
      what,
    })),
  ]
}

/** `market audit` on the final state of the seed, run by a process without faults. */
async function auditOf(world: World, service: Service): Promise<Violation[]> {
  const auditor = service.visitor('audit')
  const parts = {
    log: service.log(auditor),
    views: viewsOf(world.views, auditor),
    history: historyOf(world.history, auditor),
    ingestStore: ingestStoreOf(world.ingestStore, auditor, () => true),
    node: nodeOf(world.chain, auditor),
    index: indexOf(world.index, auditor),
    proofs: standingProofs,
    network: 'regtest' as const,
    room: SMALL_ROOM,
  }
  world.log.compact()
  const report = await audit(parts)
  return report.violations.map((line) => {
    const [name = ''] = line.split(' ')
    const invariant = Object.keys(INVARIANTS).find((one) => one === name) as Invariant | undefined
    return { invariant: invariant ?? 'end', what: line.slice(name.length + 1) }
  })
}

/** I1: an acknowledged command has a readable outcome. */
function lostOutcomes({ monitor }: World, { acknowledged }: Gateway): Violation[] {
  return [...acknowledged].flatMap(([requestId, { orderId, command }]) =>
    monitor.outcomes.has(requestId)
      ? []
      : [{ invariant: 'I1', what: `${requestId} (${command} of ${orderId}) has no outcome` }],
  )
}

/** I1: every unreadable record is stored, with its reason. */
function lostLetters({ log }: World, { poison }: Gateway): Violation[] {
  const letters = Array.from({ length: PARTITIONS }, (_, partition) =>
    log
      .range(TOPICS.dead, partition, 0, ALL)
      .map(({ value }) => JSON.stringify([partition, DeadLetter.parse(value).value])),
  ).flat()
  return poison.flatMap((record) => {
    const at = letters.indexOf(JSON.stringify([record.partition, record.value]))
    if (at >= 0) letters.splice(at, 1)
    const what = `an unreadable record is in no dead letter of partition ${record.partition}`
    return at >= 0 ? [] : [{ invariant: 'I1', what }]
  })
}

/** Everything has been idle for longer than the pool keeps anything. */
const leftOvers = ({ poolWatch }: World): Violation[] =>
  poolWatch.store.full.map((table) => ({
    invariant: 'pool',
    what: `the table "${table}" holds what is too old`,
  }))

/** The history of an order before it was logged is the beginning of its log. */
function lostStories({ log, monitor }: World): Violation[] {
  return Array.from({ length: PARTITIONS }, (_, partition) => {
    const records = log.range(TOPICS.lifecycle, partition, 0, ALL)
    const changes = new Map<string, ChangeRecord[]>()
    for (const change of records.map(({ value }) => value as ChangeRecord)) {
      const told = changes.get(change.orderId) ?? []
      if (change.kind === 'transition') changes.set(change.orderId, [...told, change])
    }
    return [...changes].flatMap(([orderId, told]): Violation[] => {
      const made = told[0]?.cause.offset ?? -1
      const command = monitor.commandAt(partition, made)
      const story = command?.command === 'import' ? (command.story?.changes ?? []) : []
      const what = `the log of ${orderId} does not begin with what the pool knew of it`
      return isPrefix(story, told) ? [] : [{ invariant: 'pool', what }]
    })
  }).flat()
}
