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
import { LOG_SCHEMA, PIECES_SCHEMA } from '../../schemas/log.ts'
import type { BlockHash, BlockRef, Txid } from '../../schemas/scalars.ts'
import {
  type ChangelogEntry,
  type ChangelogRecord,
  EntryPieces,
  inPieces,
  PIECE_CHARACTERS,
  piecesOf,
  withoutPieces,
} from './changelog-pieces.ts'
import { OWN_TOPICS } from './client/names.ts'
import type { RestoreWindow } from './inbox/restore-windows.ts'
import type { KafkaLog } from './log.ts'

/** What a change replaces. */
export interface Replaced {
  /** How many pieces the last state was written in: see `piecesOf`. */
  statePieces: number
  /** The blocks that are forgotten. */
  forgotten: readonly StoredBlock[]
}

export interface WrittenChange {
  records: ChangelogRecord[]
  /** How many pieces the state is in. */
  statePieces: number
}

/**
 * What a change writes; the state comes last. From `PIECES_SCHEMA` on a block and the state may be in
 * pieces. A transaction never is: without its witnesses it has less than 1 MB, and a large one is in
 * base64, which is sent compressed to its own size.
 */
export function writtenChange(
  { state, keep, entered = [], left = [] }: IngestChange,
  { statePieces: before, forgotten }: Replaced,
  schema: number,
  characters = schema < PIECES_SCHEMA ? Infinity : PIECE_CHARACTERS,
): WrittenChange {
  const stateRecords = [...inPieces({ key: STATE, value: packState(state) }, characters)]
  const statePieces = stateRecords.length - 1
  const records = [
    ...(keep ? inPieces({ key: blockKey(keep), value: packBlock(keep) }, characters) : []),
    ...forgotten.flatMap((block) => [
      { key: blockKey(block), value: null },
      ...withoutPieces(blockKey(block), piecesOf(packBlock(block), characters)),
    ]),
    ...left.map((txid) => ({ key: `tx ${txid}`, value: null })),
    ...entered.map((transaction) => ({
      key: `tx ${transaction.txid}`,
      value: 2 * transaction.bytes.length > characters ? packLarge(transaction) : pack(transaction),
    })),
    ...withoutPieces(STATE, before, statePieces),
    ...stateRecords,
  ]
  return { records, statePieces }
}

/** How many pieces a state was written in. */
export const statePiecesOf = (state: IngestState | null): number =>
  state ? piecesOf(packState(state)) : 0

/** The txids of the mempool that ingest last published, read without becoming the writer. */
export async function* reportedMempool(log: KafkaLog): AsyncGenerator<Txid> {
  const mempool = new Set<Txid>()
  for await (const { messages } of log.storedRaw(OWN_TOPICS.ingest, 0, 0, NEVER)) {
    for (const { key, value } of messages) {
      const [kind, txid = ''] = key?.toString().split(' ') ?? []
      if (kind !== 'tx') continue
      if (value === null) mempool.delete(txid as Txid)
      else mempool.add(txid as Txid)
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
  const pieces = new EntryPieces()
  let done = position.offset
  let read = position.offset
  for await (const { latest, next } of windows) {
    for (let at = 0; at < latest.length; at += atOnce) {
      const entries = latest.slice(at, at + atOnce).flatMap((message) => pieces.read(message) ?? [])
      // A copy that begins between an entry and its pieces would not have it.
      if (at + atOnce >= latest.length && pieces.isEmpty) done = next
      await copy.apply(entries.map(copyChangeOf), { ...position, offset: done })
    }
    read = next
  }
  // All that was written together is there now: pieces that are left belong to nothing.
  if (done < read) await copy.apply([], { ...position, offset: read })
  return read
}

/**
 * What an entry changes, independent of the entries around it; nothing for an entry of another
 * kind.
 */
export function copyChangeOf({ key, value: found }: ChangelogEntry): CopyChange {
  const [kind, id = '', hash = ''] = key.split(' ')
  if (kind === STATE) {
    NewerRecordError.refuse(found)
    return { state: unpackState(found as PackedState) }
  }
  if (kind === 'tx') {
    return found === null
      ? { left: [id as Txid] }
      : { entered: [unpack(found as PackedTransaction | LargeTransaction)] }
  }
  if (kind === 'block' && found !== null) return { keep: unpackBlock(found as PackedBlock) }
  if (kind === 'block') return { forget: { height: Number(id), hash: hash as BlockHash } }
  return {}
}

const STATE = 'state'
const blockKey = ({ height, hash }: BlockRef): string => `block ${height} ${hash}`

// ---- bytes as hex --------------------------------------------------------------------------------

interface PackedTransaction {
  txid: Txid
  hex: string
}
interface LargeTransaction {
  schema: typeof PIECES_SCHEMA
  txid: Txid
  base64: string
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
const packLarge = ({ txid, bytes }: BareTransaction): LargeTransaction => ({
  schema: PIECES_SCHEMA,
  txid,
  base64: Buffer.from(bytes).toString('base64'),
})
const unpack = (packed: PackedTransaction | LargeTransaction): BareTransaction => ({
  txid: packed.txid,
  bytes: 'hex' in packed ? Buffer.from(packed.hex, 'hex') : Buffer.from(packed.base64, 'base64'),
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
