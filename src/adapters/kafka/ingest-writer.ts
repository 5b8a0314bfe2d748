import { randomUUID } from 'node:crypto'
import type { NewRecord } from '../../ports/event-log.ts'
import type {
  IngestChange,
  IngestCopy,
  IngestState,
  IngestStore,
} from '../../ports/ingest-store.ts'
import { batchesOf, type Ends, sendBatches } from './batches.ts'
import { decode, type KafkaRecord } from './codec.ts'
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
   * process's. `replaced`: it is not, since another one has taken over.
   */
  async run<T>(
    signal: AbortSignal,
    write: (writer: IngestWriter) => Promise<T>,
  ): Promise<T | 'replaced'> {
    if (this.#hasClaimed && !(await this.#isStillOurs(signal))) return 'replaced'
    try {
      await this.#transactions.fence()
      await this.#restore(signal)
      await this.#write([{ key: CLAIM, value: { writer: this.#name } }])
      this.#hasClaimed = true
      return await write(this)
    } finally {
      await this.#transactions.close()
    }
  }

  async append(records: readonly NewRecord[]): Promise<void> {
    if (records.length === 0) return
    await this.#send(records)
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

  async #write(entries: readonly ChangelogEntry[]): Promise<void> {
    const records = entries.map(
      ({ key, value }): KafkaRecord => ({ topic: OWN_TOPICS.ingest, partition: 0, key, value }),
    )
    const ends = await this.#send(records)
    this.#offset = ends.of(this.#log.prefix + OWN_TOPICS.ingest, 0) ?? this.#offset
  }

  #send(records: readonly KafkaRecord[]): Promise<Ends> {
    return this.#transactions.run(({ send }) =>
      sendBatches(send, batchesOf(records, this.#log.prefix)),
    )
  }

  async #restore(signal: AbortSignal): Promise<void> {
    const kept = this.#copy.position()
    const end = await this.#log.end(OWN_TOPICS.ingest, 0)
    const isCopy = kept?.logId === this.#log.settings.id && kept.offset <= end
    if (!isCopy) await this.#copy.clear()
    this.#offset = isCopy ? kept.offset : 0
    for await (const { messages } of this.#log.storedRaw(
      OWN_TOPICS.ingest,
      0,
      this.#offset,
      signal,
    )) {
      for (const message of messages) {
        this.#offset = Number(message.offset) + 1
        await this.#copy.apply(readEntry(message), this.#position())
      }
    }
  }

  /** Has nobody claimed the log after this process's own last write? */
  async #isStillOurs(signal: AbortSignal): Promise<boolean> {
    const log = this.#log
    for await (const { messages } of log.storedRaw(OWN_TOPICS.ingest, 0, this.#offset, signal)) {
      const claims = messages.filter(({ key }) => key?.toString() === CLAIM)
      const writers = claims.map((message) => decode(0, message).value as { writer: string })
      if (writers.some(({ writer }) => writer !== this.#name)) return false
    }
    return true
  }

  #position() {
    return { logId: this.#log.settings.id, offset: this.#offset }
  }
}
