import { openOrderWorker } from '../../src/actors/order-worker.ts'
import { openAuditSweep } from '../../src/actors/sweep/audit-sweep.ts'
import { openRenewer } from '../../src/actors/sweep/renewer.ts'
import { openVerifier } from '../../src/actors/verifier.ts'
import { marketRules } from '../../src/domain/catalog/market-rules.ts'
import type { Gateway as Front } from '../../src/gateway/gateway.ts'
import { keepPool, wakeByNews } from '../../src/gateway/intake/keep-pool.ts'
import { projectHistory } from '../../src/projections/project-history.ts'
import { projectViews } from '../../src/projections/project-views.ts'
import { Closer } from '../../src/roles/context/closer.ts'
import { supervise } from '../../src/roles/context/supervise.ts'
import type { CommandRecord } from '../../src/schemas/log.ts'
import { ingest } from '../../src/streams/ingest/ingest.ts'
import { standingProofs } from '../support/orders/withdrawals.ts'
import { indexOf } from './asset-index.ts'
import { frontOf } from './front.ts'
import { historyOf } from './history.ts'
import { ingestStoreOf } from './ingest-store.ts'
import { LogClient } from './log-client.ts'
import { nodeOf } from './node.ts'
import { Process } from './process.ts'
import { SMALL_ROOM } from './room-watch.ts'
import { viewsOf } from './views.ts'
import { PARTITIONS, type World } from './world.ts'

export const ROLES = ['ingest', 'worker a', 'worker b', 'projector', 'gateway'] as const
/** In seeds with webhooks. */
export const SENDERS = ['webhooks a', 'webhooks b'] as const
export type Role = (typeof ROLES)[number] | (typeof SENDERS)[number]

const BATCH = 40
/** A reader is notified of a record within this time. */
const WAKE_MS = 800
const CONCURRENCY = 6
const SWEEP = { dayMs: 1_200_000, roundMs: 60_000, graceMs: 10_000 }
const INGEST = {
  watermarkMs: 40_000,
  indexPollMs: 15_000,
  indexBehindMs: 15_000,
  indexTimeoutMs: 4_000,
  retryMs: 1_000,
}
/** The pool is swept this much less often than in production, so that a seed stays cheap. */
const POOL_PACE = 10
/** A dead process is restarted within this time. */
const RESTART_MS = 20_000

/** The loops that the real roles run, each in a process that may die. */
export class Service {
  readonly #world: World
  readonly #processes = new Map<Role, Process>()
  readonly #skews = new Map<Role, number>()
  /** The gateway that clients reach now. */
  front: Front | null = null
  /** Commands acknowledged to a gateway. */
  onAppended: (command: CommandRecord) => void = () => {}
  #lives = 0
  /** The abort of each loop of every process there ever was. */
  readonly #ends: (() => Promise<void> | void)[] = []

  constructor(world: World) {
    this.#world = world
    for (const role of ROLES) this.start(role)
    const { webhooks } = world
    if (!webhooks) return
    const operator = this.visitor('operator')
    webhooks.open(operator, this.log(operator))
    for (const role of SENDERS) this.start(role)
  }

  process(role: Role): Process | undefined {
    return this.#processes.get(role)
  }

  log(process: Process, isWriter?: () => boolean): LogClient {
    const { log, group, dice } = this.#world
    return new LogClient({
      log,
      group,
      process,
      ...(isWriter && { isWriter }),
      batchOf: () => 1 + dice.below(BATCH),
      wakeMs: () => dice.below(WAKE_MS),
      onFailure: () => {},
    })
  }

  /** Observes, and is not part of the service. */
  visitor(name: string): Process {
    const { scheduler, faults } = this.#world
    return new Process(name, scheduler, faults, { isVisitor: true })
  }

