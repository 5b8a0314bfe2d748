import { Block, type Transaction } from 'bitcoinjs-lib'
import type { CircleSnapshot, Lineage, Member, Shard } from '../../src/schemas/api/circles.ts'
import type { BlockHash, OutpointText, Txid } from '../../src/schemas/scalars.ts'
import { toBlockHash, toOutpointText, toTxid } from '../support/ids.ts'
import { taggedHash } from './canonical.ts'

/** The serialised blocks of a chain, by height from 0: coins of any of them may be spent. */
export type SerialisedChain = readonly Uint8Array[]

interface Output {
  value: bigint
  script: string
}

const display = (hash: Uint8Array): string => Buffer.from(hash).reverse().toString('hex')
const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')
const isTaproot = (script: string): boolean => /^5120[0-9a-f]{64}$/.test(script)
const CONTEXT = /^6a254349524301([0-9a-f]{64})$/

/**
 * The circles after the last of these blocks: all of them read from the first each time, with
 * lineages and shards looked up in plain lists. Blocks below `startHeight` only hold coins.
 */
export function refoldCircles(chain: SerialisedChain, startHeight: number): CircleSnapshot {
  const outputs = new Map<string, Output>()
  const graph: CircleSnapshot = {
    protocol: 'circles',
    version: 1,
    revision: 0,
    lineages: [],
    shards: [],
    circles: [],
    edges: [],
  }
  chain.forEach((bytes, height) => {
    const block = Block.fromBuffer(bytes)
    const transactions = block.transactions ?? []
    transactions.forEach((transaction, index) => {
      if (height >= startHeight && index > 0) {
        const isCircle = readCircle(graph, transaction, outputs, {
          height,
          index,
          blockHash: toBlockHash(block.getId()),
        })
        if (isCircle || closeLineages(graph, transaction, height)) graph.revision += 1
      }
      const txid = transaction.getId()
      transaction.outs.forEach(({ value, script }, vout) => {
        outputs.set(`${txid}:${vout}`, { value: BigInt(value), script: hex(script) })
      })
    })
  })
  return inOrder(graph)
}

const spentBy = (transaction: Transaction): OutpointText[] =>
  transaction.ins.map(({ hash, index }) => toOutpointText(`${display(hash)}:${index}`))

const activeAt = (graph: CircleSnapshot, outpoint: string): Lineage | undefined =>
  graph.lineages.find((one) => one.status === 'active' && one.currentOutpoint === outpoint)

const shardAt = (graph: CircleSnapshot, outpoint: string): Shard => {
  const shard = graph.shards.find((one) => one.outpoint === outpoint)
  if (!shard) throw new Error(`an active lineage without its shard ${outpoint}`)
  return shard
}

