import type { KafkaMessage } from 'kafkajs'
import type { BareTransaction } from '../../domain/chain/bare-transaction.ts'
import type {
  CopyChange,
  CopyPosition,
  IngestChange,
  IngestCopy,
  IngestState,
  IngestStep,
  StoredBlock,
} from '../../ports/log/ingest-store.ts'
import { NewerRecordError } from '../../ports/log/newer-record.ts'
import { LOG_SCHEMA } from '../../schemas/log.ts'
import type { BlockHash, BlockRef, Txid } from '../../schemas/scalars.ts'
import { OWN_TOPICS } from './client/names.ts'
import type { RestoreWindow } from './inbox/restore-windows.ts'
import type { KafkaLog } from './log.ts'

/** One key of `ingest.state`; null: the key was deleted. */
export interface ChangelogEntry {
  key: string
  value: unknown
}

/** What a change writes; `forgotten` are the blocks that it drops. The state comes last. */
export function changelogEntriesOf(
  change: IngestChange,
  forgotten: readonly BlockRef[],
): ChangelogEntry[] {
  const { state, keep, entered = [], left = [] } = change
  return [
    ...(keep ? [{ key: blockKey(keep), value: packBlock(keep) }] : []),
    ...forgotten.map((block) => ({ key: blockKey(block), value: null })),
    ...left.map((txid) => ({ key: `tx ${txid}`, value: null })),
    ...entered.map((transaction) => ({ key: `tx ${transaction.txid}`, value: pack(transaction) })),
    { key: 'state', value: packState(state) },
  ]
}

/** The txids of the mempool that ingest last published, read without becoming the writer. */
export async function* reportedMempool(log: KafkaLog): AsyncGenerator<Txid> {
  const mempool = new Set<Txid>()
  for await (const { messages } of log.storedRaw(OWN_TOPICS.ingest, 0, 0, NEVER)) {
    for (const { entered = [], left = [] } of messages.map(readEntry)) {
      for (const { txid } of entered) mempool.add(txid)
      for (const txid of left) mempool.delete(txid)
    }
  }
  yield* mempool
}

const NEVER = new AbortController().signal

/** Entries per write: more would block the event loop for too long. */
const WRITTEN_AT_ONCE = 1_000

/**
 * Brings a copy from its position to the end of what is stored, and returns that offset. The
 * position moves with a window's last part, so a partly written window is written again.
 */
export async function restoreCopy(
  copy: Pick<IngestCopy, 'apply'>,
  windows: AsyncIterable<RestoreWindow>,
  position: CopyPosition,
  atOnce = WRITTEN_AT_ONCE,
): Promise<number> {
  let done = position.offset
  for await (const { latest, next } of windows) {
    for (let at = 0; at < latest.length; at += atOnce) {
      const part = latest.slice(at, at + atOnce)
      if (at + atOnce >= latest.length) done = next
      await copy.apply(part.map(readEntry), { ...position, offset: done })
    }
    done = next
  }
  return done
}

/**
 * What an entry changes, independent of the entries around it; nothing for an entry of another
 * kind.
 */
export function readEntry({ key, value }: KafkaMessage): CopyChange {
  const name = key?.toString() ?? ''
  const found: unknown = value === null ? null : JSON.parse(value.toString('utf8'))
  const [kind, id = '', hash = ''] = name.split(' ')
  if (kind === 'state') {
    NewerRecordError.refuse(found)
    return { state: unpackState(found as PackedState) }
  }
  if (kind === 'tx') {
    return found === null
      ? { left: [id as Txid] }
      : { entered: [unpack(found as PackedTransaction)] }
  }
  if (kind === 'block' && found !== null) return { keep: unpackBlock(found as PackedBlock) }
  if (kind === 'block') return { forget: { height: Number(id), hash: hash as BlockHash } }
  return {}
}

const blockKey = ({ height, hash }: BlockRef): string => `block ${height} ${hash}`

// ---- bytes as hex --------------------------------------------------------------------------------

interface PackedTransaction {
  txid: Txid
  hex: string
}
type PackedBlock = Omit<StoredBlock, 'transactions'> & { transactions: PackedTransaction[] }
type MempoolStep = Extract<IngestStep, { kind: 'mempool' }>
type PackedStep =
  | Exclude<IngestStep, MempoolStep>
  | {
      kind: 'mempool'
      changes: (Omit<MempoolStep['changes'][number], 'transaction'> & {
        transaction: PackedTransaction
      })[]
    }
type PackedState = Omit<IngestState, 'pending'> & {
  schema: typeof LOG_SCHEMA
  pending: PackedStep | null
}

const pack = ({ txid, bytes }: BareTransaction): PackedTransaction => ({
  txid,
  hex: Buffer.from(bytes).toString('hex'),
})
const unpack = ({ txid, hex }: PackedTransaction): BareTransaction => ({
  txid,
  bytes: Buffer.from(hex, 'hex'),
})

const packBlock = (block: StoredBlock): PackedBlock => ({
  ...block,
  transactions: block.transactions.map(pack),
})
const unpackBlock = (block: PackedBlock): StoredBlock => ({
  ...block,
  transactions: block.transactions.map(unpack),
})

const packState = (state: IngestState): PackedState => {
  const { pending } = state
  if (pending?.kind !== 'mempool') return { schema: LOG_SCHEMA, ...state, pending }
  const changes = pending.changes.map((change) => ({
    ...change,
    transaction: pack(change.transaction),
  }))
  return { schema: LOG_SCHEMA, ...state, pending: { ...pending, changes } }
}
const unpackState = ({ schema: _schema, ...state }: PackedState): IngestState => {
  const { pending } = state
  if (pending?.kind !== 'mempool') return { ...state, pending }
  const changes = pending.changes.map((change) => ({
    ...change,
    transaction: unpack(change.transaction),
  }))
  return { ...state, pending: { ...pending, changes } }
}
