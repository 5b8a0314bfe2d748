import { parseOutpoint } from '../../domain/outpoint.ts'
import type { AssetIndex } from '../../ports/asset-index.ts'
import { IndexUnavailable, NodeUnavailable } from '../../ports/authority-errors.ts'
import type { FullNode } from '../../ports/full-node.ts'
import type { OrderRecord } from '../../schemas/order-record.ts'
import type { FoldedLog } from './audit-log.ts'
import type { AuditReport } from './report.ts'

const BATCH = 200

/** I9: what is LIVE stands unspent on the node, its assets where the index has them; what is spent is not. */
export async function auditAuthorities(
  { node, index }: { node: FullNode | null; index: AssetIndex | null },
  { orders }: FoldedLog,
  report: AuditReport,
): Promise<void> {
  if (!node) return report.skip('I9', 'no node is configured')
  const judged = [...orders.values()].filter(
    ({ state, kept }) => state !== 'WITHDRAWN' && kept.inspection.orderClass !== 'UNSUPPORTED',
  )
  try {
    for (let at = 0; at < judged.length; at += BATCH) {
      await compare(node, index, judged.slice(at, at + BATCH), report)
    }
  } catch (error) {
    if (!(error instanceof NodeUnavailable) && !(error instanceof IndexUnavailable)) throw error
    report.skip('I9', error.message)
  }
}

const EXPECTED: Partial<Record<OrderRecord['state'], readonly string[]>> = {
  LIVE: ['unspent'],
  PENDING_ASSET: ['unspent'],
  MEMPOOL_CONFLICTED: ['spent-in-mempool'],
  SPENT: ['absent'],
  SETTLED: ['absent'],
}

async function compare(
  node: FullNode,
  index: AssetIndex | null,
  orders: readonly OrderRecord[],
  report: AuditReport,
): Promise<void> {
  const outpoints = orders.map(({ outpoint }) => parseOutpoint(outpoint))
  const outputs = await node.outputs(outpoints)
  const assets = index ? await index.outputs(outpoints) : []
  for (const [at, order] of orders.entries()) {
    const status = outputs[at]?.status ?? 'unanswered'
    report.check(
      'I9',
      EXPECTED[order.state]?.includes(status) ?? true,
      () => `${order.id} is ${order.state}, the node says ${status}`,
    )
    if (order.state !== 'LIVE' || !assets[at]) continue
    const held = assets[at].inscriptions.map(({ id }) => id)
    const missing = order.assets.filter(({ inscriptionId }) => !held.includes(inscriptionId))
    report.check(
      'I9',
      missing.length === 0,
      () => `${order.id} offers ${missing[0]?.inscriptionId}, which the index does not find there`,
    )
  }
}
