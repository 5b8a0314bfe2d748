/** Values by series, one step of them. */
export type Step = Record<string, number | null>

/** The steps of a phase: `step` counts from the beginning of the whole series. */
type Phase = (step: number) => Step

export interface WrittenFault {
  alert: string
  /** What differs from the healthy series while it lasts; null: the series is missing. */
  fault: Phase
}

const ROLES = ['gateway', 'ingest', 'actors', 'projector', 'webhooks']
const WORKER = '{role="actors",pod="actors-0"'
const behind = (partition: number) =>
  `market_partition_behind_seconds${WORKER},partition="${partition}"}`
const INGEST = '{role="ingest",pod="ingest-0"}'
const PAIRING = '{role="pairing",pod="pairing-0"'
const ANSWERS = 'market_http_request_seconds_count{role='
const LETTERS = `market_dead_letters_total${WORKER}}`

/** A service of every role in which nothing is wrong. */
export const healthy: Phase = (step) => ({
  ...Object.fromEntries(
    ROLES.flatMap((role) => {
      const labels = `role="${role}",pod="${role}-0"`
      return [
        [`up{job="shop/market",${labels}}`, 1],
        [`market_ready{${labels},reason="none"}`, 1],
        [`process_start_time_seconds{job="shop/market",${labels}}`, 1_000],
        [`nodejs_heap_size_total_bytes{${labels}}`, 2e8],
        [`nodejs_external_memory_bytes{${labels}}`, 4e8],
        [`market_memory_limit_bytes{${labels}}`, 1e9],
        [`nodejs_eventloop_lag_p99_seconds{${labels}}`, 0.01],
        [`market_faults_total{${labels},part="views"}`, 3],
        [`market_history_losses_total{${labels}}`, 1],
      ]
    }),
  ),
  [behind(0)]: 2 + (step % 3),
  [behind(1)]: 3,
  [`market_partitions${WORKER}}`]: 2,
  [LETTERS]: 4,
  [`market_verifications_waiting${WORKER}}`]: 7,
  [`market_audit_disagreements_total${WORKER}}`]: 0,
  // Without a claim it is the disk of the machine, which others fill.
  [`market_disk_free_bytes${INGEST}`]: 1e9,
  [`market_disk_size_bytes${INGEST}`]: 1e10,
  [`market_disk_free_bytes${WORKER}}`]: 6e9,
  [`market_disk_size_bytes${WORKER}}`]: 1e10,
  [`market_store_bytes${WORKER}}`]: 1e9,
  [`market_store_limit_bytes${WORKER}}`]: 6.9e10,
  'market_redis_used_bytes{role="gateway",pod="gateway-0"}': 9e8,
  'market_redis_limit_bytes{role="gateway",pod="gateway-0"}': 2e9,
  [`${ANSWERS}"gateway",route="/api/market/orders",status="200"}`]: 100 * step,
  [`${ANSWERS}"gateway",route="/api/market/orders",status="503"}`]: step,
  // What is withheld, or not ready yet, is a state.
  [`${ANSWERS}"pairing",route="/pairing/verified/search",status="503"}`]: 50 * step,
  [`${ANSWERS}"pairing",route="/ready",status="503"}`]: 20 * step,
  'market_ingest_watermarks_total{role="ingest",covers="true"}': step,
  [`market_ingest_continuity_losses_total${INGEST}`]: 0,
  [`market_ingest_index_lag_blocks${INGEST}`]: step % 2,
  // Each process has it, and 0 where no ingest runs.
  [`market_ingest_tip_height${PAIRING}}`]: 0,
  [`market_ingest_tip_height${INGEST}`]: 900 + Math.floor(step / 40),
  'market_dependency_up{role="ingest",dependency="node"}': 1,
  // Heard of by a read alone, which may be the last one for long.
  [`market_dependency_up${PAIRING},dependency="peer"}`]: 0,
  'market_dependency_up{role="ingest",dependency="feed wss://relay/"}': 1,
  'market_views_lag_records{role="projector",partition="0"}': step % 40,
  'market_chain_breaks{role="projector",pod="projector-0"}': 0,
  'market_webhooks_failing_seconds{role="webhooks",webhook="shop"}': 0,
  'market_circles_height{role="circles"}': 900 + Math.floor(step / 40),
  [`market_pairing_node_height${PAIRING}}`]: 900 + Math.floor(step / 40),
  'market_circles_node_height{role="circles"}': 900 + Math.floor(step / 40),
  [`market_pairing_height${PAIRING}}`]: 900 + Math.floor(step / 40),
  [`market_pairing_ready${PAIRING}}`]: 1,
  [`market_pairing_verified_reads_total${PAIRING},outcome="verified"}`]: step,
  [`market_pairing_verified_reads_total${PAIRING},outcome="peer_timeout"}`]: 2,
  [`market_pairing_divergences_total${PAIRING},field="eventsRoot"}`]: 1,
})

