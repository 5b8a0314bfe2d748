import type {
  BlockUndo,
  PairingTables,
  PlaceText,
  StoredCarrier,
  StoredObject,
  StoredSignature,
} from '../../ports/folds/pairing-store.ts'
import type {
  CheckpointTuple,
  PairingEvent,
  PairingTransaction,
} from '../../schemas/api/pairing.ts'
import type { Txid } from '../../schemas/scalars.ts'
import type { FoldedBlock } from './fold-block.ts'
import {
  carrierRows,
  eventRow,
  type IndexRow,
  objectRows,
  placeText,
  UNSPENT,
} from './index-rows.ts'

/** Within a write: stores a block's effects, its undo data, checkpoint and signature. */
export function keepBlock(
  tables: PairingTables,
  folded: FoldedBlock,
  checkpoint: CheckpointTuple,
  signature: StoredSignature | null,
): void {
  const height = Number(checkpoint.height)
  tables.checkpoints.put(height, checkpoint)
  if (signature) tables.signatures.put(height, signature)
  if (folded.transactions.length === 0) return
  const places = new Map(
    folded.transactions.map(({ transaction }) => [transaction.txid, transaction.transactionIndex]),
  )
  const placeAt = (txid: Txid, vout: number): PlaceText =>
    placeText(height, places.get(txid) ?? 0, vout)
  const undo: BlockUndo = { objects: [], carriers: [], txids: [...places.keys()] }
  for (const [key, object] of folded.objects) {
    const before = tables.objects.get(key) ?? null
    const place = before?.place ?? placeAt(object.createdTxid, 0)
    undo.objects.push([key, before])
    changeObject(tables, key, before, { place, object })
  }
  for (const [outpoint, carrier] of folded.carriers) {
    const before = tables.carriers.get(outpoint) ?? null
    const place = before?.place ?? placeAt(carrier.txid, carrier.vout)
    undo.carriers.push([outpoint, before])
    changeCarrier(tables, outpoint, before, { place, carrier })
  }
  for (const { transaction, events } of folded.transactions) {
    tables.transactions.put(transaction.txid, transaction)
    if (events.length > 0) tables.events.put(transaction.txid, events)
    putRows(tables, objectEventRows(transaction, events))
  }
  tables.undo.put(height, undo)
}

/** Within a write: undoes the block at a height. Returns the carriers this makes unspent again. */
export function dropBlock(tables: PairingTables, height: number): StoredCarrier[] {
  const { objects, carriers, txids } = tables.undo.get(height) ?? NOTHING
  for (const [key, before] of objects) {
    changeObject(tables, key, tables.objects.get(key) ?? null, before)
  }
  for (const [outpoint, before] of carriers) {
    changeCarrier(tables, outpoint, tables.carriers.get(outpoint) ?? null, before)
  }
  for (const txid of txids) {
    const transaction = tables.transactions.get(txid)
    if (transaction) removeRows(tables, objectEventRows(transaction, tables.events.get(txid) ?? []))
    tables.transactions.remove(txid)
    tables.events.remove(txid)
  }
  tables.undo.remove(height)
  tables.checkpoints.remove(height)
  tables.signatures.remove(height)
  return carriers.flatMap(([, before]) => (before ? [before] : []))
}

/** The rows of a transaction's events, below their objects. */
export const objectEventRows = (
  transaction: PairingTransaction,
  events: readonly PairingEvent[],
): IndexRow[] => events.map((event) => eventRow(transaction, event))

const NOTHING: BlockUndo = { objects: [], carriers: [], txids: [] }

function changeObject(
  tables: PairingTables,
  key: string,
  before: StoredObject | null,
  after: StoredObject | null,
): void {
  if (after) tables.objects.put(key, after)
  else tables.objects.remove(key)
  if (before && !after) removeRows(tables, objectRows(before))
  if (after && !before) putRows(tables, objectRows(after))
}

function changeCarrier(
  tables: PairingTables,
  outpoint: string,
  before: StoredCarrier | null,
  after: StoredCarrier | null,
): void {
  if (after) tables.carriers.put(outpoint, after)
  else tables.carriers.remove(outpoint)
  if (before && !after) removeRows(tables, carrierRows(before))
  if (after && !before) putRows(tables, carrierRows(after))
  if (after?.carrier.spentByTxid === null) tables.rows.put(UNSPENT + outpoint, '')
  else tables.rows.remove(UNSPENT + outpoint)
}

function putRows(tables: PairingTables, rows: readonly IndexRow[]): void {
  for (const [key, value] of rows) tables.rows.put(key, value)
}

function removeRows(tables: PairingTables, rows: readonly IndexRow[]): void {
  for (const [key] of rows) tables.rows.remove(key)
}
