import type { OrderRecord } from '../../schemas/order-record.ts'

/** An order as it is stored, with the partition whose log it comes from. */
export interface Document {
  partition: number
  order: OrderRecord
}

/** Reads what the script stored: `seq slot partition` and the order's JSON. */
export function readDocument(text: string | null): Document | null {
  if (text === null) return null
  const start = text.indexOf('{')
  const partition = Number(text.slice(0, start).split(' ')[2])
  return { partition, order: JSON.parse(text.slice(start)) as OrderRecord }
}
