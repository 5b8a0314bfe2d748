import type { OrderSummary } from 'psbt-market-client'

export interface OrderListParts {
  orders: readonly OrderSummary[]
  marked: ReadonlySet<string>
  /** The page has lost its stream: nothing here is of now. */
  isLost: boolean
  /** By id: what is said of an order beside what it is. */
  notes?: ReadonlyMap<string, string>
}
