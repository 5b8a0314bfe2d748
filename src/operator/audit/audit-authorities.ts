import { bareTransaction, openTransaction } from '../../domain/chain/bare-transaction.ts'
import { outpointText, parseOutpoint } from '../../domain/chain/outpoint.ts'
import { isFollowed } from '../../domain/order/due.ts'
import type { AssetIndex } from '../../ports/authorities/asset-index.ts'
import { AuthorityUnavailableError } from '../../ports/authorities/authority-errors.ts'
import type { FullNode, OutputAnswer } from '../../ports/authorities/full-node.ts'
import type { EventLog } from '../../ports/log/event-log.ts'
import type { IngestStore } from '../../ports/log/ingest-store.ts'
import { InboxRecord, TOPICS } from '../../schemas/log.ts'
import type { OrderRecord } from '../../schemas/order-record.ts'
import type { BlockRef, OutpointText, Txid } from '../../schemas/scalars.ts'
import type { ExistingActors, FoldedLog } from './folded-log.ts'
import { readWhole } from './read-whole.ts'
import type { AuditReport } from './report.ts'

const BATCH = 200
/** Most blocks that the node may be ahead of the store: each of them is read. */
const MAX_AHEAD = 144

interface AuthorityParts {
  log: EventLog
  ingestStore: Pick<IngestStore, 'mempool'>
  node: FullNode | null
  index: AssetIndex | null
}

/**
 * I9: the orders' outputs are as node and index report them, at the last block delivered to the
 * store. What the node received after that is not the store's fault, and is not counted.
 */
export async function auditAuthorities(
  { log, ingestStore, node, index }: AuthorityParts,
  folded: FoldedLog,
  actors: ExistingActors,
  report: AuditReport,
): Promise<void> {
  if (!node) return report.skip('I9', 'no node is configured')
  try {
    const reported = await reportedMempool(ingestStore)
    const later = new LaterNews(node)
    for (const [partition, orders] of atRest(folded, actors)) {
      const tip = actors.watermarks.get(partition)?.tip
      const news = tip ? await later.since(tip) : null
      if (!tip || !news) {
        report.skip('I9', `partition ${partition} has no recent block of the node's chain`)
        continue
      }
      const waiting = await untaken(log, partition, folded.reach[partition]?.inbox ?? 0)
      const touched = new Set([...news, ...waiting])
      const followed = orders.filter((order) => isFollowed(order, tip))
      await new Comparison(node, index, report, { reported, touched }).of(followed)
    }
  } catch (error) {
    if (!(error instanceof AuthorityUnavailableError)) throw error
    report.skip('I9', error.message)
  }
}

/** By partition, the orders at rest: no question is pending. */
function atRest(folded: FoldedLog, actors: ExistingActors): Map<number, OrderRecord[]> {
  const orders = new Map<number, OrderRecord[]>()
  for (const [id, { order, partition }] of folded.sound()) {
    if (actors.orders.get(id)?.pending !== null) continue
    const here = orders.get(partition)
    if (here) here.push(order)
    else orders.set(partition, [order])
  }
  return orders
}

/** Outputs with news in the inbox that no actor has consumed yet. */
async function untaken(log: EventLog, partition: number, consumed: number): Promise<string[]> {
  const outpoints: OutpointText[] = []
  for await (const { value } of readWhole(log, TOPICS.inbox, partition, consumed)) {
    const { data: record } = InboxRecord.safeParse(value)
    if (record && 'outpoint' in record) outpoints.push(record.outpoint)
  }
  return outpoints
}

/** The mempool transactions that were delivered to the store. */
async function reportedMempool(store: AuthorityParts['ingestStore']): Promise<ReadonlySet<string>> {
  const reported = new Set<string>()
  for await (const txid of store.mempool()) reported.add(txid)
  return reported
}

/** The outputs made and spent by blocks later than the last one delivered to the store. */
class LaterNews {
  readonly #node: FullNode
  readonly #known = new Map<string, Promise<ReadonlySet<string> | null>>()

  constructor(node: FullNode) {
    this.#node = node
  }

  /** Null: the block is not on the node's chain, or is too far back. */
  since(tip: BlockRef): Promise<ReadonlySet<string> | null> {
    const known = this.#known.get(tip.hash) ?? this.#read(tip)
    this.#known.set(tip.hash, known)
    return known
  }

