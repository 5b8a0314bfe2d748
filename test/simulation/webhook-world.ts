import { createWebhook } from '../../src/gateway/webhooks/hand-out-secrets.ts'
import {
  pauseWebhook,
  retryWebhook,
  type WebhookOffice,
} from '../../src/gateway/webhooks/manage-webhooks.ts'
import { sendWebhooks } from '../../src/gateway/webhooks/send-webhooks.ts'
import type { EventLog } from '../../src/ports/log/event-log.ts'
import { StorageUnavailableError } from '../../src/ports/log/storage-errors.ts'
import type { OrderViews } from '../../src/ports/views/order-views.ts'
import { gatewaySettings } from '../../src/roles/parts/gateway.ts'
import { Config } from '../../src/schemas/config/config.ts'
import { CreateWebhook } from '../../src/schemas/webhooks/webhook-api.ts'
import { followChanges } from '../../src/streams/activity/follow-changes.ts'
import { Group, whileAssigned } from './group.ts'
import type { LogClient } from './log-client.ts'
import type { Violated } from './monitor.ts'
import type { Process } from './process.ts'
import type { Scheduler } from './scheduler.ts'
import { SimEndpoint, transportOf } from './webhook-endpoint.ts'
import { progressOf, SimWebhookProgress } from './webhook-progress.ts'
import { WebhookWatch } from './webhook-watch.ts'

const ENDPOINT = CreateWebhook.parse({
  name: 'all',
  url: 'https://hooks.example/orders',
  filter: { includeWithdrawn: true },
})
const KEY = new Uint8Array(32).fill(9)
const SETTINGS = gatewaySettings(Config.parse({}))
/** So few that senders also read what is no longer kept. */
const LIMITS = { kept: 32, readBack: 8, lingerMs: 0, mostRetryMs: 5_000 }

/** An endpoint that is sent every change, those who send, and the operator who looks after it. */
export class WebhookWorld {
  readonly group: Group
  readonly progress = new SimWebhookProgress()
  readonly endpoint: SimEndpoint
  readonly watch: WebhookWatch
  readonly #scheduler: Scheduler
  readonly #violated: Violated
  #operator: Promise<WebhookOffice> | null = null

  constructor(partitions: number, scheduler: Scheduler, violated: Violated) {
    this.#scheduler = scheduler
    this.#violated = violated
    this.group = new Group(partitions, scheduler)
    const deliveries = () => this.progress.deliveries({ name: ENDPOINT.name, generation: 1 })
    this.watch = new WebhookWatch(violated, deliveries)
    this.endpoint = new SimEndpoint(scheduler, (post) => this.watch.arrived(post))
  }

  /** An operator, to whom nothing happens, creates the endpoint before anything is written. */
  open(operator: Process, log: EventLog): void {
    const office = {
      log,
      progress: progressOf(this.progress, operator),
      clock: operator.clock,
      settings: SETTINGS,
      keys: [KEY],
      loopback: false,
      lookUp: async () => [],
    }
    this.#operator = createWebhook(office, ENDPOINT).then(() => office)
  }

  /** What fails has failed for a day: it is given up when it fails again. */
  passDay(): void {
    this.progress.passDay()
  }

  /** Everything that failed is sent again, also by an endpoint that was paused. */
  retry(): void {
    this.#does((office) => pauseWebhook(office, ENDPOINT.name, false))
    this.#does((office) => retryWebhook(office, ENDPOINT.name))
  }

  pause(): void {
    this.#does((office) => pauseWebhook(office, ENDPOINT.name, true))
  }

  /** What the role does, until the signal aborts. */
  sender(
    process: Process,
    { log, views }: { log: LogClient; views: OrderViews },
  ): (signal: AbortSignal) => Promise<void> {
    const { dice } = this.#scheduler
    const { clock } = process
    const sending = {
      gateway: { views, clock, settings: SETTINGS },
      log,
      changes: followChanges({
        log,
        clock,
        onFailure: (error) => this.#expected(error),
        limits: LIMITS,
      }),
      shares: {
        share: (
          work: (partition: number, signal: AbortSignal) => Promise<void>,
          signal: AbortSignal,
        ) =>
          whileAssigned(
            this.group,
            process,
            (partition, _generation, stop) => work(partition, stop.signal),
            signal,
          ),
      },
      progress: progressOf(this.progress, process),
      transport: transportOf(this.endpoint, process),
      secrets: { keys: [KEY], configured: new Map() },
      random: () => dice.below(1_000) / 1_000,
      onEvent: () => {},
      onFault: (_webhook: string, fault: unknown) => this.#expected(fault),
    }
    return (signal) => sendWebhooks(sending, signal)
  }

  #does(deed: (office: WebhookOffice) => Promise<unknown>): void {
    this.#operator
      ?.then(deed)
      .catch((error: unknown) =>
        this.#violated('fault', `an operator of webhooks failed: ${String(error)}`),
      )
  }

  #expected(fault: unknown): void {
    if (!(fault instanceof StorageUnavailableError))
      this.#violated('fault', `a sender of webhooks failed: ${String(fault)}`)
  }
}
