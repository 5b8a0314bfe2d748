import type { Observable } from 'rxjs'
import type { AssetIndex } from '../ports/asset-index.ts'
import type { BuiltAsks } from '../ports/built-asks.ts'
import type { Clock } from '../ports/clock.ts'
import type { EventLog } from '../ports/event-log.ts'
import type { FullNode } from '../ports/full-node.ts'
import type { History } from '../ports/history.ts'
import type { OfferExaminer } from '../ports/offer-examiner.ts'
import type { OfferJudge } from '../ports/offer-judge.ts'
import type { OrderViews } from '../ports/order-views.ts'
import type { ProofChecker } from '../ports/proof-checker.ts'
import type { PurchaseReader } from '../ports/purchase-reader.ts'
import type { UnprovedPool } from '../ports/unproved-pool.ts'
import type { ListingReadiness } from '../schemas/health.ts'
import type { Network } from '../schemas/scalars.ts'
import type { CursorCodec } from './cursor.ts'
import type { StoredBudget } from './stored-budget.ts'

/** What the use cases work with. */
export interface Gateway {
  log: EventLog
  views: OrderViews
  history: Pick<History, 'activity'>
  /** One observation of storage, node and index: see streams/listing-readiness. */
  readiness: Observable<ListingReadiness>
  proofs: ProofChecker
  purchases: PurchaseReader
  offers: OfferExaminer
  judge: OfferJudge
  pool: UnprovedPool
  builds: BuiltAsks
  /** What clients may have stored, by client. */
  stored: StoredBudget
  /** Null: not configured. */
  node: FullNode | null
  index: AssetIndex | null
  cursors: CursorCodec
  clock: Clock
  /** An id that no other request ever has. */
  newRequestId: () => string
  settings: GatewaySettings
}

export interface GatewaySettings {
  network: Network
  /** MARKET_ENABLED. */
  enabled: boolean
  nodeConfigured: boolean
  indexConfigured: boolean
  maxVerificationAgeSeconds: number
  /** PUBLIC_ORIGIN, stated in every challenge of ownership. */
  publicOrigin: string
  ownershipWindowSeconds: number
  quoteTtlSeconds: number
  /** How long a command may wait for its verdict, milliseconds. */
  verdictWaitMs: number
}