  /** Clocks are set. */
  heal(): void {
    for (const role of this.#processes.keys()) this.stepClock(role, 0)
  }

  kill(role: Role): void {
    this.#processes.get(role)?.kill()
  }

  /** SIGTERM: it finishes what it has begun, then another one starts. */
  stop(role: Role): void {
    const process = this.#processes.get(role)
    if (!process?.isAlive) return
    void process.closer.close().then(() => process.kill())
    // What does not exit by itself is killed.
    this.#world.scheduler.after(10_000, `${process.name} must end`, () => process.kill())
  }

  /** The wall clock of a role's machine; its next processes use the same one. */
  stepClock(role: Role, ms: number): void {
    this.#skews.set(role, ms)
    if (role === 'gateway') this.#world.poolWatch.clockStepped(ms)
    const process = this.#processes.get(role)
    if (process) process.skewMs = ms
  }

  /** A new process of the role; the one before it, if alive, keeps running. */
  start(role: Role): Process {
    const { scheduler, faults } = this.#world
    const process = new Process(`${role} ${++this.#lives}`, scheduler, faults)
    process.skewMs = this.#skews.get(role) ?? 0
    this.#processes.set(role, process)
    process.onDeath(() => {
      const ms = faults.isOn ? scheduler.dice.below(RESTART_MS) : 10
      scheduler.after(ms, `${role} is started again`, () => {
        if (this.#processes.get(role) === process) this.start(role)
      })
    })
    scheduler.trace(`${process.name} starts`)
    if (role === 'ingest') this.#ingest(process)
    else if (role === 'projector') this.#projector(process)
    else if (role === 'gateway') this.#gateway(process)
    else if (role === 'webhooks a' || role === 'webhooks b') this.#sender(process)
    else this.#worker(process)
    return process
  }

  /**
   * The seed is over: every loop is aborted, also those of dead processes. The engine keeps a
   * signal with listeners until it is aborted, and with it the whole world of the seed.
   */
  end(): void {
    for (const end of this.#ends) void end()
  }

  #supervision({ clock, closer }: Process) {
    const keeping = new Closer()
    keeping.add = (close) => {
      closer.add(close)
      this.#ends.push(close)
    }
    return { clock, closer: keeping, report: () => {} }
  }

  #ingest(process: Process): void {
    const world = this.#world
    const epoch = ++world.ingestEpoch
    const isWriter = () => world.ingestEpoch === epoch
    const log = this.log(process, isWriter)
    const parts = {
      log,
      lifecycle: log,
      store: ingestStoreOf(world.ingestStore, process, isWriter),
      node: nodeOf(world.chain, process),
      index: indexOf(world.index, process),
      clock: process.clock,
      options: INGEST,
    }
    supervise('ingest', this.#supervision(process), async (signal) => {
      // A replaced one ends: another attempt would begin by fencing its successor.
      if (isWriter()) await ingest(parts, signal)
      else process.kill()
    })
  }

  #worker(process: Process): void {
    const { book, chain, index, monitor } = this.#world
    const log = this.log(process)
    const { clock } = process
    const authorities = { node: nodeOf(chain, process), index: indexOf(index, process) }
    const verifier = openVerifier({
      authorities: { signatures: book.signatures, clock },
      inLane: () => authorities,
      log,
      concurrency: CONCURRENCY,
      onFault: () => {},
    })
    const renewer = openRenewer({ ...authorities, log, clock, onFault: () => {} })
    let requests = 0
    const sweep = openAuditSweep({
      ...authorities,
      log,
      clock,
      ...SWEEP,
      newRequestId: () => `${process.name} sweep ${++requests}`,
      onFault: () => {},
    })
    const open = openOrderWorker({
      network: 'regtest',
      partitions: PARTITIONS,
      marketOf: marketRules,
      proofs: standingProofs,
      room: SMALL_ROOM,
      ask: verifier.ask,
      renew: renewer.renew,
      sweep: sweep.add,
      sweepRoom: sweep.room,
      sweepDayMs: SWEEP.dayMs,
      onDisagreement: () => {},
      onFault: (error) => monitor.violated('fault', `an order actor failed: ${String(error)}`),
      pace: async () => {},
    })
    process.closer.add(() => verifier.close())
    process.closer.add(() => renewer.close())
    supervise('sweep', this.#supervision(process), sweep.run)
    supervise('order actors', this.#supervision(process), (signal) =>
      log.processInbox(open, signal),
    )
  }

  #gateway(process: Process): void {
    const { monitor } = this.#world
    const log = this.log(process)
    const front = frontOf(this.#world, process, log, (command) => this.onAppended(command))
    this.front = front
    process.onDeath(() => {
      if (this.front === front) this.front = null
    })
    const { clock } = process
    const rarely = {
      ...clock,
      sleep: (ms: number, signal?: AbortSignal) => clock.sleep(ms * POOL_PACE, signal),
    }
    const keeping = {
      gateway: { ...front, clock: rarely },
      onSize: () => {},
      onFault: (error: unknown) => monitor.expected(error),
    }
    supervise('pool', this.#supervision(process), (signal) => keepPool(keeping, signal))
    supervise('pool news', this.#supervision(process), wakeByNews(front, log))
  }

  #sender(process: Process): void {
    const { webhooks, views } = this.#world
    if (!webhooks) return
    const parts = { log: this.log(process), views: viewsOf(views, process) }
    supervise('webhooks', this.#supervision(process), webhooks.sender(process, parts))
  }

  #projector(process: Process): void {
    const { views, history } = this.#world
    const { clock } = process
    const log = this.log(process)
    supervise('views', this.#supervision(process), (signal) =>
      projectViews({ log, clock, views: viewsOf(views, process) }, signal),
    )
    supervise('history', this.#supervision(process), (signal) =>
      projectHistory({ log, clock, history: historyOf(history, process) }, signal),
    )
  }
}
