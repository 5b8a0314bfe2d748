import type { Gateway } from '../../gateway/gateway.ts'
import type { Limiters } from '../plugins/rate-limits.ts'

/** What the market's routes are given. */
export interface RouteContext {
  gateway: Gateway
  /** Aborted when waits must end because the service does. */
  signal: AbortSignal
  limiters: Limiters
}

/** Spec 1: every route of the market sits under it. */
export const BASE = '/api/market'
