import { outpointText } from '../../domain/chain/outpoint.ts'
import type { Txid } from '../../schemas/scalars.ts'
import type { Chain } from './chain.ts'
import { type Coin, feeOf, isFinal, isPast, malformation, sequenceLock } from './consensus.ts'
import { byFeerate, feerateChunks, improves } from './feerate-diagram.ts'
import { type Mempool, type PooledTransaction, parentsOf } from './mempool.ts'
import { dustOutputs, nonstandard, nonstandardInputs } from './standardness.ts'
import { truc } from './truc.ts'
import type { Tx } from './tx.ts'
import { scriptFailure } from './verify-scripts.ts'

/** Core's default `-minrelaytxfee` and `-incrementalrelayfee`, sat/kvB. */
const RELAY_FEE_SATS_PER_KVB = 100n
const MAX_CLUSTER_TXS = 64
const MAX_CLUSTER_VBYTES = 101_000
const MAX_REPLACED_CLUSTERS = 100

export type Acceptance =
  | { allowed: true; entry: PooledTransaction; replaces: readonly PooledTransaction[] }
  /** `reason` as Core words it. */
  | { allowed: false; reason: string }

const refused = (reason: string): Acceptance => ({ allowed: false, reason })

/**
 * Would the mempool accept this transaction, alone and with replacement allowed? The same checks in
 * the same order as Core's `MemPoolAccept`. A transaction returned by a reorg is `resurrected`: it
 * need not pay for relay.
 */
export function judgeAcceptance(
  tx: Tx,
  chain: Chain,
  mempool: Mempool,
  resurrected: 'resurrected' | null = null,
): Acceptance {
  const view = chain.nextBlockView()
  const malformed = malformation(tx) ?? (tx.raw.isCoinbase() ? 'coinbase' : nonstandard(tx))
  if (malformed) return refused(malformed)
  if (!isFinal(tx, view.height, view.medianTime)) return refused('non-final')
  const known = mempool.entries.get(tx.txid)
  if (known)
    return refused(
      known.tx.hex === tx.hex ? 'txn-already-in-mempool' : 'txn-same-nonwitness-data-in-mempool',
    )

  const coins = coinsOf(tx, chain, mempool)
  if (!coins) return refused(outputsInChain(tx, chain) ? 'txn-already-known' : MISSING_INPUTS)
  const lock = sequenceLock(tx, coins, view)
  if (!isPast(lock, view)) return refused('non-BIP68-final')
  const fee = feeOf(tx, coins, view.height)
  if ('reason' in fee) return refused(fee.reason)
  const { feeSats } = fee
  const unusual = nonstandardInputs(tx, coins)
  if (unusual) return refused(unusual)
  if (feeSats > 0n && dustOutputs(tx.raw.outs) > 0) return refused('dust')
  if (!resurrected && feeSats < relayFee(tx.vsize)) return refused('min relay fee not met')

  const lockedTo = chain.at(lock.youngestHeight) ?? chain.tip
  const entry = {
    tx,
    txid: tx.txid,
    feeSats,
    vsize: tx.vsize,
    parents: parentsOf(tx),
    lock,
    lockedTo,
  }
  const judged = judgeReplacement(entry, mempool, resurrected)
  if (!judged.allowed) return judged
  const failure = scriptFailure(tx, coins)
  return failure ? refused(`mempool-script-verify-flag-failed (${failure})`) : judged
}

/** The reason when inputs are spent or unknown; `testmempoolaccept` shortens it. */
export const MISSING_INPUTS = 'bad-txns-inputs-missingorspent'

/** Rounded up, as Core's `CFeeRate::GetFee`. */
const relayFee = (vsize: number): bigint => (RELAY_FEE_SATS_PER_KVB * BigInt(vsize) + 999n) / 1000n

function coinsOf(tx: Tx, chain: Chain, mempool: Mempool): Coin[] | null {
  const nextHeight = chain.tip.height + 1
  const coins = tx.prevouts.map(
    (prevout) => mempool.coin(prevout, nextHeight) ?? chain.coin(prevout),
  )
  return coins.every((coin) => coin !== undefined) ? coins : null
}

const outputsInChain = (tx: Tx, chain: Chain): boolean =>
  tx.raw.outs.some((_, vout) => chain.coin(outpointText({ txid: tx.txid, vout })) !== undefined)

function judgeReplacement(
  entry: PooledTransaction,
  mempool: Mempool,
  resurrected: 'resurrected' | null,
): Acceptance {
  const { tx, feeSats } = entry
  const conflicts = new Set(tx.prevouts.flatMap((prevout) => mempool.spender(prevout) ?? []))
  if (!resurrected) {
    const inheritance = truc(tx, mempool, conflicts)
    if (inheritance === 'violation') return refused('TRUC-violation')
    if (inheritance) conflicts.add(inheritance.sibling)
  }
  const replaces = mempool.withDescendants(conflicts)
  const gone = new Set(replaces.map(({ txid }) => txid))
  if (conflicts.size > 0) {
    if (mempool.clusterCount(conflicts) > MAX_REPLACED_CLUSTERS)
      return refused('too many potential replacements')
    const replacedFees = replaces.reduce((sum, replaced) => sum + replaced.feeSats, 0n)
    if (feeSats < replacedFees + relayFee(tx.vsize)) return refused('insufficient fee')
  }
  const cluster = clusterWith(entry, mempool, gone)
  const vbytes = cluster.reduce((sum, { vsize }) => sum + vsize, 0)
  if (cluster.length > MAX_CLUSTER_TXS || vbytes > MAX_CLUSTER_VBYTES)
    return refused('too-large-cluster')
  if (conflicts.size > 0) {
    if (!improvesMempool(entry, mempool, gone)) return refused('replacement-failed')
    if (mempool.withAncestors(entry.parents).some(({ txid }) => conflicts.has(txid)))
      return refused('bad-txns-spends-conflicting-tx')
  }
  return { allowed: true, entry, replaces }
}

/** The cluster that the transaction would be in, once those that it replaces are gone. */
function clusterWith(
  entry: PooledTransaction,
  mempool: Mempool,
  gone: ReadonlySet<Txid>,
): PooledTransaction[] {
  const found = new Map([[entry.txid, entry]])
  const open = [entry]
  for (let at = open.pop(); at; at = open.pop())
    for (const txid of [...at.parents, ...mempool.childrenOf(at.tx)]) {
      const next = mempool.entries.get(txid)
      if (!next || found.has(txid) || gone.has(txid)) continue
      found.set(txid, next)
      open.push(next)
    }
  return [...found.values()]
}

/** Does the mempool's feerate diagram rise where the replacement changes it? */
function improvesMempool(
  entry: PooledTransaction,
  mempool: Mempool,
  gone: ReadonlySet<Txid>,
): boolean {
  const before = mempool.clusters([...gone, ...entry.parents])
  const after = [...before.filter(({ txid }) => !gone.has(txid)), entry]
  return improves(feerateChunks(after).sort(byFeerate), feerateChunks(before).sort(byFeerate))
}
