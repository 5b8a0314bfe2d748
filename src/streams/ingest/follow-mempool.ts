import { bareTransaction } from '../../domain/chain/bare-transaction.ts'
import type { NodeChange, TxidDifferences, TxidList } from '../../ports/authorities/full-node.ts'
import type { IngestStore, MempoolChange } from '../../ports/log/ingest-store.ts'
import type { Txid } from '../../schemas/scalars.ts'
import type { FollowedNode } from '../ask-authority.ts'
import { chunk } from '../operators/chunk.ts'

/** A change of the mempool that the node pushed. */
export type Push = Extract<NodeChange, { kind: 'added' | 'removed' }>

/** The mempool transactions already reported. */
export interface KnownMempool {
  mempool: ReadonlySet<Txid>
  transactions: IngestStore['transactions']
}

/** Transactions reported in one durable step. */
const GROUP = 200

/** Txids compared between two turns of the event loop. */
const COMPARED = 500

/** A snapshot to report, and an earlier one that is known to have been reported wholly, if any. */
export interface MempoolNews {
  snapshot: TxidList
  reported: TxidList | null
}

/**
 * The changes from the known mempool to a snapshot: first what left, then what entered, so that a
 * replacement reads in its order. A transaction that is gone again before its body could be fetched
 * is not reported.
 */
export async function* changesToSnapshot(
  node: FollowedNode,
  known: KnownMempool,
  { snapshot, reported }: MempoolNews,
  pace: () => Promise<void>,
): AsyncGenerator<readonly MempoolChange[]> {
  const differences = reported && (await snapshot.differencesFrom?.(reported, pace))
  const { entered, left } = differences
    ? among(known.mempool, differences)
    : await comparedToAll(known.mempool, snapshot, pace)
  for (const group of chunk(left, GROUP))
    yield (await known.transactions(group)).map((transaction) => ({
      change: 'left',
      transaction,
      sequence: null,
    }))
  for (const group of chunk(entered, GROUP)) {
    const found = await node.mempoolTransactions(group)
    yield group.flatMap((txid) => {
      const transaction = found.get(txid)
      return transaction
        ? [{ change: 'entered', transaction: bareTransaction(transaction), sequence: null }]
        : []
    })
  }
}

/** A txid that only changed its place in the list is on both sides, and known already. */
function among(known: ReadonlySet<Txid>, { entered, left }: TxidDifferences): TxidDifferences {
  const present = new Set(entered)
  return {
    entered: entered.filter((txid) => !known.has(txid)),
    left: left.filter((txid) => known.has(txid) && !present.has(txid)),
  }
}

async function comparedToAll(
  known: ReadonlySet<Txid>,
  snapshot: TxidList,
  pace: () => Promise<void>,
): Promise<TxidDifferences> {
  const present = new Set<Txid>()
  const entered: Txid[] = []
  for (const group of chunk(snapshot, COMPARED)) {
    for (const txid of group) {
      present.add(txid)
      if (!known.has(txid)) entered.push(txid)
    }
    await pace()
  }
  const left: Txid[] = []
  for (const group of chunk(known, COMPARED)) {
    left.push(...group.filter((txid) => !present.has(txid)))
    await pace()
  }
  return { entered, left }
}

/**
 * The changes that pushes make to the mempool known at sequence number `from`, the number of the
 * next change: earlier pushes are already in the snapshot. One that repeats what is known is
 * skipped.
 */
export async function* changesPushed(
  node: FollowedNode,
  known: KnownMempool,
  pushes: readonly Push[],
  from: number,
): AsyncGenerator<readonly MempoolChange[]> {
  const news = pushes.filter((push) => push.mempoolSequence >= from)
  for (const group of chunk(news, GROUP)) {
    const bodies = await bodiesOf(node, group)
    const changes = new Map<string, MempoolChange['change']>()
    const reported: MempoolChange[] = []
    for (const push of group) {
      const last = changes.get(push.txid)
      const isIn = last ? last === 'entered' : known.mempool.has(push.txid)
      const change = push.kind === 'added' ? 'entered' : 'left'
      if (isIn === (change === 'entered')) continue
      const transaction =
        bodies.get(push.txid) ?? (await known.transactions([push.txid])).at(0) ?? null
      // Gone before its body could be fetched: it was never reported, so neither is its leaving.
      if (transaction === null) continue
      changes.set(push.txid, change)
      reported.push({ change, transaction, sequence: push.mempoolSequence })
    }
    yield reported
  }
}

async function bodiesOf(node: FollowedNode, pushes: readonly Push[]) {
  const added = pushes.filter((push) => push.kind === 'added')
  const nameless = added.flatMap((push) => (push.hex === null ? [push.txid] : []))
  const asked = nameless.length > 0 ? await node.mempoolTransactions(nameless) : new Map()
  return new Map(
    added.flatMap(({ txid, hex }) => {
      const transaction = hex === null ? asked.get(txid) : { txid, hex }
      return transaction ? [[txid, bareTransaction(transaction)] as const] : []
    }),
  )
}
