import { setMaxListeners } from 'node:events'
import PQueue from 'p-queue'
import { distinctUntilChanged, map, type Observable } from 'rxjs'
import type { EventLog } from '../../ports/log/event-log.ts'
import type { PartitionShares } from '../../ports/log/partition-shares.ts'
import type { WebhookProgress } from '../../ports/webhooks/webhook-progress.ts'
import type { WebhookTransport } from '../../ports/webhooks/webhook-transport.ts'
import { backoffMs } from '../../runtime/backoff.ts'
import { aborted } from '../../runtime/until-aborted.ts'
import { readChanges } from '../../streams/activity/follow-changes.ts'
import type {
  NextChanges,
  RecentChange,
  RecentChanges,
} from '../../streams/activity/recent-changes.ts'
import { type Latest, watchLatest } from '../../streams/operators/watch-latest.ts'
import type { Gateway } from '../gateway.ts'
import {
  ChangedOrders,
  type FollowedOrders,
  mayConcern,
  tellingFor,
} from '../streaming/changed-orders.ts'
import { type DeliveryEvent, DeliveryMovedError, deliverPartition } from './partition-delivery.ts'
import { followedBy } from './webhook-filter.ts'
import { followWebhooks, recordWebhooks, type Webhook } from './webhook-registry.ts'
import { secretsOf, type WebhookSecrets } from './webhook-signing.ts'

export interface WebhookSending {
  gateway: Pick<Gateway, 'views' | 'clock' | 'settings'>
  log: EventLog
  changes: Observable<RecentChanges>
  shares: PartitionShares
  progress: WebhookProgress
  transport: WebhookTransport
  secrets: WebhookSecrets
  random(): number
  onEvent(webhook: string, partition: number, event: DeliveryEvent | { did: 'gone' | 'end' }): void
  /** A delivery stopped, and is restarted soon: `SecretUnknownError`, or what a store threw. */
  onFault(webhook: string, fault: unknown): void
}

/** Deliveries to one endpoint at once: none can take more of this process than this. */
const AT_ONCE = 4
/** Changes that a delivery holds. */
const STEP = 50
/** An idle delivery checks again after this long at the latest, milliseconds. */
const IDLE_MS = 10_000
/** A delivery that failed restarts after this long, and longer each time, milliseconds. */
const RESTART = { firstMs: 1_000, lastMs: 30_000 }
const STEADY_MS = 60_000
const VIEWS_RETRY = { firstMs: 25, lastMs: 1_000 }

/** This process has no secret of the endpoint. */
export class SecretUnknownError extends Error {
  override name = 'SecretUnknownError'
}

/**
 * Sends the changes of this process's partitions to every endpoint, until the signal aborts: a delivery
 * for each endpoint and partition, none of which waits for another. Recent changes are in memory
 * once for all deliveries; a delivery that fell behind them reads the log.
 */
export async function sendWebhooks(sending: WebhookSending, signal: AbortSignal): Promise<void> {
  const stop = new AbortController()
  const either = AbortSignal.any([signal, stop.signal])
  setMaxListeners(0, either)
  const sender = new Sender(sending)
  const loops = [
    followWebhooks(sending.log, (webhooks) => sender.show(webhooks), either),
    sending.shares.share((partition, own) => sender.own(partition, own), either),
  ]
  try {
    await Promise.race(loops)
  } finally {
    stop.abort()
    await sender.end()
    await Promise.allSettled(loops)
  }
}

interface RunningDelivery {
  webhook: Webhook
  stop: AbortController
  done: Promise<void>
}

class Sender {
  readonly #sending: WebhookSending
  readonly #changed: ChangedOrders
  readonly #senders = new Map<string, PQueue>()
  readonly #deliveries = new Map<string, RunningDelivery>()
  readonly #ending = new Map<string, Promise<void>>()
  /** One delivery at a time reads the log: in Kafka each such read has its own consumer. */
  readonly #behind = new PQueue({ concurrency: 1 })
  /** Our partitions, each with the signal that it is ours until. */
  readonly #owned = new Map<number, AbortSignal>()
  readonly #forgotten = new Set<string>()
  #webhooks: ReadonlyMap<string, Webhook> = new Map()

  constructor(sending: WebhookSending) {
    this.#sending = sending
    this.#changed = new ChangedOrders(sending.gateway)
  }

  show(webhooks: ReadonlyMap<string, Webhook>): void {
    this.#webhooks = webhooks
    void this.#settle()
    for (const webhook of webhooks.values()) if (webhook.deletedAt !== null) this.#forget(webhook)
  }

