import type { StoredRows } from '../../ports/views/history.ts'
import type { Evidence } from '../../schemas/evidence.ts'
import type { ChangeRecord } from '../../schemas/log.ts'

// One function per table; columns are named as in the migrations.

/**
 * Raised when the rows of changes gain columns: the projector writes rows of a lower form again from
 * the log (ADR 64).
 */
export const ROW_FORM = 1

const keyOf = ({ orderId, seq }: ChangeRecord) => ({ order_id: orderId, seq })

const movedOf = (change: ChangeRecord) => ({
  ...keyOf(change),
  from_state: change.fromState,
  to_state: change.toState,
  reason: change.reason,
  actor: change.actor,
  observed_at: change.observedAt,
})

export function activityRows({ change }: StoredRows): object[] {
  return change.kind === 'transition' ? [movedOf(change)] : []
}

export function transitionRow({ partition, offset, change }: StoredRows): object {
  const { kind, outpoint, set } = change
  return {
    ...movedOf(change),
    kind,
    cause: change.cause.kind,
    outpoint,
    protocol_id: set.protocolId ?? null,
    token: set.token ?? null,
    side: set.side ?? null,
    quoted_price_sats: set.quotedPriceSats ?? null,
    seller_script_hex: set.sellerScriptHex ?? null,
    unset: change.unset,
    ...marketOf(change),
    prev_hash: change.prevHash,
    hash: change.hash,
    log_partition: partition,
    log_offset: offset,
  }
}

function marketOf({ set, evidence, observedAt }: ChangeRecord) {
  const latest = set.sources?.at(-1)
  return {
    form: ROW_FORM,
    set_fields: Object.keys(set),
    is_verdict: evidence !== null,
    inscription_ids: (set.assets ?? []).map(({ inscriptionId }) => inscriptionId),
    sources: (set.sources ?? []).map(({ source }) => source),
    feed: latest?.source ?? null,
    lag_ms: latest ? Date.parse(observedAt) - Date.parse(latest.observedAt) : null,
    postage_sats: evidence ? postageOf(evidence) : null,
    spend_txid: set.spend?.txid ?? null,
    spend_height: set.spend?.block?.height ?? null,
    settlement_txid: set.settlement?.txid ?? null,
    settlement_seen_at: set.settlement?.observedAt ?? null,
  }
}

/** The value of the offered output from the node's answer; null if it gave none. */
export function postageOf({ node }: Evidence): string | null {
  if (node.status !== 'ready' || node.output.status === 'missing') return null
  return node.output.output?.valueSats ?? null
}

export function evidenceRows({ change }: StoredRows): object[] {
  const { evidence } = change
  if (!evidence) return []
  return [
    {
      ...keyOf(change),
      asked_at: evidence.askedAt,
      answered_at: evidence.answeredAt,
      begun_epoch: evidence.begunAt?.epoch ?? null,
      begun_n: evidence.begunAt?.n ?? null,
      mempool_sequence: evidence.mempoolSequence,
      node: JSON.stringify(evidence.node),
      asset_index: JSON.stringify(evidence.index),
    },
  ]
}

export function verificationRows({ change }: StoredRows): object[] {
  const { evidence, toState, reason } = change
  if (!evidence) return []
  const { node, index } = evidence
  return [
    {
      ...keyOf(change),
      verified_at: evidence.askedAt,
      state: toState,
      reason,
      node: node.status === 'ready' ? 'ready' : node.reason,
      asset_index: index.status === 'ready' ? 'ready' : index.reason,
      tip_height: node.status === 'ready' ? node.tip.height : null,
      tip_hash: node.status === 'ready' ? node.tip.hash : null,
      index_height: index.status === 'ready' ? index.at.height : null,
      index_hash: index.status === 'ready' ? index.at.hash : null,
    },
  ]
}

export function settlementRows({ change }: StoredRows): object[] {
  const { settlement, spend } = change.set
  if (!settlement) return []
  return [
    {
      ...keyOf(change),
      txid: settlement.txid,
      observed_at: settlement.observedAt,
      confirmations: settlement.confirmations,
      confirmed_at: settlement.confirmedAt ?? null,
      block_height: spend?.block?.height ?? null,
      block_hash: spend?.block?.hash ?? null,
    },
  ]
}