function readCircle(
  graph: CircleSnapshot,
  transaction: Transaction,
  outputs: ReadonlyMap<string, Output>,
  at: { height: number; index: number; blockHash: BlockHash },
): boolean {
  const n = transaction.ins.length
  if (n < 2 || n > 16 || transaction.outs.length !== n + 1) return false
  const made = transaction.outs.map(
    ({ value, script }): Output => ({ value: BigInt(value), script: hex(script) }),
  )
  const mark = made[n]!
  const context = CONTEXT.exec(mark.script)
  if (!context || mark.value !== 0n) return false
  const inputs = spentBy(transaction)
  const spent = inputs.map((outpoint) => outputs.get(outpoint))
  for (let slot = 0; slot < n; slot++) {
    const from = spent[slot]
    if (!from) throw new Error(`${transaction.getId()} spends what is not there`)
    if (!isTaproot(from.script) || !isTaproot(made[slot]!.script)) return false
    if (from.value < made[slot]!.value) return false
  }

  const txid = toTxid(transaction.getId())
  const members: Member[] = []
  const before = inputs.map((outpoint) => activeAt(graph, outpoint))
  let fee = 0n
  for (let slot = 0; slot < n; slot++) {
    const inputOutpoint = inputs[slot]!
    const outputOutpoint = toOutpointText(`${txid}:${slot}`)
    const existing = before[slot]
    if (existing) {
      const shard = shardAt(graph, inputOutpoint)
      shard.spentByTxid = txid
      shard.spentHeight = at.height
      graph.edges.push({
        fromCircle: shard.createdByCircle,
        toCircle: txid,
        lineageId: existing.lineageId,
        viaOutpoint: inputOutpoint,
      })
      existing.currentOutpoint = outputOutpoint
      existing.lastHeight = at.height
      existing.circleCount += 1
    } else {
      graph.lineages.push({
        lineageId: lineageIdOf(transaction.ins[slot]!),
        genesisOutpoint: inputOutpoint,
        currentOutpoint: outputOutpoint,
        status: 'active',
        firstHeight: at.height,
        lastHeight: at.height,
        circleCount: 1,
        closedByTxid: null,
      })
    }
    const lineageId = activeAt(graph, outputOutpoint)!.lineageId
    graph.shards.push({
      outpoint: outputOutpoint,
      lineageId,
      scriptPubKey: made[slot]!.script,
      valueSats: String(made[slot]!.value),
      createdByCircle: txid,
      previousOutpoint: inputOutpoint,
      createdHeight: at.height,
      spentByTxid: null,
      spentHeight: null,
    })
    const share = spent[slot]!.value - made[slot]!.value
    fee += share
    members.push({
      slot,
      lineageId,
      inputOutpoint,
      outputOutpoint,
      inputValueSats: String(spent[slot]!.value),
      outputValueSats: String(made[slot]!.value),
      feeShareSats: String(share),
      wasExistingLineage: existing !== undefined,
    })
  }
  graph.circles.push({
    txid,
    wtxid: display(transaction.getHash(true)),
    contextHash: context[1]!,
    participantCount: n,
    feeSats: String(fee),
    blockHeight: at.height,
    blockHash: at.blockHash,
    transactionIndex: at.index,
    members,
  })
  return true
}

/** Whether it closed any. */
function closeLineages(graph: CircleSnapshot, transaction: Transaction, height: number): boolean {
  let closed = false
  for (const outpoint of spentBy(transaction)) {
    const lineage = activeAt(graph, outpoint)
    if (!lineage) continue
    const shard = shardAt(graph, outpoint)
    shard.spentByTxid = toTxid(transaction.getId())
    shard.spentHeight = height
    lineage.status = 'closed'
    lineage.currentOutpoint = null
    lineage.closedByTxid = toTxid(transaction.getId())
    lineage.lastHeight = height
    closed = true
  }
  return closed
}

function lineageIdOf({ hash, index }: { hash: Uint8Array; index: number }): string {
  const vout = Buffer.alloc(4)
  vout.writeUInt32LE(index)
  return taggedHash('circles/lineage', hash, vout)
}

const compare = <T>(a: T, b: T): number => (a < b ? -1 : a > b ? 1 : 0)

const compareOutpoints = (a: string, b: string): number =>
  compare(a.slice(0, 64), b.slice(0, 64)) || compare(Number(a.slice(65)), Number(b.slice(65)))

function inOrder(graph: CircleSnapshot): CircleSnapshot {
  const places = new Map(
    graph.circles.map(({ txid, blockHeight, transactionIndex }) => [
      txid,
      [blockHeight, transactionIndex] as const,
    ]),
  )
  const comparePlaces = (a: Txid, b: Txid): number => {
    const [heightA, indexA] = places.get(a)!
    const [heightB, indexB] = places.get(b)!
    return compare(heightA, heightB) || compare(indexA, indexB)
  }
  graph.lineages.sort((a, b) => compare(a.lineageId, b.lineageId))
  graph.shards.sort((a, b) => compareOutpoints(a.outpoint, b.outpoint))
  graph.circles.sort((a, b) => comparePlaces(a.txid, b.txid))
  graph.edges.sort(
    (a, b) =>
      comparePlaces(a.toCircle, b.toCircle) || compareOutpoints(a.viaOutpoint, b.viaOutpoint),
  )
  return graph
}
