import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { KafkaLog } from '../../../src/adapters/kafka/log.ts'
import { HeadsCheck } from '../../../src/domain/heads/check-heads.ts'
import { isSealed } from '../../../src/domain/order/change-chain.ts'
import { foldOrder } from '../../../src/domain/order/fold-order.ts'
import { LifecycleRecord, SnapshotRecord, TOPICS } from '../../../src/schemas/log.ts'
import type { OrderRecord } from '../../../src/schemas/order-record.ts'
import type { WorkerErrand } from '../children/kafka-worker.ts'
import { temporaryDirectory } from '../embedded.ts'
import { type Child, startChild } from '../services/child.ts'
import type { KafkaServer } from '../services/kafka.ts'
import { waitUntil, waitUntilStopped } from '../services/programs.ts'
import { systemClock } from '../system-clock.ts'

/** Orders of a partition: few, so that each has a long life. */
const ORDERS = 20
const HEADS_KEY = '11'.repeat(32)
/** About 25 steps a second of each worker. */
const LOAD_PAUSE_MS = 60
const PATIENCE_MS = 60_000

/** What became of everything that was appended. */
export interface Count {
  commands: number
  changes: number
  lost: number
  duplicated: number
  outOfOrder: number
}

/**
 * Workers in processes of their own on one log, under an endless load of commands: whatever happens
 * to the workers, each command must move its order once, in sequence.
 */
export class KafkaFleet {
  readonly #server: KafkaServer
  readonly #directory = temporaryDirectory()
  readonly #log: KafkaLog
  readonly #prefix: string
  readonly #workers = new Map<string, Child>()
  #born = 0
  #sent = 0
  #load: { stop: AbortController; done: Promise<void> } | null = null

  static async open(server: KafkaServer, partitions = 4): Promise<KafkaFleet> {
    const prefix = `${randomUUID().slice(0, 8)}.`
    const log = await KafkaLog.open({
      brokers: [server.broker],
      clientId: 'fleet',
      prefix,
      network: 'regtest',
      partitions,
      clock: systemClock,
      snapshots: () => Promise.reject(new Error('the fleet owns no partition')),
      onLog: () => {},
    })
    return new KafkaFleet(server, log, prefix)
  }

  private constructor(server: KafkaServer, log: KafkaLog, prefix: string) {
    this.#server = server
    this.#log = log
    this.#prefix = prefix
  }

