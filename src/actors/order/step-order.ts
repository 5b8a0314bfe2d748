import { sealChange } from '../../domain/order/change-chain.ts'
import { diffOrder, isEmptyDiff } from '../../domain/order/order-diff.ts'
import { NOTED_REASONS } from '../../domain/reasons/noted-reasons.ts'
import type { ErrorCode } from '../../schemas/api/errors.ts'
import {
  type Cause,
  type ChangeRecord,
  LOG_SCHEMA,
  type Outcome,
  type OutcomeRecord,
} from '../../schemas/log.ts'
import type { OrderRecord } from '../../schemas/order-record.ts'
import type { OrderEvent, OrderEventOf } from '../events/order-events.ts'
import { type MachineEffect, stepMachine } from './step-machine.ts'

/** What one event did to one order. */
export interface OrderStep {
  order: OrderRecord
  /** Null when nothing changed that the log must record. */
  change: ChangeRecord | null
  outcomes: OutcomeRecord[]
  /** The order has a new question: the host must ask it. */
  asks: boolean
}

/**
 * Steps one order: pure. `before` is the order as logged, null when this event creates `order`.
 * XState decides; this turns its decision into records.
 */
export function stepOrder(
  before: OrderRecord | null,
  order: OrderRecord,
  received: OrderEvent,
  cause: Cause,
): OrderStep {
  const event = notBefore(order, received)
  const { order: stepped, effects } = stepMachine(order, event)
  const change = changeOf(before, stepped, event, cause)
  const sealed = change
    ? { ...stepped, updatedAt: change.observedAt, seq: change.seq, hash: change.hash }
    : stepped
  const answers = effects.flatMap((effect) => answersOf(effect, order, event))
  const outcomes = answers.map(
    ({ requestId, outcome }): OutcomeRecord => ({
      schema: LOG_SCHEMA,
      kind: 'outcome',
      requestId,
      orderId: order.id,
      outcome: outcome.status === 'done' ? { status: 'done', seq: sealed.seq } : outcome,
      cause,
    }),
  )
  return {
    order: sealed,
    change,
    outcomes,
    asks: effects.includes('askForEvidence'),
  }
}

/**
 * Several processes stamp events, and a clock may be set back: within an order no change is earlier
 * than the one before it, whose time is the order's `updatedAt`.
 */
const notBefore = ({ updatedAt }: OrderRecord, event: OrderEvent): OrderEvent =>
  event.at < updatedAt ? { ...event, at: updatedAt } : event

function changeOf(
  before: OrderRecord | null,
  after: OrderRecord,
  event: OrderEvent,
  cause: Cause,
): ChangeRecord | null {
  const diff = diffOrder(before, after)
  if (isEmptyDiff(diff)) return null
  const set = { ...diff.set, updatedAt: event.at }
  const isVerdict = event.type === 'EVIDENCE' && event.judgement.kind === 'verdict'
  const kind = before?.state !== after.state ? 'transition' : isVerdict ? 'verified' : 'noted'
  return sealChange({
    schema: LOG_SCHEMA,
    kind,
    orderId: after.id,
    outpoint: after.outpoint,
    seq: (before?.seq ?? 0) + 1,
    fromState: before?.state ?? null,
    toState: after.state,
    reason: kind === 'noted' ? notedReason(event) : after.reason,
    actor: actorOf(event, after),
    ...('operator' in event ? { operator: event.operator } : {}),
    ...('proof' in event ? { proof: event.proof } : {}),
    observedAt: event.at,
    cause,
    evidence: event.type === 'EVIDENCE' ? event.evidence : null,
    set,
    unset: diff.unset,
    prevHash: before?.hash ?? null,
  })
}

function actorOf(event: OrderEvent, order: OrderRecord): string {
  if (event.type === 'CREATE') return `import:${order.kept.source.source}`
  if (event.type === 'IMPORT') return `import:${event.claim.source.source}`
  if (event.type === 'HIDE' || event.type === 'UNHIDE') return 'operator'
  return event.type === 'WITHDRAW' ? event.by : 'reconciler'
}

type CommandAnswer = { requestId: string; outcome: Outcome }

const REFUSALS: Partial<Record<MachineEffect, { code: ErrorCode; message: string }>> = {
  refuseClaim: {
    code: 'TOO_MANY_CLAIMS',
    message: 'too many wrappers of this order wait to be verified: try again later',
  },
  refuseWithdrawal: {
    code: 'ORDER_NOT_WITHDRAWABLE',
    message: 'the offered output is spent: there is nothing left to withdraw',
  },
}

const DONE: Outcome = { status: 'done', seq: 0 }

function answersOf(
  effect: MachineEffect,
  { pending }: OrderRecord,
  event: OrderEvent,
): CommandAnswer[] {
  if (effect === 'answerVerdict' && event.type === 'EVIDENCE') {
    const refusal = refusalOf(event)
    return (pending?.requests ?? []).map(({ requestId, kind }) => ({
      requestId,
      outcome: kind === 'revalidate' && refusal ? refusal : DONE,
    }))
  }
  if (effect === 'answerWaiting') {
    const waiting = [...(pending?.requests ?? []), ...(pending?.late ?? [])]
    return waiting.map(({ requestId }) => ({ requestId, outcome: DONE }))
  }
  if (!('requestId' in event)) return []
  const { requestId } = event
  const refusal = REFUSALS[effect]
  if (refusal) return [{ requestId, outcome: { status: 'refused', ...refusal } }]
  return effect === 'answerDone' ? [{ requestId, outcome: DONE }] : []
}

/** A requested recheck needs both authorities; an import accepts PENDING as an answer. */
function refusalOf({ judgement }: OrderEventOf<'EVIDENCE'>): Outcome | null {
  if (judgement.kind === 'discarded' || judgement.kind === 'ahead') return null
  if (judgement.away === null) return null
  const reason = judgement.kind === 'away' ? judgement.reason : judgement.verdict.reason
  return judgement.away === 'node'
    ? {
        status: 'refused',
        code: 'NODE_UNAVAILABLE',
        message: `the full node gives no answer: ${reason}`,
      }
    : {
        status: 'refused',
        code: 'ASSET_INDEX_UNAVAILABLE',
        message: `the asset index gives no answer: ${reason}`,
      }
}

const REASONS: Partial<Record<OrderEvent['type'], { reason: string }>> = NOTED_REASONS

/** Throws for an event that by itself changes nothing the log must record. */
export function notedReason({ type }: OrderEvent): string {
  const noted = REASONS[type]
  if (!noted) throw new Error(`${type} changed an order without a transition`)
  return noted.reason
}
