import type { Gateway } from '../../gateway/gateway.ts'
import type { Lanes } from '../../ports/lanes.ts'
import type { Limiters } from '../plugins/rate-limits.ts'

/** What the market's routes are given. */
export interface RouteContext {
  gateway: Gateway
  /** Aborted when waits must end because the service does. */
  signal: AbortSignal
  limiters: Limiters
  /** Where reads of many rows wait for one another, by the store that they are of. */
  stores: Readonly<Record<'views' | 'history', Lanes>>
}

/** Spec 1: every route of the market sits under it. */
export const BASE = '/api/market'
