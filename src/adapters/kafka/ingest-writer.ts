import { randomUUID } from 'node:crypto'
import type { KafkaMessage } from 'kafkajs'
import type { NewRecord } from '../../ports/event-log.ts'
import type {
  IngestChange,
  IngestCopy,
  IngestState,
  IngestStore,
} from '../../ports/ingest-store.ts'
import { decode, encode, type KafkaRecord } from './codec.ts'
import { WriterReplaced } from './errors.ts'
import { type ChangelogEntry, entriesOf, readEntry } from './ingest-changelog.ts'
import type { KafkaLog } from './log.ts'
import { OWN_TOPICS } from './topics.ts'
import { Transactions } from './transactions.ts'

/** The key under which a writer says who it is. */
const CLAIM = 'writer'

/**
 * The one writer of what happens to outputs. It takes its transactional id when it opens, so that
 * the one before it can write no more, and it keeps what the follower must know in the log itself:
 * the next one goes on from there, wherever it runs.
 */
export class IngestWriter implements IngestStore {
  readonly #log: KafkaLog
  readonly #copy: IngestCopy
  readonly #transactions: Transactions
  /** Which of all writers this process is; the last one that wrote it has the log. */
  readonly #name = randomUUID()
  #hasClaimed = false
  #offset = 0

  constructor(log: KafkaLog, copy: IngestCopy) {
    this.#log = log
    this.#copy = copy
    this.#transactions = new Transactions(log.kafka, `${log.prefix}market-ingest`)
  }

  get partitions(): number {
    return this.#log.partitions
  }

  /**
   * Takes over from whoever writes, the first time; after a fault only what is still this
   * process's. Throws `WriterReplaced` where another one has taken over since.
   */
  async open(signal: AbortSignal): Promise<void> {
    if (this.#hasClaimed && !(await this.#isStillOurs(signal))) {
      throw new WriterReplaced('another ingest has taken over: this one has stopped')
    }
    await this.#transactions.fence()
    await this.#restore(signal)
    await this.#write([{ key: CLAIM, value: { writer: this.#name } }])
    this.#hasClaimed = true
  }

  async append(records: readonly NewRecord[]): Promise<void> {
    if (records.length === 0) return
    await this.#transactions.run(({ send }) => send(encode(records, this.#log.prefix)))
  }

  state(): Promise<IngestState | null> {
    return this.#copy.state()
  }

  block: IngestStore['block'] = (ref) => this.#copy.block(ref)

  transactions: IngestStore['transactions'] = (txids) => this.#copy.transactions(txids)

  mempool(): AsyncIterable<string> {
    return this.#copy.mempool()
  }

  async save(change: IngestChange): Promise<void> {
    const { forgetBelow = 0 } = change
    await this.#write(entriesOf(change, this.#copy.keptBelow(forgetBelow)))
    await this.#copy.apply(change, this.#position())
  }

  async close(): Promise<void> {
    await this.#transactions.close()
  }

  async #write(entries: readonly ChangelogEntry[]): Promise<void> {
    const records = entries.map(
      ({ key, value }): KafkaRecord => ({ topic: OWN_TOPICS.ingest, partition: 0, key, value }),
    )
    const [sent] = await this.#transactions.run(({ send }) =>
      send(encode(records, this.#log.prefix)),
    )
    this.#offset = Number(sent?.baseOffset ?? this.#offset) + records.length
  }

  async #restore(signal: AbortSignal): Promise<void> {
    const kept = this.#copy.position()
    const end = await this.#log.end(OWN_TOPICS.ingest, 0)
    const isCopy = kept?.logId === this.#log.settings.id && kept.offset <= end
    if (!isCopy) await this.#copy.clear()
    this.#offset = isCopy ? kept.offset : 0
    for await (const message of this.#changelog(this.#offset, signal)) {
      this.#offset = Number(message.offset) + 1
      await this.#copy.apply(readEntry(message), this.#position())
    }
  }

  /** Has nobody claimed the log after this process's own last write? */
  async #isStillOurs(signal: AbortSignal): Promise<boolean> {
    for await (const message of this.#changelog(this.#offset, signal)) {
      if (message.key?.toString() !== CLAIM) continue
      const { value } = decode(0, message)
      if ((value as { writer: string }).writer !== this.#name) return false
    }
    return true
  }

  /** From an offset to what is the end now. */
  async *#changelog(from: number, signal: AbortSignal): AsyncGenerator<KafkaMessage> {
    const end = await this.#log.end(OWN_TOPICS.ingest, 0)
    if (from >= end) return
    const stop = new AbortController()
    const either = AbortSignal.any([signal, stop.signal])
    for await (const { messages, next } of this.#log.readRaw(OWN_TOPICS.ingest, 0, from, either)) {
      yield* messages
      if (next >= end) stop.abort()
    }
    signal.throwIfAborted()
  }

  #position() {
    return { logId: this.#log.settings.id, offset: this.#offset }
  }
}
