import type { KafkaMessage } from 'kafkajs'
import type { BareTransaction } from '../../domain/bare-transaction.ts'
import type { IngestChange, IngestState, IngestStep, KeptBlock } from '../../ports/ingest-store.ts'
import type { BlockRef } from '../../schemas/scalars.ts'
import type { KafkaLog } from './log.ts'
import { OWN_TOPICS } from './topics.ts'

/** One key of `ingest.state`; null: there is nothing under it any more. */
export interface ChangelogEntry {
  key: string
  value: unknown
}

/** What a change writes; `forgotten` are the blocks that it lets go. The state comes last. */
export function entriesOf(change: IngestChange, forgotten: readonly BlockRef[]): ChangelogEntry[] {
  const { state, keep, entered = [], left = [] } = change
  return [
    ...(keep ? [{ key: blockKey(keep), value: packBlock(keep) }] : []),
    ...forgotten.map((block) => ({ key: blockKey(block), value: null })),
    ...left.map((txid) => ({ key: `tx ${txid}`, value: null })),
    ...entered.map((transaction) => ({ key: `tx ${transaction.txid}`, value: pack(transaction) })),
    { key: 'state', value: packState(state) },
  ]
}

/** The txids of the mempool that ingest last told of, read without becoming the writer. */
export async function* toldMempool(log: KafkaLog): AsyncGenerator<string> {
  const told = new Set<string>()
  for await (const { messages } of log.storedRaw(OWN_TOPICS.ingest, 0, 0, NEVER)) {
    for (const { entered = [], left = [] } of messages.map(readEntry)) {
      for (const { txid } of entered) told.add(txid)
      for (const txid of left) told.delete(txid)
    }
  }
  yield* told
}

const NEVER = new AbortController().signal

/** What an entry changes; nothing, where it is not of the follower's. */
export function readEntry({ key, value }: KafkaMessage): Partial<IngestChange> {
  const name = key?.toString() ?? ''
  const found: unknown = value === null ? null : JSON.parse(value.toString('utf8'))
  const [kind, id = ''] = name.split(' ')
  if (kind === 'state') return { state: unpackState(found as PackedState) }
  if (kind === 'tx') {
    return found === null ? { left: [id] } : { entered: [unpack(found as PackedTransaction)] }
  }
  // A block that was let go goes from the copy with the next change that names a height.
  if (kind === 'block' && found !== null) return { keep: unpackBlock(found as PackedBlock) }
  if (kind === 'block') return { forgetBelow: Number(id) + 1 }
  return {}
}

const blockKey = ({ height, hash }: BlockRef): string => `block ${height} ${hash}`

// ---- bytes as hex --------------------------------------------------------------------------------

interface PackedTransaction {
  txid: string
  hex: string
}
type PackedBlock = Omit<KeptBlock, 'transactions'> & { transactions: PackedTransaction[] }
type MempoolStep = Extract<IngestStep, { kind: 'mempool' }>
type PackedStep =
  | Exclude<IngestStep, MempoolStep>
  | {
      kind: 'mempool'
      changes: (Omit<MempoolStep['changes'][number], 'transaction'> & {
        transaction: PackedTransaction
      })[]
    }
type PackedState = Omit<IngestState, 'pending'> & { pending: PackedStep | null }

const pack = ({ txid, bytes }: BareTransaction): PackedTransaction => ({
  txid,
  hex: Buffer.from(bytes).toString('hex'),
})
const unpack = ({ txid, hex }: PackedTransaction): BareTransaction => ({
  txid,
  bytes: Buffer.from(hex, 'hex'),
})

const packBlock = (block: KeptBlock): PackedBlock => ({
  ...block,
  transactions: block.transactions.map(pack),
})
const unpackBlock = (block: PackedBlock): KeptBlock => ({
  ...block,
  transactions: block.transactions.map(unpack),
})

const packState = (state: IngestState): PackedState => {
  const { pending } = state
  if (pending?.kind !== 'mempool') return { ...state, pending }
  const changes = pending.changes.map((change) => ({
    ...change,
    transaction: pack(change.transaction),
  }))
  return { ...state, pending: { ...pending, changes } }
}
const unpackState = (state: PackedState): IngestState => {
  const { pending } = state
  if (pending?.kind !== 'mempool') return { ...state, pending }
  const changes = pending.changes.map((change) => ({
    ...change,
    transaction: unpack(change.transaction),
  }))
  return { ...state, pending: { ...pending, changes } }
}
