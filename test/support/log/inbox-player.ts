import { newOrder } from '../../../src/actors/order/changes/new-order.ts'
import type { EventLog } from '../../../src/ports/log/event-log.ts'
import type { OrderViews } from '../../../src/ports/views/order-views.ts'
import type { ErrorCode } from '../../../src/schemas/api/errors.ts'
import { CommandRecord, LOG_SCHEMA, type Outcome, TOPICS } from '../../../src/schemas/log.ts'
import type { OrderRecord } from '../../../src/schemas/order-record.ts'
import type { Network } from '../../../src/schemas/scalars.ts'
import { viewsOf } from '../orders/view-orders.ts'

/** What an actor makes of an import at first: a new order, unless said otherwise. */
export function orderFrom(
  command: CommandRecord,
  network: Network,
  changes: Partial<OrderRecord> = {},
): OrderRecord {
  if (command.command !== 'import') throw new Error(`no import: ${command.command}`)
  return { ...newOrder(command.orderId, network, command), ...changes }
}

/**
 * The actor as a test plays it: it reads the commands that a gateway wrote to the real inbox, and
 * writes outcomes to the real views when and as the test says.
 */
export class InboxPlayer {
  readonly #views: OrderViews
  readonly #stop = new AbortController()
  readonly #taken: CommandRecord[] = []
  readonly #arrived: CommandRecord[] = []
  readonly #wanted: ((command: CommandRecord) => void)[] = []

  constructor(log: EventLog, views: OrderViews) {
    this.#views = views
    for (let partition = 0; partition < log.partitions; partition += 1) {
      void this.#listen(log, partition)
    }
  }

  async #listen(log: EventLog, partition: number): Promise<void> {
    try {
      for await (const batch of log.read(TOPICS.inbox, partition, 0, this.#stop.signal)) {
        for (const { value } of batch) this.#arrive(CommandRecord.parse(value))
      }
    } catch (error) {
      if (!this.#stop.signal.aborted) throw error
    }
  }

  #arrive(command: CommandRecord): void {
    const wanted = this.#wanted.shift()
    if (wanted) wanted(command)
    else this.#arrived.push(command)
  }

  /** The next command, left unanswered. */
  async next(): Promise<CommandRecord> {
    const command =
      this.#arrived.shift() ??
      (await new Promise<CommandRecord>((resolve) => this.#wanted.push(resolve)))
    this.#taken.push(command)
    return command
  }

  async refuseNext(code: ErrorCode | string, message: string): Promise<CommandRecord> {
    const command = await this.next()
    await this.#answer(command, { status: 'refused', code, message })
    return command
  }

  /** Every command that was read and not answered. */
  async refuseAll(code: ErrorCode, message: string): Promise<void> {
    for (const command of [...this.#taken]) {
      await this.#answer(command, { status: 'refused', code, message })
    }
  }

  /** Executes the next command; `order` is the result. */
  async doNext(order: OrderRecord): Promise<CommandRecord> {
    const command = await this.next()
    await this.finish(command, order)
    return command
  }

  async finish(command: CommandRecord, order: OrderRecord): Promise<void> {
    await viewsOf(this.#views).put(order)
    await this.#answer(command, { status: 'done', seq: order.seq })
  }

  async #answer(command: CommandRecord, outcome: Outcome): Promise<void> {
    this.#taken.splice(this.#taken.indexOf(command), 1)
    const cause = { partition: 0, offset: 0, kind: 'command', requestId: command.requestId }
    const { requestId, orderId } = command
    await this.#views.apply({
      partition: 0,
      nextOffset: 0,
      records: [{ schema: LOG_SCHEMA, kind: 'outcome', requestId, orderId, outcome, cause }],
    })
  }

  close(): void {
    this.#stop.abort()
  }
}
