import { createHash } from 'node:crypto'
import { openOrderWorker } from '../../../src/actors/order-worker.ts'
import { EmbeddedSnapshotStore } from '../../../src/adapters/embedded/log/snapshot-store.ts'
import type { KafkaLog } from '../../../src/adapters/kafka/log.ts'
import { partitionOf } from '../../../src/domain/order/partition.ts'
import type { NewRecord, OpenWorker, Stored } from '../../../src/ports/log/event-log.ts'
import { pace } from '../../../src/runtime/time-slice.ts'
import {
  LOG_SCHEMA,
  type SnapshotRecord,
  type SpendRecord,
  TOPICS,
} from '../../../src/schemas/log.ts'
import { type OutpointText, Txid } from '../../../src/schemas/scalars.ts'
import { toOutpointText } from '../../../test/support/ids.ts'
import { idleWorker } from '../../../test/support/log/idle-worker.ts'
import { systemClock as clock } from '../../../test/support/system-clock.ts'
import type { Sample } from '../../harness/results.ts'
import { type Opened, PARTITIONS } from '../../market/with-kafka.ts'
import { liveOrders } from '../books/live-orders.ts'

/** One record in this many names a watched output. */
const HIT_ONE_IN = 100
const WRITTEN_AT_ONCE = 500
const APPENDED = 5_000

/** An actors worker over its inbox in Kafka, with a book of orders on its disk. */
export class InboxWorker {
  readonly #log: KafkaLog
  readonly #watched: OutpointText[]
  readonly #records: number
  #filled: { round: number; at: string; from: readonly number[] } = {
    ...{ round: Number.NaN, at: '' },
    from: [],
  }

  /** As after a restart: nothing has to be restored. `records`: how many a round has. */
  static async open(
    { log, store }: Pick<Opened, 'log' | 'store'>,
    { orders, records }: { orders: number; records: number },
  ): Promise<InboxWorker> {
    const watched = await fillCopies(new EmbeddedSnapshotStore(store), log, orders)
    return new InboxWorker(log, watched, records)
  }

  private constructor(log: KafkaLog, watched: OutpointText[], records: number) {
    this.#log = log
    this.#watched = watched
    this.#records = records
  }

  /** Appends the round's records, once: both sides of a round consume the same. */
  async fill(round: number): Promise<void> {
    if (this.#filled.round === round) return
    const from = await Promise.all(
      Array.from({ length: PARTITIONS }, (_, partition) => this.#log.end(TOPICS.inbox, partition)),
    )
    this.#filled = { round, at: new Date(clock.now()).toISOString(), from }
    for (let first = 0; first < this.#records; first += APPENDED) {
      const count = Math.min(APPENDED, this.#records - first)
      await this.#log.append(Array.from({ length: count }, (_, n) => this.#spend(first + n)))
    }
  }

  /**
   * From the first step of any partition until all records of the round are stepped and their
   * changes committed; the offsets of records without effect may be committed later, and those are
   * then stepped again.
   */
  async consumed(): Promise<Sample> {
    const stop = new AbortController()
    const open = openOrderWorker({ ...idleWorker(PARTITIONS), pace: pace(clock) })
    // By its offset: to read its value would parse it.
    const isOfRound = ({ partition, offset }: Stored<unknown>) =>
      offset >= (this.#filled.from[partition] ?? 0)
    let begun: { at: number; cpu: NodeJS.CpuUsage } | null = null
    let missing = this.#records
    const sample: Sample = { figure: Number.NaN, cpuUs: null }
    const counting: OpenWorker = async (state) => {
      const worker = await open(state)
      let taken = 0
      return {
        step: async (batch) => {
          begun ??= { at: performance.now(), cpu: process.cpuUsage() }
          const output = await worker.step(batch)
          taken = batch.slice(0, output.taken ?? batch.length).filter(isOfRound).length
          return output
        },
        committed: () => {
          worker.committed()
          missing -= taken
          if (missing > 0 || !begun) return
          const { user, system } = process.cpuUsage(begun.cpu)
          sample.figure = (this.#records * 1_000) / (performance.now() - begun.at)
          sample.cpuUs = (user + system) / this.#records
          stop.abort()
        },
        close: () => worker.close(),
      }
    }
    await this.#log.processInbox(counting, stop.signal)
    return sample
  }

  #spend(n: number): NewRecord {
    const { at } = this.#filled
    const name = `record ${n} at ${at}`
    const txid = hashOf(name)
    const isHit = n % HIT_ONE_IN === 0
    const outpoint = (isHit && this.#watched.pop()) || toOutpointText(`${hashOf(`of ${name}`)}:0`)
    const spend = { txid, inputIndex: 0, unsignedTxid: txid, pairedOutput: null, block: null }
    const value: SpendRecord = {
      schema: LOG_SCHEMA,
      kind: 'spend',
      change: 'seen',
      outpoint,
      spend,
      at,
    }
    const partition = partitionOf(outpoint, PARTITIONS)
    return { topic: TOPICS.inbox, partition, key: outpoint, value }
  }
}

const hashOf = (text: string): Txid => Txid.parse(createHash('sha256').update(text).digest('hex'))

/** Returns the outputs that one order offers: a spend of it changes that order, and no other. */
async function fillCopies(
  copies: EmbeddedSnapshotStore,
  log: KafkaLog,
  orders: number,
): Promise<OutpointText[]> {
  const position = { logId: log.settings.id, snapshots: 0, inbox: 0, lifecycleEnd: 0 }
  const waiting = Array.from({ length: PARTITIONS }, (): SnapshotRecord[] => [])
  const offers = new Map<OutpointText, number>()
  for (const order of liveOrders(orders)) {
    offers.set(order.outpoint, (offers.get(order.outpoint) ?? 0) + 1)
    const partition = partitionOf(order.outpoint, PARTITIONS)
    const snapshots = waiting[partition] ?? []
    snapshots.push({ schema: LOG_SCHEMA, kind: 'order', order })
    if (snapshots.length === WRITTEN_AT_ONCE)
      await copies.apply(partition, snapshots.splice(0), position)
  }
  for (const [partition, snapshots] of waiting.entries())
    await copies.apply(partition, snapshots, position)
  return [...offers].flatMap(([outpoint, orders]) => (orders === 1 ? [outpoint] : []))
}