  /** Starts a worker; resolves when it is about to join. */
  async worker(kill: WorkerErrand['kill'] = null): Promise<string> {
    this.#born += 1
    const name = String(this.#born)
    const errand: WorkerErrand = {
      broker: this.#server.broker,
      prefix: this.#prefix,
      partitions: this.#log.partitions,
      directory: join(this.#directory.path, name),
      headsKey: HEADS_KEY,
      kill,
    }
    const child = startChild('kafka-worker', [JSON.stringify(errand)])
    child.process.stderr?.pipe(process.stderr)
    this.#workers.set(name, child)
    const ready = new Promise<void>((resolve) => {
      void (async () => {
        for await (const line of child.lines) if (line === 'ready') resolve()
      })()
    })
    await Promise.race([
      ready,
      child.ended.then((how) => {
        throw new Error(`worker ${name} ended with ${how} before it was ready`)
      }),
    ])
    return name
  }

  signal(name: string, signal: NodeJS.Signals): void {
    const { process: child } = this.#of(name)
    child.kill(signal)
    if (signal === 'SIGSTOP') waitUntilStopped(child.pid)
  }

  /** How a worker ended. */
  async ended(name: string): Promise<string | number | null> {
    const how = await this.#of(name).ended
    this.#workers.delete(name)
    return how
  }

  /** Commands to all partitions, one after another, until `rest`. */
  load(): void {
    const stop = new AbortController()
    const run = async () => {
      while (!stop.signal.aborted) {
        // An unavailable broker accepts nothing: what was not acknowledged is not counted.
        await this.send().catch(() => delay(200))
        await delay(LOAD_PAUSE_MS)
      }
    }
    this.#load = { stop, done: run() }
  }

  /** One command to each partition. */
  async send(): Promise<void> {
    for (let partition = 0; partition < this.#log.partitions; partition += 1) {
      const value = { order: this.#sent % ORDERS }
      await this.#log.append([{ topic: TOPICS.inbox, partition, key: 'toy', value }])
      this.#sent += 1
    }
  }

  /** Ends the load and waits until everything is consumed: milliseconds. */
  async rest(): Promise<number> {
    this.#load?.stop.abort()
    await this.#load?.done
    this.#load = null
    const begun = performance.now()
    await this.caughtUp()
    return performance.now() - begun
  }

  /** The time from now until each partition has consumed a command sent now. */
  async recovery(): Promise<number> {
    const begun = performance.now()
    const before = await this.#changes()
    await this.send()
    await waitUntil(
      'every partition moves again',
      async () => {
        const now = await this.#changes()
        return now.every((count, partition) => count > (before[partition] ?? 0))
      },
      PATIENCE_MS,
    )
    return performance.now() - begun
  }

  /** Until every command is consumed: by offsets, since counting would read the whole log. */
  async caughtUp(): Promise<void> {
    const partitions = Array.from({ length: this.#log.partitions }, (_, partition) => partition)
    const isConsumed = async (partition: number) =>
      (await this.#log.consumed(partition)) >= (await this.#log.end(TOPICS.inbox, partition))
    await waitUntil(
      'the inbox is consumed',
      async () => (await Promise.all(partitions.map(isConsumed))).every((is) => is),
      PATIENCE_MS,
    )
  }

  /** Reads the whole log, independently of the workers. */
  async count(): Promise<Count> {
    const count: Count = { commands: 0, changes: 0, lost: 0, duplicated: 0, outOfOrder: 0 }
    for (let partition = 0; partition < this.#log.partitions; partition += 1) {
      await this.#countPartition(partition, count)
    }
    return count
  }

  async end(): Promise<void> {
    this.#load?.stop.abort()
    await this.#load?.done
    for (const { process: child } of this.#workers.values()) child.kill('SIGKILL')
    await Promise.all([...this.#workers.values()].map(({ ended }) => ended))
    await this.#log.close()
    this.#directory.drop()
  }

  #of(name: string): Child {
    const child = this.#workers.get(name)
    if (!child) throw new Error(`no worker ${name}`)
    return child
  }

  async #changes(): Promise<number[]> {
    const partitions = Array.from({ length: this.#log.partitions }, (_, partition) => partition)
    return await Promise.all(
      partitions.map((partition) => this.#log.end(TOPICS.lifecycle, partition)),
    )
  }

  async #countPartition(partition: number, count: Count): Promise<void> {
    const commands = new Set<number>()
    for await (const batch of this.#log.stored(TOPICS.inbox, partition, 0)) {
      for (const { offset } of batch) commands.add(offset)
    }
    const heads = await this.#signedHeads(partition)
    const orders = new Map<string, OrderRecord>()
    const caused = new Set<number>()
    let last = -1
    for await (const batch of this.#log.stored(TOPICS.lifecycle, partition, 0)) {
      for (const { offset: at, value } of batch) {
        heads.take(at, value)
        const change = LifecycleRecord.parse(value)
        if (change.kind === 'outcome') throw new Error('the toy gives no outcomes')
        const { offset } = change.cause
        if (caused.has(offset)) count.duplicated += 1
        const before = orders.get(change.orderId) ?? null
        const follows = (before?.seq ?? 0) + 1 === change.seq
        const isChained = (before?.hash ?? null) === change.prevHash && isSealed(change)
        if (offset <= last || !follows || !isChained) count.outOfOrder += 1
        last = Math.max(last, offset)
        caused.add(offset)
        orders.set(change.orderId, foldOrder(before, change))
      }
    }
    count.commands += commands.size
    count.changes += caused.size
    // No command after the last one that was consumed may be missing.
    count.lost += [...commands].filter((offset) => offset < last && !caused.has(offset)).length
    await this.#compareSnapshots(partition, orders, count)
    heads.end()
    if (heads.problems.length > 0 || !heads.last)
      throw new Error(
        `partition ${partition} is not as it was signed: ${heads.problems.join('; ')}`,
      )
  }

  async #signedHeads(partition: number): Promise<HeadsCheck> {
    const values: unknown[] = []
    for await (const batch of this.#log.stored(TOPICS.heads, partition, 0))
      values.push(...batch.map(({ value }) => value))
    return new HeadsCheck(values, { network: 'regtest', partition, keys: [] })
  }

  async #compareSnapshots(
    partition: number,
    orders: ReadonlyMap<string, OrderRecord>,
    count: Count,
  ): Promise<void> {
    const latest = new Map<string, OrderRecord>()
    for await (const batch of this.#log.stored(TOPICS.snapshots, partition, 0)) {
      for (const { value } of batch) {
        const snapshot = SnapshotRecord.parse(value)
        if (snapshot.kind === 'order') latest.set(snapshot.order.id, snapshot.order)
      }
    }
    for (const [id, order] of orders) if (latest.get(id)?.hash !== order.hash) count.lost += 1
  }
}