/** Faults that take days, a false node or another operator to happen, and some that running roles have too. */
export const WRITTEN: readonly WrittenFault[] = [
  {
    alert: 'MarketContradicted',
    fault: () => ({ [`market_audit_disagreements_total${WORKER}}`]: 1 }),
  },
  {
    alert: 'MarketChainBroken',
    fault: () => ({ 'market_chain_breaks{role="projector",pod="projector-0"}': 1 }),
  },
  {
    alert: 'MarketContinuityLost',
    fault: () => ({ [`market_ingest_continuity_losses_total${INGEST}`]: 1 }),
  },
  {
    alert: 'MarketIndexBehind',
    fault: () => ({ [`market_ingest_index_lag_blocks${INGEST}`]: 3 }),
  },
  {
    alert: 'MarketVerificationsWaiting',
    fault: () => ({ [`market_verifications_waiting${WORKER}}`]: 1_001 }),
  },
  { alert: 'MarketPartitionBehind', fault: () => ({ [behind(1)]: 70 }) },
  {
    alert: 'MarketPartitionUnread',
    fault: () => ({ [behind(0)]: null, [behind(1)]: null }),
  },
  {
    alert: 'MarketViewsBehind',
    fault: () => ({ 'market_views_lag_records{role="projector",partition="0"}': 1_001 }),
  },
  {
    alert: 'MarketHistoryLostRows',
    fault: () => ({ 'market_history_losses_total{role="projector",pod="projector-0"}': 2 }),
  },
  {
    alert: 'MarketEventLoopBlocked',
    fault: () => ({ 'nodejs_eventloop_lag_p99_seconds{role="gateway",pod="gateway-0"}': 0.3 }),
  },
  {
    alert: 'MarketMemoryFilling',
    fault: () => ({ 'nodejs_external_memory_bytes{role="gateway",pod="gateway-0"}': 6e8 }),
  },
  {
    alert: 'MarketDiskGrowing',
    fault: () => ({ [`market_disk_free_bytes${WORKER}}`]: 2.9e9 }),
  },
  {
    alert: 'MarketStoreFilling',
    fault: () => ({ [`market_store_bytes${WORKER}}`]: 5e10 }),
  },
  {
    alert: 'MarketServerErrors',
    fault: (step) => ({
      [`${ANSWERS}"gateway",route="/api/market/orders",status="503"}`]: 10 * step,
    }),
  },
  {
    alert: 'MarketFeedAway',
    fault: () => ({ 'market_dependency_up{role="ingest",dependency="feed wss://relay/"}': 0 }),
  },
  {
    alert: 'MarketCirclesAbsent',
    fault: () => ({ 'market_circles_height{role="circles"}': null }),
  },
  {
    alert: 'MarketCirclesBehind',
    fault: () => ({ 'market_circles_height{role="circles"}': 890 }),
  },
  {
    alert: 'MarketPairingAbsent',
    fault: () => ({
      [`market_pairing_ready${PAIRING}}`]: null,
      [`market_pairing_height${PAIRING}}`]: null,
    }),
  },
  {
    alert: 'MarketPairingNotReady',
    fault: () => ({ [`market_pairing_ready${PAIRING}}`]: 0 }),
  },
  {
    alert: 'MarketPairingBehind',
    fault: () => ({ [`market_pairing_height${PAIRING}}`]: 890 }),
  },
  {
    alert: 'MarketPairingWithheld',
    fault: (step) => ({
      [`market_pairing_verified_reads_total${PAIRING},outcome="peer_timeout"}`]: 2 + step,
    }),
  },
  {
    alert: 'MarketPairingDiverged',
    fault: (step) => ({
      [`market_pairing_divergences_total${PAIRING},field="eventsRoot"}`]: 1 + step,
    }),
  },
]
