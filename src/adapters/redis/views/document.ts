import type { ChainableCommander } from 'ioredis'
import type { OrderRecord } from '../../../schemas/order-record.ts'
import type { Generation, Keyspace } from './keyspace.ts'

/** An order as it is stored, with the partition whose log it comes from. */
export interface Document {
  partition: number
  order: OrderRecord
}

/** Documents per command. */
export const DOCUMENT_STEP = 100

/** Reads what the script stored: `seq slot partition` and the order's JSON. */
export function readDocument(text: string | null): Document | null {
  if (text === null) return null
  const start = text.indexOf('{')
  const partition = Number(text.slice(0, start).split(' ')[2])
  return { partition, order: JSON.parse(text.slice(start)) as OrderRecord }
}

/** Requests documents; the replies are lists of texts. */
export function askDocuments(
  pipeline: ChainableCommander,
  prefix: string,
  ids: readonly string[],
): void {
  for (let at = 0; at < ids.length; at += DOCUMENT_STEP) {
    pipeline.hmget(`${prefix}docs`, ...ids.slice(at, at + DOCUMENT_STEP))
  }
}

/** The orders of a generation; null if it was replaced meanwhile. */
export async function readDocuments(
  keyspace: Keyspace,
  generation: Generation,
  ids: readonly string[],
): Promise<(Document | null)[] | null> {
  const replies = await keyspace.readOf(generation, (pipeline, prefix) =>
    askDocuments(pipeline, prefix, ids),
  )
  return replies ? (replies as (string | null)[][]).flat().map(readDocument) : null
}
