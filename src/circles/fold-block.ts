import { outpointKey, outpointText } from '../domain/chain/outpoint.ts'
import type { RawTransaction } from '../domain/chain/raw-block.ts'
import type { PlacedBlock } from '../ports/folds/block-fold.ts'
import type { Lineage, Member, Shard } from '../schemas/api/circles.ts'
import type { OutpointText, Txid, TxOut } from '../schemas/scalars.ts'
import type { GraphEdit } from './graph-edit.ts'
import { lineageIdOf } from './outpoint-bytes.ts'
import {
  type CircleReading,
  looksLikeCircle,
  MARK,
  readCircle,
  type SlotReading,
} from './read-circle.ts'
import { circleKey, edgeKey, shardKey } from './record-keys.ts'

/** The outputs spent by transactions that look like circles, by txid. */
export type Prevouts = ReadonlyMap<string, readonly TxOut[]>

/** The transactions of a block whose prevouts decide whether they are circles. */
export const circleCandidates = ({ block }: PlacedBlock): RawTransaction[] =>
  [...block.transactionsWith(MARK, NO_OUTPOINTS)].filter(looksLikeCircle)

const NO_OUTPOINTS: ReadonlySet<string> = new Set()

/**
 * Folds the transactions of a block, in order, into the graph.
 * @param unspent keys (`RawTransaction.spentKey`) of all unspent shards, and possibly of others: it
 *   only saves look-ups; those that the block makes are added
 * @returns how many transactions changed the state: each is one revision
 */
export function foldCircles(
  placed: PlacedBlock,
  prevouts: Prevouts,
  graph: GraphEdit,
  unspent: Set<string>,
): number {
  let revisions = 0
  for (const transaction of placed.block.transactionsWith(MARK, unspent)) {
    const circle = circleIn(transaction, prevouts)
    if (circle) {
      foldCircle(placed, transaction, circle, graph)
      for (const slot of circle.slots.keys())
        unspent.add(outpointKey({ txid: transaction.txid, vout: slot }))
      revisions += 1
    } else if (closeLineages(placed, transaction, graph, unspent)) revisions += 1
  }
  return revisions
}

function circleIn(transaction: RawTransaction, prevouts: Prevouts): CircleReading | null {
  if (!looksLikeCircle(transaction)) return null
  const spent = prevouts.get(transaction.txid)
  if (!spent) throw new Error(`the prevouts of ${transaction.txid} were not requested`)
  return readCircle(transaction, spent)
}

function foldCircle(
  { height, hash }: PlacedBlock,
  transaction: RawTransaction,
  { contextHash, slots, feeSats }: CircleReading,
  graph: GraphEdit,
): void {
  const { txid, wtxid, index } = transaction
  const key = circleKey(height, index)
  const members = slots.map((reading, slot): Member => {
    const outputOutpoint = outpointText({ txid, vout: slot })
    const spent = unspentShard(graph, reading.inputOutpoint)
    const lineage = spent
      ? continued(lineageOf(graph, spent), outputOutpoint, height)
      : started(reading.inputOutpoint, outputOutpoint, height)
    const { lineageId } = lineage
    if (spent) {
      spend(graph, spent, txid, height)
      graph.put('edges', edgeKey(key, spent.outpoint), {
        fromCircle: spent.createdByCircle,
        toCircle: txid,
        lineageId,
        viaOutpoint: spent.outpoint,
      })
    }
    graph.put('lineages', lineageId, lineage)
    graph.put('shards', shardKey(outputOutpoint), {
      outpoint: outputOutpoint,
      lineageId,
      scriptPubKey: reading.scriptHex,
      valueSats: reading.outputValueSats.toString(),
      createdByCircle: txid,
      previousOutpoint: reading.inputOutpoint,
      createdHeight: height,
      spentByTxid: null,
      spentHeight: null,
    })
    return memberOf(reading, slot, lineageId, outputOutpoint, spent !== null)
  })
  graph.put('circles', key, {
    txid,
    wtxid,
    contextHash,
    participantCount: slots.length,
    feeSats: feeSats.toString(),
    blockHeight: height,
    blockHash: hash,
    transactionIndex: index,
    members,
  })
}

/** A transaction that is not a circle closes the lineages whose current outputs it spends. */
function closeLineages(
  { height }: PlacedBlock,
  transaction: RawTransaction,
  graph: GraphEdit,
  unspent: ReadonlySet<string>,
): boolean {
  let closed = false
  for (let input = 0; input < transaction.inputs; input++) {
    if (!unspent.has(transaction.spentKey(input))) continue
    const shard = unspentShard(graph, transaction.spent(input))
    if (!shard) continue
    spend(graph, shard, transaction.txid, height)
    graph.put('lineages', shard.lineageId, {
      ...lineageOf(graph, shard),
      currentOutpoint: null,
      status: 'closed',
      lastHeight: height,
      closedByTxid: transaction.txid,
    })
    closed = true
  }
  return closed
}

/** Unspent shards and current outputs of active lineages are the same outputs. */
function unspentShard(graph: GraphEdit, outpoint: OutpointText): Shard | null {
  const shard = graph.get('shards', shardKey(outpoint))
  return shard && shard.spentByTxid === null ? shard : null
}

function lineageOf(graph: GraphEdit, { lineageId, outpoint }: Shard): Lineage {
  const lineage = graph.get('lineages', lineageId)
  if (!lineage) throw new Error(`shard ${outpoint} has no lineage ${lineageId}`)
  return lineage
}

const spend = (graph: GraphEdit, shard: Shard, spentByTxid: Txid, spentHeight: number): void =>
  graph.put('shards', shardKey(shard.outpoint), { ...shard, spentByTxid, spentHeight })

const started = (
  genesisOutpoint: OutpointText,
  currentOutpoint: OutpointText,
  height: number,
): Lineage => ({
  lineageId: lineageIdOf(genesisOutpoint),
  genesisOutpoint,
  currentOutpoint,
  status: 'active',
  firstHeight: height,
  lastHeight: height,
  circleCount: 1,
  closedByTxid: null,
})

const continued = (
  lineage: Lineage,
  currentOutpoint: OutpointText,
  lastHeight: number,
): Lineage => ({
  ...lineage,
  currentOutpoint,
  lastHeight,
  circleCount: lineage.circleCount + 1,
})

const memberOf = (
  { inputOutpoint, inputValueSats, outputValueSats }: SlotReading,
  slot: number,
  lineageId: string,
  outputOutpoint: OutpointText,
  wasExistingLineage: boolean,
): Member => ({
  slot,
  lineageId,
  inputOutpoint,
  outputOutpoint,
  inputValueSats: inputValueSats.toString(),
  outputValueSats: outputValueSats.toString(),
  feeShareSats: (inputValueSats - outputValueSats).toString(),
  wasExistingLineage,
})
