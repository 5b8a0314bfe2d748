import { move, transferableSymbol, valueSymbol } from 'piscina'
import type { OrderRecord } from '../../../schemas/order-record.ts'
import { storedOf } from './document.ts'

// Runs in a worker thread: see document-pool.ts.

export interface OrdersOfPartition {
  partition: number
  orders: readonly OrderRecord[]
}

/** Document and row of each order in turn, one after another, and where each of them ends. */
export interface PackedDocuments {
  bytes: Uint8Array
  ends: Uint32Array
}

/** The bytes are transferred to the sender. */
export function make({ partition, orders }: OrdersOfPartition): PackedDocuments {
  const parts = orders.flatMap((order) => {
    const { document, row } = storedOf(partition, order)
    return [document, row]
  })
  const bytes = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0))
  const ends = new Uint32Array(parts.length)
  let end = 0
  for (const [at, part] of parts.entries()) {
    bytes.set(part, end)
    end += part.length
    ends[at] = end
  }
  const packed = {
    [transferableSymbol]: [bytes.buffer, ends.buffer],
    [valueSymbol]: { bytes, ends },
  }
  return move(packed) as unknown as PackedDocuments
}
