import { outpointText, parseOutpoint } from '../domain/outpoint.ts'
import { partitionOf } from '../domain/partition.ts'
import type { AssetIndex } from '../ports/asset-index.ts'
import type { Clock } from '../ports/clock.ts'
import type { EventLog } from '../ports/event-log.ts'
import type { FullNode } from '../ports/full-node.ts'
import { type CommandRecord, LOG_SCHEMA, TOPICS } from '../schemas/log.ts'
import type { OrderRecord } from '../schemas/order-record.ts'

/** Orders asked for in one request. */
const BATCH = 500

/** Intervals of the sweep, in milliseconds. */
export interface SweepPace {
  /** Every LIVE order has one turn in this time. */
  dayMs: number
  /** How often gathered orders are checked: one batch per round keeps the RPC rate flat. */
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

type Swept = Pick<OrderRecord, 'id' | 'outpoint' | 'assets'>

export interface AuditSweep {
  add(orders: readonly Swept[]): void
  /** One round; `run` does one every `roundMs`. */
  round(): Promise<void>
  run(signal: AbortSignal): Promise<void>
}

/**
 * The naive sweep that backs up the event path: are the outputs of LIVE orders unspent, and are
 * their inscriptions there? An order that the authorities contradict twice, `graceMs` apart, is
 * reported to its actor, which counts it if the order is still LIVE then.
 */
export function openAuditSweep(options: AuditSweepOptions): AuditSweep {
  const { node, index, log, clock, roundMs, graceMs, newRequestId, onFault } = options
  const gathered = new Map<string, Swept>()

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
    const orders = [...gathered.values()].slice(0, BATCH)
    const suspects = await contradicted(node, index, orders)
    if (suspects.size > 0) await clock.sleep(graceMs, signal)
    if (signal?.aborted) return
    const again = await contradicted(node, index, [...suspects.keys()])
    for (const [order, found] of again) await report(order, found)
    for (const { id } of orders) gathered.delete(id)
  }

  return {
    add: (orders) => {
      for (const { id, outpoint, assets } of orders) gathered.set(id, { id, outpoint, assets })
    },
    round,
    run: async (signal) => {
      while (!signal.aborted) {
        await clock.sleep(roundMs, signal)
        // If an authority is unavailable, the same orders are checked again in the next round.
        await round(signal).catch(onFault)
      }
    },
  }
}

async function contradicted(
  node: AuditSweepOptions['node'],
  index: AuditSweepOptions['index'],
  orders: readonly Swept[],
): Promise<Map<Swept, string>> {
  if (orders.length === 0) return new Map()
  const outpoints = orders.map(({ outpoint }) => parseOutpoint(outpoint))
  const outputs = await node.outputs(outpoints)
  const assets = index ? await index.contents(outpoints) : []
  const found = new Map<Swept, string>()
  for (const [at, order] of orders.entries()) {
    const output = outputs[at]
    const held = assets[at]?.indexed ? assets[at].inscriptionIds : null
    const gone = order.assets.find(({ inscriptionId }) => held && !held.includes(inscriptionId))
    if (output?.status !== 'unspent') found.set(order, `the output is ${output?.status}`)
    else if (gone)
      found.set(order, `${gone.inscriptionId} is not in ${outpointText(gone.outpoint)}`)
  }
  return found
}