  /** Sends the changes of a partition until the signal aborts. */
  async own(partition: number, signal: AbortSignal): Promise<void> {
    this.#owned.set(partition, signal)
    void this.#settle()
    await aborted(signal)
    // It may have been assigned to us again before this.
    if (this.#owned.get(partition) === signal) this.#owned.delete(partition)
    await this.#settle()
  }

  async end(): Promise<void> {
    this.#owned.clear()
    await this.#settle()
    await Promise.all(this.#ending.values())
  }

  /**
   * Keeps deliveries for the endpoints to send to in our partitions; resolves when the others have
   * ended.
   */
  async #settle(): Promise<void> {
    const ending: Promise<void>[] = []
    for (const [key, delivery] of this.#deliveries) {
      const [partition = 0] = key.split(' ').map(Number)
      const isSame = sameWebhook(this.#webhooks.get(delivery.webhook.name), delivery.webhook)
      if (isSame && this.#owned.has(partition)) continue
      delivery.stop.abort()
      this.#deliveries.delete(key)
      ending.push(delivery.done)
      this.#ending.set(key, delivery.done)
      void delivery.done.then(() => {
        if (this.#ending.get(key) === delivery.done) this.#ending.delete(key)
      })
    }
    for (const webhook of this.#webhooks.values()) {
      if (webhook.deletedAt !== null || webhook.paused !== null) continue
      for (const partition of this.#owned.keys()) {
        const key = `${partition} ${webhook.name}`
        if (!this.#deliveries.has(key))
          this.#deliveries.set(key, this.#begin(key, webhook, partition))
      }
    }
    await Promise.all(ending)
  }

  /** Starts once the previous delivery under this key has ended. */
  #begin(key: string, webhook: Webhook, partition: number): RunningDelivery {
    const stop = new AbortController()
    setMaxListeners(0, stop.signal)
    const before = this.#ending.get(key) ?? Promise.resolve()
    const done = before.then(() => this.#keepRunning(webhook, partition, stop.signal))
    return { webhook, stop, done }
  }

  async #keepRunning(webhook: Webhook, partition: number, signal: AbortSignal): Promise<void> {
    const { onFault, onEvent, gateway, changes } = this.#sending
    const { clock } = gateway
    const latest = watchLatest(ofPartition(changes, partition), clock, signal)
    let failures = 0
    while (!signal.aborted) {
      const begun = clock.monotonic()
      try {
        await this.#run(webhook, partition, latest, signal)
      } catch (error) {
        const isMoved = error instanceof DeliveryMovedError
        if (!isMoved && !signal.aborted) onFault(webhook.name, error)
        if (isMoved || clock.monotonic() - begun > STEADY_MS) failures = 0
        await clock.sleep(backoffMs(failures, RESTART), signal)
        failures += 1
      }
    }
    onEvent(webhook.name, partition, { did: 'end' })
  }

  async #run(
    webhook: Webhook,
    partition: number,
    latest: Latest<RecentChanges>,
    signal: AbortSignal,
  ): Promise<void> {
    const { gateway, log, progress, transport, random, onEvent, secrets } = this.#sending
    const { clock } = gateway
    const followed = followedBy(gateway, webhook.filter)
    const secretsNow = (): readonly string[] => {
      const known = secretsOf(webhook, secrets, clock.now())
      if (!known) throw new SecretUnknownError(`the secret of ${webhook.name} is not known here`)
      return known
    }
    secretsNow()
    await deliverPartition(
      {
        ...{ webhook, partition, clock, progress, transport, random },
        ...this.#changesOf(partition, latest),
        changeAt: async (offset) => {
          const read = () => readChanges(log, { partition, from: offset, most: 1 })
          const { changes } = await this.#behind.add(read)
          const [change] = changes
          return change?.offset === offset ? change : null
        },
        textOf: async (change, aborted) =>
          mayConcern(change, followed) ? await this.#textOf(change, followed, aborted) : null,
        secrets: secretsNow,
        queued: (work) => this.#sendersOf(webhook.name).add(work),
        onGone: async () => {
          const at = new Date(clock.now()).toISOString()
          const { name, generation } = webhook
          const pause = { kind: 'pause', isPaused: true, why: 'gone' } as const
          await recordWebhooks(log, [{ schema: 1, ...pause, name, generation, at }])
          onEvent(name, partition, { did: 'gone' })
        },
        onEvent: (event) => onEvent(webhook.name, partition, event),
      },
      signal,
    )
  }

  #changesOf(partition: number, latest: Latest<RecentChanges>) {
    const lagOf = (next: number): number =>
      Math.max(0, (latest.value?.endOf(partition) ?? next) - next)
    const changes = async (from: number): Promise<NextChanges> => {
      const recent = latest.value
      const next = recent?.ofPartition(partition, from, STEP)
      if (next && next.next > from) return next
      if (recent && !next) {
        const { log } = this.#sending
        return await this.#behind.add(() => readChanges(log, { partition, from, most: STEP }))
      }
      await latest.changed(IDLE_MS)
      return { changes: [], next: from }
    }
    return { lagOf, changes }
  }

  async #textOf(
    change: RecentChange,
    followed: FollowedOrders,
    signal: AbortSignal,
  ): Promise<string | null> {
    const { clock } = this.#sending.gateway
    for (let looks = 0; !signal.aborted; looks += 1) {
      const changed = await this.#changed.of(change)
      if (changed) {
        const telling = tellingFor(changed, followed)
        return telling && changed.text(telling)
      }
      await clock.sleep(backoffMs(looks, VIEWS_RETRY), signal)
    }
    return null
  }

  #sendersOf(name: string): PQueue {
    const senders = this.#senders.get(name) ?? new PQueue({ concurrency: AT_ONCE })
    this.#senders.set(name, senders)
    return senders
  }

  #forget({ name, generation }: Webhook): void {
    const { progress, onFault } = this.#sending
    const key = `${name} ${generation}`
    if (this.#forgotten.has(key)) return
    this.#forgotten.add(key)
    progress.forget({ name, generation }).catch((error: unknown) => {
      this.#forgotten.delete(key)
      onFault(name, error)
    })
  }
}

/** What is emitted for other partitions too, only where this one has been read further. */
const ofPartition = (
  changes: Observable<RecentChanges>,
  partition: number,
): Observable<RecentChanges> =>
  changes.pipe(
    map((recent) => ({ recent, end: recent.endOf(partition) })),
    distinctUntilChanged((one, other) => one.recent === other.recent && one.end === other.end),
    map(({ recent }) => recent),
  )

const sameWebhook = (one: Webhook | undefined, other: Webhook): boolean =>
  JSON.stringify(one) === JSON.stringify(other)
