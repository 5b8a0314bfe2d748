import type { PairingBlock } from '../../../ports/folds/pairing-views.ts'

// One function per table; columns are named as in the migration.

const keyOf = ({ checkpoint: { deployment, height, blockHash } }: PairingBlock) => ({
  deployment,
  height: Number(height),
  block_hash: blockHash,
})

export const blockRow = (block: PairingBlock, version: number): object => ({
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

export const transactionRows = (block: PairingBlock): object[] =>
  block.transactions.map(({ transaction }) => ({
    ...keyOf(block),
    transaction_index: transaction.transactionIndex,
    txid: transaction.txid,
    opcode: transaction.opcode,
    is_valid: transaction.valid,
    reason: transaction.reason,
  }))

export const eventRows = (block: PairingBlock): object[] =>
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
