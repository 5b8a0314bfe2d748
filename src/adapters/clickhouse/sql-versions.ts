import { z } from 'zod'
import type {
  ChangePlace,
  OrderVersions,
  VersionQuery,
  VersionRows,
} from '../../ports/views/order-versions.ts'
import type { OrderVersion } from '../../schemas/dispute/order-version.ts'
import { Evidence, IndexEvidence, NodeEvidence } from '../../schemas/evidence.ts'
import {
  type OrderId,
  OrderSide,
  OrderState,
  OutpointText,
  Timestamp,
  Txid,
} from '../../schemas/scalars.ts'
import type { UseEngine } from './pairing/pairing-history.ts'
import { inForceAt } from './statistics/in-force.ts'

/** Characters of a page's evidence, beyond which it ends. */
const MAX_EVIDENCE = 1_048_576

const VersionRow = z.object({
  seq: z.coerce.number(),
  kind: z.enum(['transition', 'verified', 'noted']),
  from_state: OrderState.nullable(),
  state: OrderState,
  reason: z.string(),
  actor: z.string(),
  cause: z.string(),
  observed_at: Timestamp,
  in_force_from: Timestamp,
  in_force_until: Timestamp.nullable(),
  outpoint: OutpointText,
  protocol_id: z.string().nullable(),
  token: z.string().nullable(),
  side: OrderSide.nullable(),
  price: z.string().nullable(),
  inscription_ids: z.array(z.string()),
  spend_txid: Txid.nullable(),
  spend_height: z.number().nullable(),
  settlement_txid: Txid.nullable(),
  prev_hash: z.string().nullable(),
  hash: z.string(),
  asked_at: Timestamp,
  answered_at: Timestamp,
  begun_epoch: z.coerce.number().nullable(),
  begun_n: z.coerce.number().nullable(),
  mempool_sequence: z.coerce.number().nullable(),
  node: z.string(),
  asset_index: z.string(),
})
type VersionRow = z.infer<typeof VersionRow>

const PlaceRow = z.object({
  seq: z.coerce.number(),
  log_partition: z.number(),
  log_offset: z.coerce.number(),
})

/** Versions by the engine of the history; its failures are `HistoryUnavailableError`. */
export class SqlVersions implements OrderVersions {
  readonly #use: UseEngine

  constructor(use: UseEngine) {
    this.#use = use
  }

  async versions({ orderId, limit, after = 0, at }: VersionQuery): Promise<VersionRows> {
    const inForce = at ? inForceAt(at) : null
    const sql = `
      SELECT versions.*, toString(quoted_price_sats) AS price,
        asked_at, answered_at, begun_epoch, begun_n, mempool_sequence, node, asset_index
      FROM (SELECT * FROM order_versions WHERE order_id = {id:String}) AS versions
      LEFT JOIN (
        SELECT * EXCEPT order_id FROM order_evidence_rows FINAL WHERE order_id = {id:String}
      ) AS evidence USING (seq)
      WHERE seq > {after:UInt64} ${inForce ? `AND ${inForce.condition}` : ''}
      ORDER BY seq
      LIMIT {limit:UInt32}`
    const params = { id: orderId, after, limit: limit + 1, ...inForce?.params }
    const found = await this.#use((engine) => engine.select(sql, params))
    const rows = found.map((row) => VersionRow.parse(row))
    const shown = rows.slice(0, fitting(rows.slice(0, limit)))
    const last = shown.length < rows.length ? shown.at(-1) : undefined
    return { versions: shown.map(versionOf), next: last?.seq ?? null }
  }

  async places(orderId: OrderId, upTo: number, most: number): Promise<readonly ChangePlace[]> {
    const sql = `
      SELECT seq, log_partition, log_offset FROM order_transition_rows FINAL
      WHERE order_id = {id:String} AND seq <= {upTo:UInt64}
      ORDER BY seq DESC LIMIT {most:UInt32}`
    const rows = await this.#use((engine) => engine.select(sql, { id: orderId, upTo, most }))
    return rows
      .map((row) => PlaceRow.parse(row))
      .map(({ seq, log_partition, log_offset }) => ({
        seq,
        partition: log_partition,
        offset: log_offset,
      }))
      .reverse()
  }
}

/** How many of them go on a page: at least one. */
function fitting(rows: readonly VersionRow[]): number {
  let characters = 0
  const first = rows.findIndex(({ node, asset_index }, index) => {
    characters += node.length + asset_index.length
    return index > 0 && characters > MAX_EVIDENCE
  })
  return first < 0 ? rows.length : first
}

const versionOf = (row: VersionRow): OrderVersion => ({
  seq: row.seq,
  kind: row.kind,
  fromState: row.from_state,
  state: row.state,
  reason: row.reason,
  actor: row.actor,
  cause: row.cause,
  observedAt: row.observed_at,
  inForceFrom: row.in_force_from,
  inForceUntil: row.in_force_until,
  outpoint: row.outpoint,
  protocolId: row.protocol_id,
  token: row.token,
  side: row.side,
  quotedPriceSats: row.price,
  inscriptionIds: row.inscription_ids,
  spendTxid: row.spend_txid,
  spendHeight: row.spend_height,
  settlementTxid: row.settlement_txid,
  evidence: evidenceOf(row),
  hash: row.hash,
  prevHash: row.prev_hash,
})

function evidenceOf(row: VersionRow): Evidence | null {
  // A row without a match has the columns' defaults.
  if (row.node === '') return null
  const { begun_epoch: epoch, begun_n: n } = row
  return Evidence.parse({
    begunAt: epoch === null || n === null ? null : { epoch, n },
    mempoolSequence: row.mempool_sequence,
    askedAt: row.asked_at,
    answeredAt: row.answered_at,
    node: NodeEvidence.parse(JSON.parse(row.node)),
    index: IndexEvidence.parse(JSON.parse(row.asset_index)),
  })
}
