import { activityId } from '../../domain/order/activity.ts'
import {
  afterDelivery,
  afterFailure,
  afterLateDelivery,
  afterLateFailure,
  retryAfterOf,
  timeAfter,
  waitOf,
  withoutDead,
} from '../../domain/webhooks/retry-rules.ts'
import { signedHeaders } from '../../domain/webhooks/webhook-secrets.ts'
import type { WebhookProgress } from '../../ports/webhooks/webhook-progress.ts'
import type { WebhookTransport } from '../../ports/webhooks/webhook-transport.ts'
import type { Clock } from '../../runtime/clock.ts'
import type { DeadDelivery, DeliveryProgress } from '../../schemas/webhooks/webhook-records.ts'
import type { NextChanges, RecentChange } from '../../streams/activity/recent-changes.ts'
import type { Webhook } from './webhook-registry.ts'

/** What one delivery needs. */
export interface DeliveryParts {
  webhook: Webhook
  partition: number
  clock: Clock
  progress: WebhookProgress
  transport: WebhookTransport
  /** From 0 to 1. */
  random(): number
  /** The next changes from an offset on; waits until there is something, or for some seconds. */
  changes(from: number, signal: AbortSignal): Promise<NextChanges>
  /** Records from an offset to the end of the partition. */
  lagOf(next: number): number
  /** The change at an offset; null if there is none. */
  changeAt(offset: number): Promise<RecentChange | null>
  /** The JSON of a change for this endpoint; null if it is not for it. Waits for the views. */
  textOf(change: RecentChange, signal: AbortSignal): Promise<string | null>
  /** Secrets that sign now. */
  secrets(): readonly string[]
  /** Deliveries of one endpoint queue for these. */
  queued<T>(work: () => Promise<T>): Promise<T>
  /** Called when the endpoint wants no more changes. */
  onGone(): Promise<void>
  onEvent(event: DeliveryEvent): void
}

export type DeliveryEvent =
  | { did: 'deliver' | 'recover'; change: DeliveredChange }
  | {
      did: 'fail' | 'die'
      change: DeliveredChange
      reason: string
      attempts: number
      retryAt: string
    }
  | {
      did: 'reach'
      /** Records of the log behind its end, as far as this process has read it. */
      lag: number
      dead: number
      /** Unix milliseconds. */
      failingSince: number | null
    }

/** A change, by its place and its order. */
export type DeliveredChange = Pick<DeadDelivery, 'partition' | 'offset' | 'orderId' | 'seq'>

/** Another process has moved this delivery. */
export class DeliveryMovedError extends Error {
  override name = 'DeliveryMovedError'
}

/** A position that only skipped changes moved is stored this often, milliseconds. */
const SKIPPED_SAVED_MS = 5_000

/** How long a delivery waits to be ended after the endpoint answered that it is gone, milliseconds. */
const GONE_MS = 60_000

type Attempt =
  | { did: 'deliver' }
  | { did: 'gone' }
  | { did: 'fail'; reason: string; retryAfterMs: number | null }

/**
 * Delivers the changes of one partition to one endpoint, one after the other, each until it succeeds
 * or becomes a dead letter, until the signal aborts. Each delivery is stored before the next: after
 * a crash at most one change is sent again.
 *
 * @throws StorageUnavailableError, DeliveryMovedError: the delivery must be restarted
 */
export async function deliverPartition(parts: DeliveryParts, signal: AbortSignal): Promise<void> {
  const { webhook, partition, progress, clock } = parts
  const stored = (await progress.read(webhook)).get(partition)
  const delivery = new PartitionDelivery(parts, stored ?? firstOf(parts))
  // The record of the pause will end this delivery: it must not send again before that.
  if ((await delivery.retryDead(signal)) === 'gone') await clock.sleep(GONE_MS, signal)
  while (!signal.aborted) {
    await clock.sleep(delivery.waitMs(), signal)
    if (signal.aborted) return
    const { changes, next } = await parts.changes(delivery.next, signal)
    for (const change of changes) {
      if (signal.aborted) return
      const took = await delivery.take(change, signal)
      if (took === 'gone') await clock.sleep(GONE_MS, signal)
      if (took !== 'taken') break
    }
    await delivery.skipTo(changes, next)
  }
}

const firstOf = ({ webhook, partition }: DeliveryParts): DeliveryProgress => ({
  version: 0,
  next: webhook.from[partition] ?? 0,
  failing: null,
  dead: [],
  died: 0,
})

class PartitionDelivery {
  readonly #parts: DeliveryParts
  #at: DeliveryProgress
  #savedNext: number
  #savedAt: number
  /** An operator asked for an attempt at once, and none was made since. */
  #isAsked: boolean

  constructor(parts: DeliveryParts, at: DeliveryProgress) {
    const { askedAt } = parts.webhook
    this.#parts = parts
    this.#at = at
    this.#isAsked = at.failing !== null && askedAt !== null && askedAt > at.failing.lastAt
    this.#savedNext = at.next
    this.#savedAt = parts.clock.monotonic()
    this.#tell()
  }

  get next(): number {
    return this.#at.next
  }

  /** Until the next attempt, milliseconds. */
  waitMs(): number {
    return this.#isAsked ? 0 : waitOf(this.#at, this.#parts.clock.now())
  }

