import type { PairingReads, PairingTables } from '../../ports/folds/pairing-store.ts'
import { objectEventRows } from './keep-block.ts'

/** The key among the rows that holds the height below which they are complete, or `all`. */
const COMPLETE = 'event rows'
const ALL = 'all'
/** Blocks that changed anything, per write. */
const BLOCKS = 200
const ABOVE_ALL = 2 ** 32

export const isComplete = ({ rows }: PairingReads): boolean => rows.get(COMPLETE) === ALL

/** Within a write: makes missing rows of the next blocks. True when none are missing. */
export function completeSome(tables: PairingTables): boolean {
  const complete = tables.rows.get(COMPLETE)
  const from = complete === undefined ? 0 : Number(complete)
  const blocks = [...tables.undo.range({ from, below: ABOVE_ALL, limit: BLOCKS })]
  for (const { value } of blocks) {
    for (const txid of value.txids) {
      const transaction = tables.transactions.get(txid)
      if (!transaction) continue
      const rows = objectEventRows(transaction, tables.events.get(txid) ?? [])
      for (const [key, txid] of rows) tables.rows.put(key, txid)
    }
  }
  const last = blocks.at(-1)
  const isDone = last === undefined || blocks.length < BLOCKS
  tables.rows.put(COMPLETE, isDone ? ALL : String(last.key + 1))
  return isDone
}
