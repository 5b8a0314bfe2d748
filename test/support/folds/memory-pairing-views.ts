import type { StoredSignature } from '../../../src/ports/folds/pairing-store.ts'
import type {
  ChangedRecords,
  PairingBlock,
  PairingView,
  PairingViews,
} from '../../../src/ports/folds/pairing-views.ts'
import type {
  CheckpointTuple,
  PairingCarrier,
  PairingEvent,
  PairingObject,
  PairingTransaction,
  SearchResult,
} from '../../../src/schemas/api/pairing.ts'
import type { BlockRef } from '../../../src/schemas/scalars.ts'

/** What a test puts into an index. */
export interface PairingRecords {
  tip: BlockRef | null
  checkpoints: CheckpointTuple[]
  objects: PairingObject[]
  carriers: PairingCarrier[]
  transactions: PairingTransaction[]
  events: PairingEvent[]
}

/** An index with what the test gave it, in the order given, newest first. */
export class MemoryPairingViews implements PairingViews, PairingView {
  readonly records: PairingRecords
  /** Calls of each method of the view. */
  readonly asked: string[] = []
  /** Thrown by every read while it is set. */
  broken: Error | null = null

  constructor(records: PairingRecords) {
    this.records = records
  }

  read<T>(query: (view: PairingView) => T): T {
    if (this.broken) throw this.broken
    return query(this)
  }

  tip(): BlockRef | null {
    return this.records.tip
  }

  checkpoint(height: number): CheckpointTuple | null {
    this.asked.push(`checkpoint ${height}`)
    return this.records.checkpoints.find((one) => one.height === String(height)) ?? null
  }

  latestCheckpoint(): CheckpointTuple | null {
    return this.records.checkpoints[0] ?? null
  }

  signature(): StoredSignature | null {
    return null
  }

  block(height: number): PairingBlock | null {
    const checkpoint = this.checkpoint(height)
    const transactions = this.records.transactions
      .filter((one) => one.height === height)
      .map((transaction) => ({ transaction, events: this.events(transaction.txid) }))
    return checkpoint && { checkpoint, transactions }
  }

  object(objectKey: string): PairingObject | null {
    this.asked.push(`object ${objectKey}`)
    return this.records.objects.find((one) => one.objectKey === objectKey) ?? null
  }

  carrier(txid: string, vout: number): PairingCarrier | null {
    this.asked.push(`carrier ${txid}:${vout}`)
    return this.records.carriers.find((one) => one.txid === txid && one.vout === vout) ?? null
  }

  transaction(txid: string): PairingTransaction | null {
    this.asked.push(`transaction ${txid}`)
    return this.records.transactions.find((one) => one.txid === txid) ?? null
  }

  events(txid: string): PairingEvent[] {
    this.asked.push(`events ${txid}`)
    return this.records.events.filter((one) => one.txid === txid)
  }

  eventsOf(objectKey: string, limit: number): PairingEvent[] {
    this.asked.push(`eventsOf ${objectKey} ${limit}`)
    const events = this.records.events.filter((one) => one.objectKey === objectKey)
    return events.toReversed().slice(0, limit)
  }

  changedIn(height: number): ChangedRecords | null {
    const { objects, carriers } = this.records
    return this.checkpoint(height) && { objects, carriers }
  }

  carriersOf(address: string, limit: number): PairingCarrier[] {
    this.asked.push(`carriersOf ${address} ${limit}`)
    return this.records.carriers.filter((one) => one.address === address).slice(0, limit)
  }

  search(query: string, limit: number): SearchResult[] {
    this.asked.push(`search ${query} ${limit}`)
    const text = query.toLowerCase()
    return this.records.objects
      .filter(({ objectKey, label }) => objectKey.startsWith(text) || label.includes(query))
      .map(({ objectKey, label }) => ({ kind: 'object' as const, key: objectKey, label }))
      .slice(0, limit)
  }

  objects(limit: number): PairingObject[] {
    this.asked.push(`objects ${limit}`)
    return this.records.objects.slice(0, limit)
  }

  carriers(limit: number): PairingCarrier[] {
    this.asked.push(`carriers ${limit}`)
    return this.records.carriers.slice(0, limit)
  }

  checkpoints(limit: number): CheckpointTuple[] {
    this.asked.push(`checkpoints ${limit}`)
    return this.records.checkpoints.slice(0, limit)
  }
}
