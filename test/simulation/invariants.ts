import { audit } from '../../src/roles/audit/audit.ts'
import { INVARIANTS, type Invariant } from '../../src/roles/audit/report.ts'
import { DeadLetter, TOPICS } from '../../src/schemas/log.ts'
import { indexOf } from './asset-index.ts'
import type { Gateway } from './gateway.ts'
import { historyOf } from './history.ts'
import { ingestStoreOf } from './ingest-store.ts'
import type { Violation } from './monitor.ts'
import { nodeOf } from './node.ts'
import { contradictions } from './oracle.ts'
import type { Service } from './service.ts'
import { viewsOf } from './views.ts'
import { PARTITIONS, type World } from './world.ts'

const ALL = Number.MAX_SAFE_INTEGER

/** What must be true once everything is healed and has come to rest: the audit's own, and more. */
export async function violationsAtRest(
  world: World,
  service: Service,
  gateway: Gateway,
): Promise<Violation[]> {
  return [
    ...(await auditOf(world, service)),
    ...lostOutcomes(world, gateway),
    ...lostLetters(world, gateway),
    ...contradictions(world, world.log.orders()).map((what) => ({
      invariant: 'I9' as const,
      what,
    })),
  ]
}

/** `market audit` on what the seed has left, asked by a process that nothing happens to. */
async function auditOf(world: World, service: Service): Promise<Violation[]> {
  const auditor = service.visitor('audit')
  const parts = {
    log: service.log(auditor),
    views: viewsOf(world.views, auditor),
    history: historyOf(world.history, auditor),
    ingestStore: ingestStoreOf(world.ingestStore, auditor, () => true),
    node: nodeOf(world.chain, auditor),
    index: indexOf(world.index, auditor),
    network: 'regtest' as const,
  }
  world.log.compact()
  const report = await audit(parts)
  return report.violations.map((line) => {
    const [name = ''] = line.split(' ')
    const invariant = Object.keys(INVARIANTS).find((one) => one === name) as Invariant | undefined
    return { invariant: invariant ?? 'end', what: line.slice(name.length + 1) }
  })
}

/** I1: whoever was told that the log has his command can read what became of it. */
function lostOutcomes({ monitor }: World, { acknowledged }: Gateway): Violation[] {
  return [...acknowledged].flatMap(([requestId, { orderId, command }]) =>
    monitor.outcomes.has(requestId)
      ? []
      : [{ invariant: 'I1', what: `${requestId} (${command} of ${orderId}) has no outcome` }],
  )
}

/** I1: what nobody could read is kept, with its reason. */
function lostLetters({ log }: World, { poison }: Gateway): Violation[] {
  const letters = Array.from({ length: PARTITIONS }, (_, partition) =>
    log
      .range(TOPICS.dead, partition, 0, ALL)
      .map(({ value }) => JSON.stringify([partition, DeadLetter.parse(value).value])),
  ).flat()
  return poison.flatMap((record) => {
    const at = letters.indexOf(JSON.stringify([record.partition, record.value]))
    if (at >= 0) letters.splice(at, 1)
    const what = `a record that nobody can read is in no dead letter of partition ${record.partition}`
    return at >= 0 ? [] : [{ invariant: 'I1', what }]
  })
}
