import { createHash } from 'node:crypto'
import { openOrderWorker } from '../../src/actors/order-worker.ts'
import { EmbeddedSnapshotStore } from '../../src/adapters/embedded/log/snapshot-store.ts'
import type { KafkaLog } from '../../src/adapters/kafka/log.ts'
import { partitionOf } from '../../src/domain/order/partition.ts'
import type { NewRecord, OpenWorker, Stored } from '../../src/ports/log/event-log.ts'
import { pace } from '../../src/ports/runtime/clock.ts'
import { LOG_SCHEMA, type SnapshotRecord, type SpendRecord, TOPICS } from '../../src/schemas/log.ts'
import { type OutpointText, Txid } from '../../src/schemas/scalars.ts'
import { toOutpointText } from '../../test/support/ids.ts'
import { idleWorker } from '../../test/support/log/idle-worker.ts'
import { systemClock as clock } from '../../test/support/system-clock.ts'
import { compare, type Line } from '../harness/line.ts'
import type { Sample } from '../harness/results.ts'
import { PARTITIONS, withKafka } from '../with-kafka.ts'
import { CopyingGroup } from './copying-group.ts'
import { liveOrders } from './live-orders.ts'

const ORDERS = 30_000
const FULL_ORDERS = 1_000_000
const QUICK_ORDERS = 5_000
const RECORDS = 30_000
const QUICK_RECORDS = 10_000
const ROUNDS = 3
/** One record in this many names a watched output. */
const HIT_ONE_IN = 100
const WRITTEN_AT_ONCE = 500
const APPENDED = 5_000

export const line: Line = {
  number: 3,
  name: 'inbox',
  work: 'spends from the inbox in Kafka to committed changes of orders, one of 100 a watched output',
  peer: 'kafkajs copying the same records to another topic, in transactions with the offsets, a partition each',
  run: ({ isQuick, isFull, progress }) =>
    withKafka(async (open) => {
      const orders = isQuick ? QUICK_ORDERS : isFull ? FULL_ORDERS : ORDERS
      const records = isQuick ? QUICK_RECORDS : RECORDS
      const { log, store } = await open('worker')
      progress(`${orders} orders onto the disk of the worker`)
      const watched = await fillCopies(new EmbeddedSnapshotStore(store), log, orders)
      await using peer = await CopyingGroup.open(log)
      let filled = { round: Number.NaN, at: '' }
      /** Both sides of a round consume the same records; returns the time that marks these. */
      const fill = async (round: number) => {
        if (filled.round !== round) {
          filled = { round, at: new Date(clock.now()).toISOString() }
          await fillInbox(log, watched, { at: filled.at, count: records })
        }
        return filled.at
      }
      return [
        await compare(
          {
            name: '',
            sizes: `${orders} orders, ${PARTITIONS} partitions, ${records} records a round`,
            unit: 'records/s',
            ratio: 'ours/peer',
            target: { atLeast: 0.8 },
            rounds: ROUNDS,
          },
          async (round) => {
            const at = await fill(round)
            progress(`round ${round}: ours`)
            return await consumed(log, records, at)
          },
          async (round) => {
            await fill(round)
            progress(`round ${round}: peer`)
            return await peer.copied(records)
          },
        ),
      ]
    }),
}

/** As after a worker's restart: nothing has to be restored. Returns the outputs. */
async function fillCopies(
  copies: EmbeddedSnapshotStore,
  log: KafkaLog,
  orders: number,
): Promise<OutpointText[]> {
  const position = { logId: log.settings.id, snapshots: 0, inbox: 0, lifecycleEnd: 0 }
  const waiting = Array.from({ length: PARTITIONS }, (): SnapshotRecord[] => [])
  const watched: OutpointText[] = []
  for (const order of liveOrders(orders)) {
    watched.push(order.outpoint)
    const partition = partitionOf(order.outpoint, PARTITIONS)
    const snapshots = waiting[partition] ?? []
    snapshots.push({ schema: LOG_SCHEMA, kind: 'order', order })
    if (snapshots.length === WRITTEN_AT_ONCE)
      await copies.apply(partition, snapshots.splice(0), position)
  }
  for (const [partition, snapshots] of waiting.entries())
    await copies.apply(partition, snapshots, position)
  return watched
}

async function fillInbox(
  log: KafkaLog,
  watched: OutpointText[],
  { at, count }: { at: string; count: number },
): Promise<void> {
  for (let first = 0; first < count; first += APPENDED) {
    const records = Array.from({ length: Math.min(APPENDED, count - first) }, (_, n): NewRecord => {
      const name = `record ${first + n} at ${at}`
      const txid = hashOf(name)
      const isHit = n % HIT_ONE_IN === 0
      const outpoint = (isHit && watched.pop()) || toOutpointText(`${hashOf(`of ${name}`)}:0`)
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
    })
    await log.append(records)
  }
}

const hashOf = (text: string): Txid => Txid.parse(createHash('sha256').update(text).digest('hex'))

const isOf = ({ value }: Stored<unknown>, at: string): boolean => (value as SpendRecord).at === at

/**
 * From the first step of any partition until all records of this time are stepped and their changes
 * committed; the offsets of records without effect may be committed later, and those are then
 * stepped again.
 */
async function consumed(log: KafkaLog, records: number, at: string): Promise<Sample> {
  const stop = new AbortController()
  const open = openOrderWorker({ ...idleWorker(PARTITIONS), pace: pace(clock) })
  let begun: { at: number; cpu: NodeJS.CpuUsage } | null = null
  let missing = records
  const sample: Sample = { figure: Number.NaN, cpuUs: null }
  const counting: OpenWorker = async (state) => {
    const worker = await open(state)
    let taken = 0
    return {
      step: async (batch) => {
        begun ??= { at: performance.now(), cpu: process.cpuUsage() }
        const output = await worker.step(batch)
        taken = batch.slice(0, output.taken ?? batch.length).filter((one) => isOf(one, at)).length
        return output
      },
      committed: () => {
        worker.committed()
        missing -= taken
        if (missing > 0 || !begun) return
        const { user, system } = process.cpuUsage(begun.cpu)
        sample.figure = (records * 1_000) / (performance.now() - begun.at)
        sample.cpuUs = (user + system) / records
        stop.abort()
      },
      close: () => worker.close(),
    }
  }
  await log.processInbox(counting, stop.signal)
  return sample
}
