import { parseOutpoint } from '../../domain/chain/outpoint.ts'
import { partitionOf } from '../../domain/order/partition.ts'
import type { AssetIndex } from '../../ports/authorities/asset-index.ts'
import type { FullNode } from '../../ports/authorities/full-node.ts'
import type { EventLog } from '../../ports/log/event-log.ts'
import type { Clock } from '../../runtime/clock.ts'
import { type CommandRecord, LOG_SCHEMA, TOPICS } from '../../schemas/log.ts'
import type { OrderRecord } from '../../schemas/order-record.ts'
import type { OutpointText } from '../../schemas/scalars.ts'

/** Orders, and outputs that pay for bids, asked for in one request. */
const BATCH = 500
/** Most orders gathered in each turn: if handed over each minute, 28,800,000 in a day. */
const MAX_GATHERED = 20_000
/** Approximate bytes of these. */
const MAX_BYTES = 2 ** 23
/** Approximate bytes of an order without its inscriptions and funding, and of one of these. */
const ORDER_BYTES = 512
const NAME_BYTES = 128

/** Intervals of the sweep, in milliseconds. */
export interface SweepPace {
  /** Every LIVE order is checked once in this time. */
  dayMs: number
  /**
   * Time between two batches, shorter the more batches wait: orders come at a flat rate, and are
   * checked at the same rate.
   */
  roundMs: number
  /** News already on its way gets this long to arrive before an order counts as contradicted. */
  graceMs: number
}

export const SWEEP_PACE: SweepPace = { dayMs: 86_400_000, roundMs: 60_000, graceMs: 10_000 }

export interface AuditSweepOptions extends Pick<SweepPace, 'roundMs' | 'graceMs'> {
  node: Pick<FullNode, 'outputs'>
  index: Pick<AssetIndex, 'contents'> | null
  log: Pick<EventLog, 'append' | 'partitions'>
  clock: Clock
  newRequestId(): string
  onFault(error: unknown): void
}

type Sweepable = Pick<OrderRecord, 'id' | 'outpoint' | 'assets' | 'kept'>

interface Swept extends Pick<OrderRecord, 'id' | 'outpoint'> {
  inscriptionIds: readonly string[]
  /** The outputs that pay for a bid; none for an ask. */
  funding: readonly OutpointText[]
}

/** `first`: whatever waits, these are checked before it. */
export type SweepTurn = 'first' | 'daily'

export interface AuditSweep {
  /** Orders that may be added now: 0 until some of their turn are checked. */
  room(turn?: SweepTurn): number
  add(orders: readonly Sweepable[], turn?: SweepTurn): void
  /** Checks the batch gathered first; `run` does so at the rate at which orders come. */
  round(): Promise<void>
  run(signal: AbortSignal): Promise<void>
}

/**
 * The naive sweep that backs up the event path: it checks that the outputs of LIVE orders, and
 * those that pay for a bid, are unspent, and that their inscriptions are there. An order that the
 * authorities contradict twice, `graceMs` apart, is reported to its actor, which counts it if the
 * order is still LIVE then.
 */