  /** `taken`: the next change may follow. */
  async take(change: RecentChange, signal: AbortSignal): Promise<'taken' | 'failed' | 'gone'> {
    const { onEvent } = this.#parts
    const text = await this.#parts.textOf(change, signal)
    if (signal.aborted) return 'failed'
    if (text === null) {
      this.#at = { ...this.#at, next: change.offset + 1 }
      return 'taken'
    }
    this.#isAsked = false
    const attempt = await this.#attempt(change, text, signal)
    if (signal.aborted) return 'failed'
    if (attempt.did === 'gone') return 'gone'
    if (attempt.did === 'deliver') {
      const wasFailing = this.#at.failing !== null
      await this.#save(afterDelivery(this.#at, change.offset))
      onEvent({ did: wasFailing ? 'recover' : 'deliver', change })
      return 'taken'
    }
    const at = this.#parts.clock.now()
    const random = this.#parts.random()
    const failed = { ...attempt, at, triedAt: this.#triedAt(), random }
    const { progress, isDead } = afterFailure(this.#at, placeOf(change), failed)
    await this.#save(progress)
    if (progress.failing) {
      const { reason, attempts, retryAt } = progress.failing
      onEvent({ did: isDead ? 'die' : 'fail', change, reason, attempts, retryAt })
    }
    return 'failed'
  }

  /** After a read: everything in it up to `next` that was not taken was not for this endpoint. */
  async skipTo(changes: readonly RecentChange[], next: number): Promise<void> {
    const last = changes.at(-1)
    const isAllTaken = !last || this.#at.next > last.offset
    if (isAllTaken && next > this.#at.next) this.#at = { ...this.#at, next }
    this.#tell()
    const isDue = this.#parts.clock.monotonic() - this.#savedAt >= SKIPPED_SAVED_MS
    if (isDue && this.#at.next > this.#savedNext) await this.#save(this.#at)
  }

  /** Sends each dead letter that an operator asked for once: late, and out of order. */
  async retryDead(signal: AbortSignal): Promise<'done' | 'gone'> {
    const { webhook, changeAt, textOf, onEvent } = this.#parts
    const wanted = this.#at.dead.filter(
      ({ at }) => webhook.retryAt !== null && at <= webhook.retryAt,
    )
    for (const letter of wanted) {
      const change = await changeAt(letter.offset)
      const text = change && (await textOf(change, signal))
      if (!change || text === null) {
        if (signal.aborted) return 'done'
        await this.#save(withoutDead(this.#at, letter))
        continue
      }
      const attempt = await this.#attempt(change, text, signal)
      if (signal.aborted) return 'done'
      if (attempt.did === 'gone') return 'gone'
      if (attempt.did === 'fail') {
        const tried = { ...attempt, triedAt: this.#triedAt() }
        await this.#save(afterLateFailure(this.#at, letter, tried))
        continue
      }
      const wasFailing = this.#at.failing !== null
      await this.#save(afterLateDelivery(this.#at, letter))
      onEvent({ did: wasFailing ? 'recover' : 'deliver', change: letter })
    }
    return 'done'
  }

  /** The time to note for an attempt: what an operator had asked before it is asked no more. */
  #triedAt(): string {
    const { webhook, clock } = this.#parts
    return timeAfter(webhook.askedAt, clock.now())
  }

  async #attempt(change: RecentChange, text: string, signal: AbortSignal): Promise<Attempt> {
    const { webhook, transport, clock, secrets, queued, onGone } = this.#parts
    const id = activityId(change.orderId, change.seq)
    const body = `{"type":"order.changed","timestamp":"${change.observedAt}","data":${text}}`
    const answer = await queued(() => {
      const signed = signedHeaders({ id, body, at: clock.now() }, secrets())
      const { name, url } = webhook
      const headers = { ...HEADERS, ...signed }
      return transport.post({ webhook: name, url, headers, body }, signal)
    })
    if (answer.did === 'fail') return { did: 'fail', reason: answer.trouble, retryAfterMs: null }
    const { status, retryAfter } = answer
    if (status >= 200 && status <= 299) return { did: 'deliver' }
    if (status === GONE && !signal.aborted) {
      await onGone()
      return { did: 'gone' }
    }
    return {
      did: 'fail',
      reason: `HTTP ${status}`,
      retryAfterMs: retryAfterOf(retryAfter, clock.now()),
    }
  }

  async #save(to: DeliveryProgress): Promise<void> {
    const { progress, webhook, partition, clock } = this.#parts
    const next = { ...to, version: this.#at.version + 1 }
    if (!(await progress.save(webhook, partition, next))) throw new DeliveryMovedError(webhook.name)
    this.#at = next
    this.#savedNext = next.next
    this.#savedAt = clock.monotonic()
    this.#tell()
  }

  #tell(): void {
    const { next, dead, failing } = this.#at
    this.#parts.onEvent({
      did: 'reach',
      lag: this.#parts.lagOf(next),
      dead: dead.length,
      failingSince: failing && Date.parse(failing.since),
    })
  }
}

const GONE = 410
const HEADERS = { 'content-type': 'application/json', 'user-agent': 'market-webhooks/1' }

const placeOf = ({ partition, offset, orderId, seq }: RecentChange): DeliveredChange => ({
  partition,
  offset,
  orderId,
  seq,
})
