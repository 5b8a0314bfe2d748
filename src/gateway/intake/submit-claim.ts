import { orderIdOf } from '../../domain/order/order-id.ts'
import type { Inspected } from '../../domain/verdict/inspect.ts'
import type { EventLog } from '../../ports/log/event-log.ts'
import type { StoredOrder } from '../../ports/views/order-views.ts'
import { type CommandRecord, type ImportCommand, LOG_SCHEMA } from '../../schemas/log.ts'
import type { OfferClaim, OrderRecord } from '../../schemas/order-record.ts'
import type { OrderId } from '../../schemas/scalars.ts'
import type { CommandParts, Gateway, GatewaySettings } from '../gateway.ts'
import { appendCommand, awaitOutcome } from './await-outcome.ts'

/** A source's claims about an artifact: evidence, never proof. */
export type SourceStatement = Pick<
  OfferClaim,
  'source' | 'claimedInscription' | 'protocolId' | 'token' | 'published' | 'notes'
>

/** An artifact and the claims about it. */
export interface Claim {
  inspected: Inspected
  saying: SourceStatement
}

/** What is needed to submit a claim without waiting for its outcome. */
export interface Claimant extends Pick<Gateway, 'artifacts' | 'clock' | 'newRequestId'> {
  log: Pick<EventLog, 'append' | 'partitions'>
  settings: Pick<GatewaySettings, 'network'>
}

/** A claim as the log carries it, under the id of the order that it authorises. */
export interface NamedClaim {
  orderId: OrderId
  claim: OfferClaim
}

export function nameClaim(
  { settings }: Pick<Claimant, 'settings'>,
  { inspected, saying }: Claim,
): NamedClaim {
  const { artifact, inspection, offer, claimedPrevout } = inspected
  const orderId = orderIdOf(settings.network, inspected)
  return { orderId, claim: { artifact, inspection, offer, claimedPrevout, ...saying } }
}

/** Hands an artifact to the order that it authorises, and waits for its verdict. */
export function submitClaim(
  gateway: CommandParts,
  named: NamedClaim,
  signal: AbortSignal,
  attachments: Attachments = {},
): Promise<StoredOrder> {
  return awaitOutcome(gateway, importCommand(gateway, named, attachments), signal)
}

/**
 * Hands an order to the log with every wrapper that may still be decided, and waits for the verdict on
 * all of them: only the log asks the index, which may refuse the kept one for its claims (ADR 3).
 */
export async function submitOrder(
  gateway: CommandParts,
  { id, kept, claims }: Pick<OrderRecord, 'id' | 'kept' | 'claims'>,
  signal: AbortSignal,
  attachments: Attachments = {},
): Promise<StoredOrder> {
  const earlier = [kept, ...claims]
  const last = earlier.pop() ?? kept
  for (const claim of earlier) {
    const command = importCommand(gateway, { orderId: id, claim }, attachments)
    await appendCommand(gateway, command, signal)
  }
  return submitClaim(gateway, { orderId: id, claim: last }, signal, attachments)
}

/** What is known of an order before it enters the log: its history, and what node and index said. */
export type Attachments = Pick<ImportCommand, 'story' | 'evidence'>

/** The command for that. */
export const importCommand = (
  { newRequestId }: Pick<Claimant, 'newRequestId'>,
  { orderId, claim }: NamedClaim,
  attachments: Attachments = {},
): CommandRecord => ({
  schema: LOG_SCHEMA,
  kind: 'command',
  command: 'import',
  requestId: newRequestId(),
  orderId,
  outpoint: claim.offer.outpoint,
  at: claim.source.observedAt,
  claim,
  ...attachments,
})