export function openAuditSweep(options: AuditSweepOptions): AuditSweep {
  const { node, index, log, clock, roundMs, graceMs, newRequestId, onFault } = options
  const gathered = { first: new Gathered(), daily: new Gathered() }

  const report = (order: Swept, found: string) => {
    const value: CommandRecord = {
      schema: LOG_SCHEMA,
      kind: 'command',
      command: 'audit',
      requestId: newRequestId(),
      orderId: order.id,
      outpoint: order.outpoint,
      found,
      at: new Date(clock.now()).toISOString(),
    }
    const partition = partitionOf(order.outpoint, log.partitions)
    return log.append([{ topic: TOPICS.inbox, partition, key: order.outpoint, value }])
  }

  const round = async (signal?: AbortSignal): Promise<void> => {
    const first = gathered.first.next(BATCH)
    const orders = [...first, ...gathered.daily.next(BATCH - first.length)]
    const suspects = await contradicted(node, index, orders)
    if (suspects.size > 0) await clock.sleep(graceMs, signal)
    if (signal?.aborted) return
    const again = await contradicted(node, index, [...suspects.keys()])
    for (const [order, found] of again) await report(order, found)
    for (const order of orders) {
      gathered.first.drop(order)
      gathered.daily.drop(order)
    }
  }

  return {
    room: (turn = 'daily') => gathered[turn].room,
    add: (orders, turn = 'daily') => {
      for (const { id, outpoint, assets, kept } of orders) {
        if (gathered.first.has(id)) continue
        const inscriptionIds = assets.map(({ inscriptionId }) => inscriptionId)
        const order = { id, outpoint, inscriptionIds, funding: kept.offer.funding }
        if (turn === 'first') gathered.daily.drop(order)
        gathered[turn].put(order)
      }
    },
    round,
    run: async (signal) => {
      while (!signal.aborted) {
        const { first, daily } = gathered
        const batches = Math.max(1, Math.ceil((first.size + daily.size) / BATCH))
        await clock.sleep(roundMs / batches, signal)
        // If an authority is unavailable, the same orders are checked again in the next round.
        await round(signal).catch(onFault)
      }
    },
  }
}

/** Orders that wait for their check, each once, in the order in which they came. */
class Gathered {
  readonly #orders = new Map<string, Swept>()
  #bytes = 0

  get size(): number {
    return this.#orders.size
  }

  get room(): number {
    return this.#bytes < MAX_BYTES ? Math.max(0, MAX_GATHERED - this.size) : 0
  }

  has(id: string): boolean {
    return this.#orders.has(id)
  }

  put(order: Swept): void {
    if (this.has(order.id)) return
    this.#orders.set(order.id, order)
    this.#bytes += bytesOf(order)
  }

  next(most: number): Swept[] {
    return [...this.#orders.values()].slice(0, most)
  }

  drop(order: Swept): void {
    if (this.#orders.delete(order.id)) this.#bytes -= bytesOf(order)
  }
}

const bytesOf = ({ inscriptionIds, funding }: Swept): number =>
  ORDER_BYTES + NAME_BYTES * (inscriptionIds.length + funding.length)

async function contradicted(
  node: AuditSweepOptions['node'],
  index: AuditSweepOptions['index'],
  orders: readonly Swept[],
): Promise<Map<Swept, string>> {
  if (orders.length === 0) return new Map()
  const outpoints = orders.map(({ outpoint }) => parseOutpoint(outpoint))
  const outputs = await node.outputs(outpoints)
  const unfunded = await spentFunding(node, orders)
  const assets = index ? await index.contents(outpoints) : []
  const found = new Map<Swept, string>()
  for (const [at, order] of orders.entries()) {
    const output = outputs[at]
    const held = assets[at]?.indexed ? assets[at].inscriptionIds : null
    const gone = order.inscriptionIds.find((id) => held && !held.includes(id))
    const funding = order.funding.find((outpoint) => unfunded.has(outpoint))
    if (output?.status !== 'unspent') found.set(order, `the output is ${output?.status}`)
    else if (funding !== undefined) found.set(order, `its funding ${funding} is not unspent`)
    else if (gone) found.set(order, `${gone} is not in ${order.outpoint}`)
  }
  return found
}

/** The outputs of these bids that cannot be spent any more. */
async function spentFunding(
  node: AuditSweepOptions['node'],
  orders: readonly Swept[],
): Promise<Set<string>> {
  const funding = [...new Set(orders.flatMap((order) => order.funding))]
  const gone = new Set<string>()
  for (let from = 0; from < funding.length; from += BATCH) {
    const asked = funding.slice(from, from + BATCH)
    const answers = await node.outputs(asked.map(parseOutpoint))
    for (const [at, outpoint] of asked.entries())
      if (answers[at]?.status !== 'unspent') gone.add(outpoint)
  }
  return gone
}
