import { z } from 'zod'
import { SourceEvidence } from './order.ts'
import { OrderRecord } from './order-record.ts'
import { OrderState, Timestamp } from './scalars.ts'

/** A change of state of an order that was not proved yet. */
export const UnprovedChange = z.strictObject({
  fromState: OrderState.nullable(),
  toState: OrderState,
  reason: z.string(),
  actor: z.string(),
  observedAt: Timestamp,
})
export type UnprovedChange = z.infer<typeof UnprovedChange>

/** Changes of state kept per order: later ones are not recorded. */
export const MAX_UNPROVED_CHANGES = 16

/** What an order brings into the log when it is proved. */
export const Story = z.strictObject({
  sources: z.array(SourceEvidence).max(32),
  /** The first created it; oldest first. */
  changes: z.array(UnprovedChange).min(1).max(MAX_UNPROVED_CHANGES),
})
export type Story = z.infer<typeof Story>

/** An order not proved yet, as the pool keeps it. */
export const UnprovedOrder = z.strictObject({
  order: OrderRecord,
  changes: z.array(UnprovedChange),
  /** The client of its last import: an address or a network, as the limits count clients. */
  client: z.string(),
  /** Unix milliseconds of its last import. */
  importedAt: z.int(),
  /** Unix milliseconds of the next check; null: only on news of its output, or another import. */
  lookAt: z.int().nullable(),
})
export type UnprovedOrder = z.infer<typeof UnprovedOrder>
