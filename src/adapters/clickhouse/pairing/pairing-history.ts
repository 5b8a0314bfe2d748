import { z } from 'zod'
import type { PairingHistory, WrittenBlock } from '../../../ports/folds/pairing-history.ts'
import type { PairingBlock } from '../../../ports/folds/pairing-views.ts'
import { BlockHash } from '../../../schemas/scalars.ts'
import { SCAN_MS, type SqlEngine } from '../engine/sql-engine.ts'
import { CANONICAL_ROWS, LAST_WRITTEN, NEWEST_VERSION, WHOLE } from './pairing-queries.ts'

/** Runs on the engine of the history; its failures are `HistoryUnavailableError`. */
export type UseEngine = <T>(ask: (engine: SqlEngine) => Promise<T>) => Promise<T>

/** The largest value of the column. */
const ANY_HEIGHT = 2 ** 32 - 1

const WrittenRow = z
  .object({ height: z.coerce.number(), block_hash: BlockHash, checkpoint_hash: z.string() })
  .transform(
    ({ height, block_hash, checkpoint_hash }): WrittenBlock => ({
      height,
      hash: block_hash,
      checkpointHash: checkpoint_hash,
    }),
  )
const VersionRow = z.object({ version: z.coerce.number() })
const BlockRow = z.looseObject({ block_hash: BlockHash, version: z.coerce.number() })

/** The rows of one deployment in ClickHouse's SQL. One process writes them at a time. */
export class SqlPairingHistory implements PairingHistory {
  readonly #deployment: string
  readonly #use: UseEngine

  constructor(deployment: string, use: UseEngine) {
    this.#deployment = deployment
    this.#use = use
  }

  async whole(startHeight: number): Promise<WrittenBlock | null> {
    const params = { deployment: this.#deployment, start: startHeight }
    const [row] = await this.#use((engine) => engine.select(WHOLE, params, SCAN_MS))
    return row === undefined ? null : WrittenRow.parse(row)
  }

  async lastWritten(limit: number, upTo = ANY_HEIGHT): Promise<WrittenBlock[]> {
    const params = { deployment: this.#deployment, limit, upTo }
    const rows = await this.#use((engine) => engine.select(LAST_WRITTEN, params))
    return rows.map((row) => WrittenRow.parse(row))
  }

  /** The blocks go last: a stored block implies all it holds. */
  async write(blocks: readonly PairingBlock[]): Promise<void> {
    const heights = blocks.map(({ checkpoint }) => Number(checkpoint.height))
    await this.#use(async (engine) => {
      const [row] = await engine.select(NEWEST_VERSION, this.#between(heights))
      const version = VersionRow.parse(row).version + 1
      await insert(engine, 'pairing_transaction_rows', blocks.flatMap(transactionRows))
      await insert(engine, 'pairing_event_rows', blocks.flatMap(eventRows))
      const rows = blocks.map((block) => blockRow(block, version))
      await insert(engine, 'pairing_block_rows', rows)
    })
  }

  async markStale(blocks: readonly WrittenBlock[]): Promise<void> {
    const stale = new Set(blocks.map(({ hash }) => hash))
    const between = this.#between(blocks.map(({ height }) => height))
    await this.#use(async (engine) => {
      const rows = await engine.select(CANONICAL_ROWS, between)
      const staleRows = rows
        .map((row) => BlockRow.parse(row))
        .filter(({ block_hash }) => stale.has(block_hash))
        .map((row) => ({ ...row, is_canonical: false, version: row.version + 1 }))
      await insert(engine, 'pairing_block_rows', staleRows)
    })
  }

  #between(heights: readonly number[]) {
    const [from, to] = [Math.min(...heights), Math.max(...heights)]
    return { deployment: this.#deployment, from, to }
  }
}

async function insert(engine: SqlEngine, table: string, rows: readonly object[]): Promise<void> {
  if (rows.length > 0) await engine.insert(table, rows)
}

// One function per table; columns are named as in the migration.

const keyOf = ({ checkpoint: { deployment, height, blockHash } }: PairingBlock) => ({
  deployment,
  height: Number(height),
  block_hash: blockHash,
})

const blockRow = (block: PairingBlock, version: number): object => ({
  ...keyOf(block),
  network: block.checkpoint.network,
  previous_checkpoint_hash: block.checkpoint.previousCheckpointHash,
  objects_root: block.checkpoint.objectsRoot,
  carriers_root: block.checkpoint.carriersRoot,
  events_root: block.checkpoint.eventsRoot,
  checkpoint_hash: block.checkpoint.checkpointHash,
  transaction_count: block.transactions.length,
  event_count: block.transactions.reduce((sum, { events }) => sum + events.length, 0),
  is_canonical: true,
  version,
})

const transactionRows = (block: PairingBlock): object[] =>
  block.transactions.map(({ transaction }) => ({
    ...keyOf(block),
    transaction_index: transaction.transactionIndex,
    txid: transaction.txid,
    opcode: transaction.opcode,
    is_valid: transaction.valid,
    reason: transaction.reason,
  }))

const eventRows = (block: PairingBlock): object[] =>
  block.transactions.flatMap(({ transaction, events }) =>
    events.map((event) => ({
      ...keyOf(block),
      transaction_index: transaction.transactionIndex,
      event_index: event.eventIndex,
      txid: event.txid,
      kind: event.kind,
      object_key: event.objectKey,
      from_outpoint: event.from,
      to_outpoint: event.to,
      pair_id: event.pairId,
    })),
  )
