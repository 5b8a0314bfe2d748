import type { Inspected } from '../domain/inspect.ts'
import { orderIdOf } from '../domain/order-id.ts'
import type { EventLog } from '../ports/event-log.ts'
import { type CommandRecord, LOG_SCHEMA } from '../schemas/log.ts'
import type { OrderSummary } from '../schemas/order.ts'
import type { OfferClaim, OrderRecord } from '../schemas/order-record.ts'
import { awaitOutcome } from './await-outcome.ts'
import type { Gateway, GatewaySettings } from './gateway.ts'
import { summarise } from './summarise.ts'

/** What somebody says of an artifact: evidence, never proof. */
export type Saying = Pick<OfferClaim, 'source' | 'protocolId' | 'token' | 'published' | 'notes'>

/** An artifact and what is said of it. */
export interface Claim {
  inspected: Inspected
  saying: Saying
}

/** What it takes to claim something without waiting for what becomes of it. */
export interface Claimant extends Pick<Gateway, 'clock' | 'newRequestId'> {
  log: Pick<EventLog, 'append' | 'partitions'>
  settings: Pick<GatewaySettings, 'network'>
}

/** Hands an inspected artifact to the order that it authorises, and waits for its verdict. */
export async function submitClaim(
  gateway: Gateway,
  claim: Claim,
  signal: AbortSignal,
): Promise<{ order: OrderRecord; summary: OrderSummary }> {
  const stored = await awaitOutcome(gateway, importCommand(gateway, claim), signal)
  return { order: stored.order, summary: summarise(gateway, stored).summary }
}

/** The command that hands the artifact to the order that it authorises. */
export function importCommand(
  { newRequestId, settings }: Pick<Claimant, 'newRequestId' | 'settings'>,
  { inspected, saying }: Claim,
): CommandRecord {
  const { artifact, inspection, offer, claimedPrevout } = inspected
  return {
    schema: LOG_SCHEMA,
    kind: 'command',
    command: 'import',
    requestId: newRequestId(),
    orderId: orderIdOf(settings.network, inspected),
    outpoint: offer.outpoint,
    at: saying.source.observedAt,
    claim: { artifact, inspection, offer, claimedPrevout, ...saying },
  }
}
