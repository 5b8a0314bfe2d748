import {
  type BareTransaction,
  openTransaction,
  type TransactionView,
} from '../../domain/chain/bare-transaction.ts'
import { outpointText } from '../../domain/chain/outpoint.ts'
import { pairedOutput } from '../../domain/chain/spend.ts'
import { isUnspendable } from '../../domain/limits.ts'
import { touchedName } from '../../domain/order/touched.ts'
import type { MempoolChange, StoredBlock } from '../../ports/log/ingest-store.ts'
import type { Spend } from '../../schemas/evidence.ts'
import {
  type BlockFeedRecord,
  LOG_SCHEMA,
  type MempoolFeedRecord,
  type OutputRecord,
  type SpendRecord,
} from '../../schemas/log.ts'

/** What happened to outputs, and how it is reported when it is undone. */
export interface Reversible<Input, Output> {
  forward(input: Input): Output
  undo(input: Input): Output
}

export type Routed = OutputRecord | SpendRecord
type At = { at: string }
type SpendBlock = Spend['block']

/** A block joins the chain; undone, newest transaction first, it leaves it. */
export const routeBlock: Reversible<StoredBlock & At, Generator<Routed>> = {
  *forward(block) {
    const within = blockOf(block)
    for (const bare of block.transactions) {
      const transaction = openTransaction(bare)
      yield* outputs(transaction, 'confirmed', within, block.at)
      yield* spends(transaction, 'confirmed', within, block.at)
    }
  },
  *undo(block) {
    const lost = blockOf(block)
    for (const bare of block.transactions.toReversed()) {
      const transaction = openTransaction(bare)
      yield* spends(transaction, 'unconfirmed', lost, block.at)
      // The coinbase of a stale block can never return; any other transaction goes back to the
      // mempool, or is dropped there by the snapshot that follows every reorg.
      if (transaction.coinbase) yield* outputs(transaction, 'gone', null, block.at)
      else yield* outputs(transaction, 'unconfirmed', lost, block.at)
    }
  },
}

/** A transaction enters the mempool; undone, it is replaced, evicted or expired: never mined. */
export const routeTransaction: Reversible<BareTransaction & At, Generator<Routed>> = {
  *forward(bare) {
    const transaction = openTransaction(bare)
    yield* outputs(transaction, 'seen', null, bare.at)
    yield* spends(transaction, 'seen', null, bare.at)
  },
  *undo(bare) {
    const transaction = openTransaction(bare)
    yield* spends(transaction, 'dropped', null, bare.at)
    yield* outputs(transaction, 'gone', null, bare.at)
  },
}

/**
 * The names of what a transaction touches: each output that it spends, and its txid for all that it
 * makes.
 */
export function* touchedNames(bare: BareTransaction): Generator<number> {
  const transaction = openTransaction(bare)
  yield touchedName(transaction.txid)
  if (transaction.coinbase) return
  for (let inputIndex = 0; inputIndex < transaction.inputs; inputIndex++)
    yield touchedName(transaction.spent(inputIndex))
}

export const blockFeed: Reversible<StoredBlock, BlockFeedRecord> = {
  forward: (block) => blockFeedRecord('connected', block),
  undo: (block) => blockFeedRecord('disconnected', block),
}

export const mempoolFeed = ({
  change,
  transaction,
  sequence,
}: MempoolChange): MempoolFeedRecord => ({
  schema: LOG_SCHEMA,
  kind: change === 'entered' ? 'added' : 'removed',
  txid: transaction.txid,
  mempoolSequence: sequence,
})

const blockFeedRecord = (kind: BlockFeedRecord['kind'], block: StoredBlock): BlockFeedRecord => ({
  schema: LOG_SCHEMA,
  kind,
  block: { height: block.height, hash: block.hash },
  prevHash: block.prevHash,
  time: block.time,
  txCount: block.transactions.length,
})

function* outputs(
  transaction: TransactionView,
  change: OutputRecord['change'],
  block: SpendBlock,
  at: string,
): Generator<OutputRecord> {
  const ref = block && { height: block.height, hash: block.hash }
  for (let vout = 0; vout < transaction.outputs; vout++) {
    // It is in no UTXO set and can never be offered: no order waits for it.
    if (isUnspendable(transaction.script(vout))) continue
    yield {
      schema: LOG_SCHEMA,
      kind: 'output',
      change,
      outpoint: outpointText({ txid: transaction.txid, vout }),
      block: ref,
      at,
    }
  }
}

function* spends(
  transaction: TransactionView,
  change: SpendRecord['change'],
  block: SpendBlock,
  at: string,
): Generator<SpendRecord> {
  if (transaction.coinbase) return
  for (let inputIndex = 0; inputIndex < transaction.inputs; inputIndex++) {
    yield {
      schema: LOG_SCHEMA,
      kind: 'spend',
      change,
      outpoint: transaction.spent(inputIndex),
      spend: {
        txid: transaction.txid,
        inputIndex,
        unsignedTxid: transaction.unsignedTxid,
        pairedOutput: pairedOutput(transaction, inputIndex),
        block,
      },
      at,
    }
  }
}

const blockOf = ({ height, hash, time }: StoredBlock) => ({ height, hash, time })
