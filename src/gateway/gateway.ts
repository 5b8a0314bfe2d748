import type { Observable } from 'rxjs'
import type { OfferExaminer } from '../authorities/offer-examiner.ts'
import type { BundleSigner } from '../domain/dispute/seal-bundle.ts'
import type { ArtifactInspector } from '../ports/authorities/artifact-inspector.ts'
import type { AssetIndex } from '../ports/authorities/asset-index.ts'
import type { FullNode } from '../ports/authorities/full-node.ts'
import type { OrderCheck } from '../ports/authorities/order-check.ts'
import type { ProofChecker } from '../ports/authorities/proof-checker.ts'
import type { PurchaseReader } from '../ports/authorities/purchase-reader.ts'
import type { OfferJudge } from '../ports/feeds/offer-judge.ts'
import type { EventLog } from '../ports/log/event-log.ts'
import type { BuiltAsks } from '../ports/views/built-asks.ts'
import type { History } from '../ports/views/history.ts'
import type { OrderVersions } from '../ports/views/order-versions.ts'
import type { OrderViews } from '../ports/views/order-views.ts'
import type { Statistics } from '../ports/views/statistics.ts'
import type { UnprovedPool } from '../ports/views/unproved-pool.ts'
import type { Clock } from '../runtime/clock.ts'
import type { ListingReadiness } from '../schemas/api/health.ts'
import type { Network } from '../schemas/scalars.ts'
import type { RecentChanges } from '../streams/activity/recent-changes.ts'
import type { ContentReader } from './content-reader.ts'
import type { CursorCodec } from './cursor.ts'
import type { WatermarkReader } from './last-watermark.ts'
import type { StoredBudget } from './stored-budget.ts'

/** What the use cases need. */
export interface Gateway {
  log: EventLog
  views: OrderViews
  history: Pick<History, 'activity' | 'lastSeq'>
  statistics: Pick<Statistics, 'rows' | 'file'>
  versions: OrderVersions
  /** The newest changes of all orders, from the log. */
  changes: Observable<RecentChanges>
  /** One observation of storage, node and index: see streams/listing-readiness. */
  readiness: Observable<ListingReadiness>
  proofs: ProofChecker
  purchases: PurchaseReader
  artifacts: ArtifactInspector
  offers: OfferExaminer
  /** The examiner of inspections, which come after publishes. */
  inspections: OfferExaminer
  judge: OfferJudge
  lastWatermark: WatermarkReader
  /** For buyers, whose checks leave nothing in the log. */
  checks: OrderCheck
  pool: UnprovedPool
  builds: BuiltAsks
  /** How much each client may have stored. */
  stored: StoredBudget
  /** Null: bundles are not signed. */
  bundleSigner: BundleSigner | null
  /** Null: not configured. */
  node: FullNode | null
  index: AssetIndex | null
  contents: Pick<ContentReader, 'read'> | null
  cursors: CursorCodec
  clock: Clock
  /** An id that is unique among all requests. */
  newRequestId: () => string
  settings: GatewaySettings
}

/** What it takes to hand a command to an order's actor, and to wait for its outcome. */
export type CommandParts = Pick<Gateway, 'log' | 'views' | 'clock' | 'newRequestId' | 'settings'>

export interface GatewaySettings {
  network: Network
  /** MARKET_ENABLED. */
  enabled: boolean
  nodeConfigured: boolean
  indexConfigured: boolean
  /** What is sold is shown. */
  contentConfigured: boolean
  maxVerificationAgeSeconds: number
  /** PUBLIC_ORIGIN, stated in every challenge of ownership. */
  publicOrigin: string
  ownershipWindowSeconds: number
  quoteTtlSeconds: number
  /** How long a command may wait for its verdict, milliseconds. */
  verdictWaitMs: number
}
