import { TOPICS } from '../../src/schemas/log.ts'
import type { FaultKind } from './faults.ts'
import { Gateway } from './gateway.ts'
import { violationsAtRest } from './invariants.ts'
import type { Violation } from './monitor.ts'
import { SMALL_POOL } from './pool-watch.ts'
import { Service } from './service.ts'
import { WebhookFaults } from './webhook-faults.ts'
import { Workload } from './workload.ts'
import { PARTITIONS, World } from './world.ts'
import { LARGE_STEP_MS, WorldFaults } from './world-faults.ts'

export interface SeedOptions {
  seed: number
  /** Keeps every line of the trace. */
  keepsTrace?: boolean
  orders?: number
  events?: number
}

export interface SeedResult {
  seed: number
  /** SHA-256 of everything that happened, in order. */
  digest: string
  steps: number
  orders: number
  /** Records accepted by the inbox. */
  events: number
  /** Virtual milliseconds. */
  lasted: number
  faults: [FaultKind, number][]
  violations: Violation[]
  trace: string[]
}

const ORDERS = 200
const EVENTS = 1_500
/** Between two moves of the world, virtual milliseconds. */
const PACE_MS = 3_000
const LONGEST_MS = 6 * 3_600_000
/** Everything that waits is checked again within this virtual time. */
const REST_MS = 15 * 60_000
const REST_BLOCK_MS = 4 * 60_000
const UNREST_MS = 30 * 60_000
/** The pool keeps what it took by a clock that was ahead for that much longer. */
const POOL_MS = SMALL_POOL.retentionMs + LARGE_STEP_MS

/**
 * One seed: a life of the service under faults, then everything is healed, becomes idle, and is
 * audited.
 */
export async function runSeed(options: SeedOptions): Promise<SeedResult> {
  const { seed, keepsTrace = false, orders = ORDERS, events = EVENTS } = options
  const world = new World(seed, { keepsLines: keepsTrace })
  const { scheduler, monitor, faults } = world
  const service = new Service(world)
  const gateway = new Gateway(world, service)
  const deeds = new WorldFaults(world, service, gateway)
  const { webhooks } = world
  const hooks = webhooks && new WebhookFaults(world, service, webhooks)
  const workload = new Workload(world, service, gateway, orders)

  const isOver = () => (workload.isListed && monitor.events >= events) || isViolated()
  const isViolated = () => monitor.violations.length > 0
  const move = () => {
    if (isOver()) return
    workload.move()
    const fault = faults.ofTheWorld()
    if (fault) deeds.happen(fault)
    const ofWebhooks = hooks && faults.ofWebhooks()
    if (ofWebhooks) hooks.happen(ofWebhooks)
    scheduler.after(world.dice.below(PACE_MS), 'the world moves', move)
  }
  for (let n = 0; n < 3; n += 1) workload.mine(1)
  move()
  await scheduler.until(isOver, LONGEST_MS)
  const heal = () => {
    deeds.heal()
    hooks?.heal()
    service.heal()
  }
  const unrest = isViolated() ? null : await rest(world, workload, heal)
  if (!isViolated()) {
    // Specific violations first: they may be why it does not become idle.
    for (const { invariant, what } of await violationsAtRest(world, service, gateway))
      monitor.violated(invariant, what)
    if (unrest !== null) monitor.violated('end', unrest)
  }
  const digest = scheduler.digest()
  service.end()
  return {
    seed,
    digest,
    steps: scheduler.steps,
    orders: world.book.listings.length,
    events: monitor.events,
    lasted: scheduler.now,
    faults: [...faults.counts],
    violations: monitor.violations,
    trace: scheduler.lines ?? [],
  }
}

/** Faults end, a few blocks come, and everything that waits has its turn; what has none, in words. */
async function rest(world: World, workload: Workload, heal: () => void): Promise<string | null> {
  const { scheduler, faults, monitor } = world
  faults.isOn = false
  heal()
  const end = scheduler.now + REST_MS
  const block = () => {
    heal()
    if (scheduler.now > end) return
    workload.mine(0.5)
    scheduler.after(REST_BLOCK_MS, 'a block while all rest', block)
  }
  scheduler.after(REST_BLOCK_MS, 'a block while all rest', block)
  await scheduler.until(() => scheduler.now > end || monitor.violations.length > 0, end)
  await scheduler.until(
    () => world.poolWatch.store.full.length === 0 || monitor.violations.length > 0,
    end + POOL_MS,
  )
  heal()
  let why = restlessness(world)
  await scheduler.until(() => {
    why = restlessness(world)
    return why === null || monitor.violations.length > 0
  }, scheduler.now + UNREST_MS)
  return monitor.violations.length > 0 ? null : why
}

/** What is still to be done; null: nothing. */
function restlessness({ log, views, history, chain, webhooks }: World): string | null {
  for (let partition = 0; partition < PARTITIONS; partition += 1) {
    const end = log.end(TOPICS.lifecycle, partition)
    const seen = log.progress(partition)?.watermark
    if (log.consumed(partition) < log.end(TOPICS.inbox, partition))
      return `partition ${partition}: the actors have records to take`
    if (views.position(partition) < end) return `partition ${partition}: the views are behind`
    if (history.isBehind(log.range(TOPICS.lifecycle, partition, 0, end)))
      return `partition ${partition}: the history is behind`
    if (seen?.tip.hash !== chain.tip.hash || seen.mempoolSequence !== chain.sequence)
      return `partition ${partition}: no watermark of the node's present came`
    const shown = views.freshness.get(partition)?.watermark
    if (shown?.epoch !== seen.epoch) return `partition ${partition}: the views are not as fresh`
  }
  if (webhooks && webhooks.watch.left > 0) return 'changes are left to be sent to the endpoint'
  const pending = log.orders().find((order) => order.pending !== null)
  return pending ? `${pending.id} has an open question that is not answered` : null
}
