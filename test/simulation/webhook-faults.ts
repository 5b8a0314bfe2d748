import type { WebhookFault } from './faults.ts'
import { SENDERS, type Service } from './service.ts'
import type { EndpointTrouble } from './webhook-endpoint.ts'
import type { WebhookWorld } from './webhook-world.ts'
import { PARTITIONS, type World } from './world.ts'
import { drawSkew } from './world-faults.ts'

const TROUBLE_MS = 90_000
const PAUSE_MS = 60_000

/** Does one fault of the webhooks, and mends it later. */
export class WebhookFaults {
  readonly #world: World
  readonly #service: Service
  readonly #webhooks: WebhookWorld

  constructor(world: World, service: Service, webhooks: WebhookWorld) {
    this.#world = world
    this.#service = service
    this.#webhooks = webhooks
  }

  happen(fault: WebhookFault): void {
    if (this.#deeds[fault]()) this.#world.faults.happened(fault)
  }

  /** The endpoint answers, and what failed is sent again. */
  heal(): void {
    this.#webhooks.endpoint.trouble = null
    if (this.#webhooks.watch.left > 0) this.#webhooks.retry()
  }

  readonly #deeds: Record<WebhookFault, () => boolean> = {
    'sender killed': () => {
      this.#service.kill(this.#world.dice.of(SENDERS))
      return true
    },
    'sender stopped': () => {
      this.#service.stop(this.#world.dice.of(SENDERS))
      return true
    },
    'sender clock stepped': () => {
      const { dice } = this.#world
      this.#service.stepClock(dice.of(SENDERS), drawSkew(dice))
      return true
    },
    'partition of a sender moved': () => {
      this.#webhooks.group.move(this.#world.dice.below(PARTITIONS))
      return true
    },
    'sender not told that it lost its partitions': () =>
      this.#webhooks.group.pause(1_000 + this.#world.dice.below(40_000)),
    'endpoint away': () => this.#trouble('away'),
    'endpoint hangs': () => this.#trouble('hangs'),
    'endpoint answers 500': () => this.#trouble('answers 500'),
    'endpoint answers slowly': () => this.#trouble('answers slowly'),
    'endpoint asks for time': () => this.#trouble('asks for time'),
    'endpoint redirects': () => this.#trouble('redirects'),
    'endpoint is gone': () => this.#trouble('is gone', () => this.#webhooks.retry()),
    'endpoint fails for a day': () => {
      const { dice } = this.#world
      const begun = this.#trouble(dice.of(['away', 'hangs', 'answers 500'] as const))
      if (begun) this.#later(TROUBLE_MS / 2, () => this.#webhooks.passDay())
      return begun
    },
    'operator retries': () => {
      this.#webhooks.retry()
      return true
    },
    'operator pauses': () => {
      this.#webhooks.pause()
      this.#later(PAUSE_MS, () => this.#webhooks.retry())
      return true
    },
  }

  #trouble(trouble: EndpointTrouble, mended = () => {}): boolean {
    const { endpoint } = this.#webhooks
    if (endpoint.trouble) return false
    endpoint.trouble = trouble
    this.#later(TROUBLE_MS, () => {
      endpoint.trouble = null
      mended()
    })
    return true
  }

  #later(ms: number, then: () => void): void {
    const { scheduler, dice } = this.#world
    scheduler.after(dice.below(ms), 'the endpoint mends', then)
  }
}
