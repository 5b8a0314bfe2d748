import { partitionOf } from '../../src/domain/partition.ts'
import { type CommandRecord, LOG_SCHEMA, TOPICS } from '../../src/schemas/log.ts'
import type { OfferClaim } from '../../src/schemas/order-record.ts'
import type { Service } from './service.ts'
import { PARTITIONS, type World } from './world.ts'

type Ask =
  | { command: 'import'; claim: OfferClaim }
  | { command: 'revalidate' }
  | { command: 'withdraw'; by: 'seller' | 'operator' }

/** Clients of the service: they remember what was acknowledged, and try again what was not. */
export class Gateway {
  /** Commands that the log acknowledged, by request id. */
  readonly acknowledged = new Map<string, CommandRecord>()
  /** Records that no worker can read, as they were appended. */
  readonly poison: { partition: number; value: unknown }[] = []
  readonly #world: World
  readonly #service: Service
  #requests = 0

  constructor(world: World, service: Service) {
    this.#world = world
    this.#service = service
  }

  send(orderId: string, outpoint: string, ask: Ask): void {
    const process = this.#service.process('gateway')
    if (!process?.isAlive) return
    const at = new Date(process.clock.now()).toISOString()
    const requestId = `request ${++this.#requests}`
    const common = {
      schema: LOG_SCHEMA,
      kind: 'command',
      requestId,
      orderId,
      outpoint,
      at,
    } as const
    const value: CommandRecord = { ...common, ...ask }
    const partition = partitionOf(outpoint, PARTITIONS)
    this.#service
      .log(process)
      .append([{ topic: TOPICS.inbox, partition, key: outpoint, value }])
      .then(() => this.acknowledged.set(requestId, value))
      // Whether it was taken is unknown: the client asks again, in a request of its own.
      .catch(() => {
        const retry = () => this.send(orderId, outpoint, ask)
        this.#world.scheduler.after(2_000, 'a client tries again', retry)
      })
  }

  /** What somebody else wrote into the inbox: nobody can take it, and everybody goes on. */
  poisonInbox(value: unknown, partition: number): void {
    this.#world.log.append([{ topic: TOPICS.inbox, partition, key: 'poison', value }])
    this.poison.push({ partition, value })
  }
}