  async #read({ height, hash }: BlockRef): Promise<ReadonlySet<string> | null> {
    const { tip } = await this.#node.chain()
    if ((await this.#node.blockHash(height)) !== hash || tip.height - height > MAX_AHEAD) {
      return null
    }
    const touched = new Set<string>()
    for (let above = height + 1; above <= tip.height; above += 1) {
      const onChain = await this.#node.blockHash(above)
      const block = onChain && (await this.#node.block(onChain))
      for (const transaction of block?.transactions ?? []) addOutpoints(transaction, touched)
    }
    return touched
  }
}

function addOutpoints(transaction: { txid: Txid; hex: string }, touched: Set<string>): void {
  const { txid, inputs, outputs, spent } = openTransaction(bareTransaction(transaction))
  for (let input = 0; input < inputs; input += 1) touched.add(spent(input))
  for (let vout = 0; vout < outputs; vout += 1) touched.add(outpointText({ txid, vout }))
}

/** The output status that a state implies; other states imply none. */
const EXPECTED: Partial<Record<OrderRecord['state'], OutputAnswer['status']>> = {
  LIVE: 'unspent',
  PENDING_ASSET: 'unspent',
  MEMPOOL_CONFLICTED: 'spent-in-mempool',
  SPENT: 'absent',
  SETTLED: 'absent',
}

class Comparison {
  readonly #node: FullNode
  readonly #index: AssetIndex | null
  readonly #report: AuditReport
  readonly #known: { reported: ReadonlySet<string>; touched: ReadonlySet<string> }

  constructor(
    node: FullNode,
    index: AssetIndex | null,
    report: AuditReport,
    known: { reported: ReadonlySet<string>; touched: ReadonlySet<string> },
  ) {
    this.#node = node
    this.#index = index
    this.#report = report
    this.#known = known
  }

  async of(orders: readonly OrderRecord[]): Promise<void> {
    for (let at = 0; at < orders.length; at += BATCH) {
      const some = orders.slice(at, at + BATCH)
      await this.#compareOutputs(some)
      await this.#compareAssets(some.filter(({ state }) => state === 'LIVE'))
    }
  }

  async #compareOutputs(orders: readonly OrderRecord[]): Promise<void> {
    const outpoints = orders.map(({ outpoint }) => parseOutpoint(outpoint))
    const answers = await this.#node.outputs(outpoints)
    const spenders = await this.#node.mempoolSpenders(outpoints)
    for (const [at, order] of orders.entries()) {
      const expected = EXPECTED[order.state]
      const spender = spenders[at] ?? null
      // `gettxout` does not report an output that the mempool both makes and spends.
      const isClaimed = answers[at]?.status === 'absent' && spender !== null
      const answer = isClaimed ? 'spent-in-mempool' : answers[at]?.status
      if (expected === undefined || answer === undefined) continue
      const holds = answer === expected || this.#isLater(order, answer, spender)
      const what = () =>
        `${order.id} is ${order.state}, but the node reports ${order.outpoint} as ${answer}`
      this.#report.check('I9', holds, what)
    }
  }

  /** Did the output change only after the last delivery to the store? */
  #isLater(
    { outpoint, state, spend }: OrderRecord,
    answer: OutputAnswer['status'],
    spender: string | null,
  ): boolean {
    const { reported, touched } = this.#known
    if (touched.has(outpoint)) return true
    if (answer === 'spent-in-mempool') {
      return EXPECTED[state] === 'unspent' && spender !== null && !reported.has(spender)
    }
    const wasDropped = answer === 'unspent' && state === 'MEMPOOL_CONFLICTED'
    return wasDropped && spend !== null && reported.has(spend.txid)
  }

  async #compareAssets(live: readonly OrderRecord[]): Promise<void> {
    if (!this.#index || live.length === 0) return
    const answers = await this.#index.contents(live.map(({ outpoint }) => parseOutpoint(outpoint)))
    for (const [at, { id, assets, outpoint }] of live.entries()) {
      const found = answers[at]
      if (!found?.indexed || this.#known.touched.has(outpoint)) continue
      const held = found.inscriptionIds
      const missing = assets.find(({ inscriptionId }) => !held.includes(inscriptionId))
      this.#report.check(
        'I9',
        missing === undefined,
        () =>
          `${id} offers ${missing?.inscriptionId}, but the index does not find it in ${outpoint}`,
      )
    }
  }
}
