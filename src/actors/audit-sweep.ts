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
/** News that is on its way gets this long to arrive before an order is called contradicted. */
const GRACE_MS = 10_000

export interface AuditSweepOptions {
  node: FullNode
  index: AssetIndex | null
  log: EventLog
  clock: Clock
  /** How often what has gathered is asked about: one batch a round keeps the RPC rate flat. */
  roundMs: number
  newRequestId(): string
  onFault(error: unknown): void
}

export interface AuditSweep {
  add(orders: readonly OrderRecord[]): void
  /** One round; `run` does one every `roundMs`. */
  round(): Promise<void>
  run(signal: AbortSignal): Promise<void>
}

/**
 * The naive sweep that backs the event path: are the outputs of LIVE orders unspent, are their
 * inscriptions there? What the authorities contradict twice, `GRACE_MS` apart, is told to its actor,
 * which counts it if the order is LIVE even then.
 */
export function openAuditSweep(options: AuditSweepOptions): AuditSweep {
  const { node, index, log, clock, roundMs, newRequestId, onFault } = options
  const gathered = new Map<string, OrderRecord>()

  const report = (order: OrderRecord, found: string) => {
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
    for (const { id } of orders) gathered.delete(id)
    const suspects = await contradicted(node, index, orders)
    if (suspects.size === 0) return
    await clock.sleep(GRACE_MS, signal)
    const again = await contradicted(node, index, [...suspects.keys()])
    for (const [order, found] of again) await report(order, found)
  }

  return {
    add: (orders) => {
      for (const order of orders) gathered.set(order.id, order)
    },
    round,
    run: async (signal) => {
      while (!signal.aborted) {
        await clock.sleep(roundMs, signal)
        // An authority that is away is asked in the next round: the orders come round again.
        await round(signal).catch(onFault)
      }
    },
  }
}

async function contradicted(
  node: FullNode,
  index: AssetIndex | null,
  orders: readonly OrderRecord[],
): Promise<Map<OrderRecord, string>> {
  if (orders.length === 0) return new Map()
  const outpoints = orders.map(({ outpoint }) => parseOutpoint(outpoint))
  const outputs = await node.outputs(outpoints)
  const assets = index ? await index.outputs(outpoints) : []
  const found = new Map<OrderRecord, string>()
  for (const [at, order] of orders.entries()) {
    const output = outputs[at]
    const held = assets[at]?.indexed ? assets[at].inscriptions.map(({ id }) => id) : null
    const gone = order.assets.find(({ inscriptionId }) => held && !held.includes(inscriptionId))
    if (output?.status !== 'unspent') found.set(order, `the output is ${output?.status}`)
    else if (gone)
      found.set(order, `${gone.inscriptionId} is not in ${outpointText(gone.outpoint)}`)
  }
  return found
}
