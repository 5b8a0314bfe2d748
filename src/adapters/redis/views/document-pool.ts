import { availableParallelism } from 'node:os'
import { extname } from 'node:path'
import { Piscina } from 'piscina'
import type { Clock } from '../../../runtime/clock.ts'
import { mapYielding } from '../../../runtime/time-slice.ts'
import type { OrderRecord } from '../../../schemas/order-record.ts'
import { type StoredBytes, storedOf } from './document.ts'
import type { OrdersOfPartition, PackedDocuments } from './document-worker.ts'

/** Makes what is stored of orders, in their order. */
export type DocumentMaker = (
  partition: number,
  orders: readonly OrderRecord[],
) => Promise<StoredBytes[]>

export const makeDocuments: DocumentMaker = async (partition, orders) =>
  orders.map((order) => storedOf(partition, order))

export interface DocumentPool {
  make: DocumentMaker
  /** What is being made then is not. */
  close(): Promise<void>
}

/** Fewer orders use no thread: they are made before it has started. */
const FEW = 50
/** A thread that is idle for this long ends. */
const IDLE_MS = 1_000

/** From sources a worker needs the loader that this thread runs on; built code needs none. */
const EXTENSION = extname(import.meta.url)
const LOADER = EXTENSION === '.ts' ? ['--import', 'tsx'] : []

/**
 * Makes documents on worker threads, beside the reading, folding and sending of other partitions: one
 * thread fewer than the machine runs at once. While all of them have work waiting, the event loop makes
 * some too.
 */
export function openDocumentPool(clock: Pick<Clock, 'monotonic' | 'turn'>): DocumentPool {
  const threads = Math.max(1, availableParallelism() - 1)
  const pool = new Piscina<OrdersOfPartition, PackedDocuments>({
    filename: new URL(`./document-worker${EXTENSION}`, import.meta.url).href,
    name: 'make',
    minThreads: 0,
    maxThreads: threads,
    idleTimeout: IDLE_MS,
    recordTiming: false,
    execArgv: LOADER,
  })
  return {
    make: async (partition, orders) =>
      orders.length < FEW || pool.queueSize >= 2 * threads
        ? mapYielding(clock, orders, (order) => storedOf(partition, order))
        : unpacked(await pool.run({ partition, orders })),
    close: () => pool.destroy(),
  }
}

function unpacked({ bytes, ends }: PackedDocuments): StoredBytes[] {
  const part = (at: number): Buffer => {
    const start = ends[at - 1] ?? 0
    return Buffer.from(bytes.buffer, bytes.byteOffset + start, (ends[at] ?? start) - start)
  }
  return Array.from({ length: ends.length / 2 }, (_, n) => ({
    document: part(2 * n),
    row: part(2 * n + 1),
  }))
}
