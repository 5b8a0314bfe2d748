import { type OrderRow, rowOf } from '../../../query-index/row.ts'
import { readDocuments } from './document.ts'
import type { Generation, Keyspace } from './keyspace.ts'

export type IdRow = [id: string, row: OrderRow]

/**
 * Rows that release 0.9 wrote lack what spent the order: it is read from their documents, so that both
 * releases can write the same views (ADR 133). A document that is newer than its row has a change of its
 * own, which follows. Null if the generation was replaced meanwhile.
 */
export async function completeRows(
  keyspace: Keyspace,
  generation: Generation,
  rows: readonly IdRow[],
): Promise<readonly IdRow[] | null> {
  const incomplete = rows.filter(([, { spender }]) => spender === undefined)
  if (incomplete.length === 0) return rows
  const ids = new Set(incomplete.map(([id]) => id))
  const documents = await readDocuments(keyspace, generation, [...ids])
  if (!documents) return null
  const whole = new Map<string, OrderRow>()
  for (const document of documents)
    if (document) whole.set(document.order.id, rowOf(document.order, document.partition))
  return rows.map(([id, row]): IdRow => {
    const made = row.spender === undefined ? whole.get(id) : undefined
    return [id, made?.seq === row.seq ? made : row]
  })
}
