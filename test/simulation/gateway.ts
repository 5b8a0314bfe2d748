import { partitionOf } from '../../src/domain/order/partition.ts'
import type { Gateway as Front } from '../../src/gateway/gateway.ts'
import { submitOrPool } from '../../src/gateway/intake/take-claim.ts'
import { RefusalError } from '../../src/gateway/refusal.ts'
import { StorageUnavailableError } from '../../src/ports/log/storage-errors.ts'
import { type CommandRecord, LOG_SCHEMA, TOPICS } from '../../src/schemas/log.ts'
import type { OfferClaim } from '../../src/schemas/order-record.ts'
import type { OrderId, OutpointText } from '../../src/schemas/scalars.ts'
import { claimedId } from './book.ts'
import type { Service } from './service.ts'
import { PARTITIONS, type World } from './world.ts'

type Ask =
  | { command: 'import'; claim: OfferClaim }
  | { command: 'revalidate' }
  | { command: 'withdraw'; by: 'seller' | 'operator' }

const RETRY_MS = 2_000
/** How often a client repeats what was not accepted. */
const TRIES = 4
/** An answer that the views lost between its outcome and its reading: the client retries. */
const LOST_VIEW = 'has an outcome and no view'

/** Clients of the service: they remember what was acknowledged, and retry what was not. */
export class Gateway {
  /** Commands that the log acknowledged, by request id. */
  readonly acknowledged = new Map<string, CommandRecord>()
  /** Records that no worker can read, as they were appended. */
  readonly poison: { partition: number; value: unknown }[] = []
  readonly #world: World
  readonly #service: Service

  constructor(world: World, service: Service) {
    this.#world = world
    this.#service = service
    service.onAppended = (command) => this.acknowledged.set(command.requestId, command)
  }

  /** Straight into the log: what a publish or a feed has examined. */
  send(orderId: OrderId, outpoint: OutpointText, ask: Ask): void {
    const process = this.#service.process('gateway')
    if (!process?.isAlive) return
    const at = new Date(process.clock.now()).toISOString()
    const requestId = this.#world.newRequestId()
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
        this.#world.scheduler.after(RETRY_MS, 'a client tries again', retry)
      })
  }

  /** By the public route: the node is asked first. */
  bring(claim: OfferClaim, client: string, tries = TRIES): void {
    const front = this.#service.front
    if (!front) return
    this.#world.poolWatch.brought(claimedId(claim))
    this.#take(front, claim, client).catch((error: unknown) => {
      this.#world.monitor.expected(error)
      const retry = () => this.bring(claim, client, tries - 1)
      if (tries > 1) this.#world.scheduler.after(RETRY_MS, 'a client sends it again', retry)
    })
  }

  async #take(front: Front, claim: OfferClaim, client: string): Promise<void> {
    const { artifact, inspection, offer, claimedPrevout, ...saying } = claim
    const { digest } = inspection
    const inspected = { artifact, inspection, offer, claimedPrevout, digest }
    await submitOrPool(front, { inspected, saying }, client, new AbortController().signal)
  }

  /** Foreign writes into the inbox: no worker can process them, and all continue. */
  poisonInbox(value: unknown, partition: number): void {
    this.#world.log.append([{ topic: TOPICS.inbox, partition, key: 'poison', value }])
    this.poison.push({ partition, value })
  }
}

/** What a gateway may answer under faults. */
export const isAnswer = (error: unknown): boolean =>
  error instanceof RefusalError ||
  error instanceof StorageUnavailableError ||
  (error instanceof Error && error.message.endsWith(LOST_VIEW))
