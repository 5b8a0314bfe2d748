import { NOTED_REASONS } from '../../domain/reasons/noted-reasons.ts'
import type { OrderEvent } from '../events/order-events.ts'

const REASONS: Partial<Record<OrderEvent['type'], { reason: string }>> = NOTED_REASONS

/** Throws for an event that by itself changes nothing the log must record. */
export function notedReason({ type }: OrderEvent): string {
  const noted = REASONS[type]
  if (!noted) throw new Error(`${type} changed an order without a transition`)
  return noted.reason
}
