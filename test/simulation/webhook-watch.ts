import { activityId } from '../../src/domain/order/activity.ts'
import type { NewRecord } from '../../src/ports/log/event-log.ts'
import type { WebhookPost } from '../../src/ports/webhooks/webhook-transport.ts'
import { type ChangeRecord, TOPICS } from '../../src/schemas/log.ts'
import { WebhookEvent } from '../../src/schemas/webhooks/webhook-api.ts'
import type { DeliveryProgress } from '../../src/schemas/webhooks/webhook-records.ts'
import type { Violated, Violation } from './monitor.ts'

/** What an order's changes came to at the endpoint. */
interface Story {
  partition: number
  /** The seqs that are sent, in their order. */
  told: number[]
  arrived: Set<number>
}

/** Holds what arrives at the endpoint against the log: nothing is lost, and each order has its order. */
export class WebhookWatch {
  readonly #violated: Violated
  readonly #deliveries: () => ReadonlyMap<number, DeliveryProgress>
  readonly #stories = new Map<string, Story>()
  #waiting = 0

  constructor(violated: Violated, deliveries: () => ReadonlyMap<number, DeliveryProgress>) {
    this.#violated = violated
    this.#deliveries = deliveries
  }

  appended({ topic, partition, value }: NewRecord): void {
    if (topic !== TOPICS.lifecycle) return
    const change = value as ChangeRecord
    const { orderId, seq } = change
    if (seq === undefined || isRenewal(change)) return
    const story = this.#stories.get(orderId) ?? { partition, told: [], arrived: new Set() }
    story.told.push(seq)
    this.#waiting += 1
    this.#stories.set(orderId, story)
  }

  arrived({ headers, body }: WebhookPost): void {
    const { data } = WebhookEvent.parse(JSON.parse(body))
    const { orderId, seq } = data
    const story = this.#stories.get(orderId)
    const isNamed = headers['webhook-id'] === activityId(orderId, seq)
    if (!isNamed || !story?.told.includes(seq)) {
      this.#violated('webhook', `${orderId} seq ${seq} arrived and never happened`)
      return
    }
    if (story.arrived.has(seq)) return
    const missing = story.told.find(
      (one) => one < seq && !story.arrived.has(one) && !this.#isDead(orderId, one, story),
    )
    if (missing !== undefined)
      this.#violated('webhook', `${orderId} seq ${seq} arrived before seq ${missing}`)
    story.arrived.add(seq)
    this.#waiting -= 1
  }

  /** Changes that have not arrived, and dead letters: what is left to be sent. */
  get left(): number {
    return this.#waiting + [...this.#deliveries().values()].flatMap(({ dead }) => dead).length
  }

  get violationsAtRest(): Violation[] {
    return [...this.#stories].flatMap(([orderId, { told, arrived }]) => {
      const missing = told.find((seq) => !arrived.has(seq))
      const what = `${orderId} seq ${missing} never arrived`
      return missing === undefined ? [] : [{ invariant: 'webhook', what }]
    })
  }

  /** A dead letter comes late, and out of order. */
  #isDead(orderId: string, seq: number, { partition }: Story): boolean {
    const dead = this.#deliveries().get(partition)?.dead ?? []
    return dead.some((letter) => letter.orderId === orderId && letter.seq === seq)
  }
}

/** A verification that says of the order what was said before. */
const isRenewal = ({ kind, set, unset }: ChangeRecord): boolean =>
  kind === 'verified' && [...Object.keys(set), ...unset].every((field) => SAID_ANEW.has(field))

const SAID_ANEW = new Set([
  ...['verifiedAt', 'updatedAt', 'validation', 'anchor'],
  ...['outputBlock', 'indexProof', 'settlement', 'claims', 'proved'],
])
