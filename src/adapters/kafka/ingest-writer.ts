import { randomUUID } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import type { NewRecord } from '../../ports/log/event-log.ts'
import type {
  IngestChange,
  IngestCopy,
  IngestState,
  IngestStore,
} from '../../ports/log/ingest-store.ts'
import type { Clock } from '../../runtime/clock.ts'
import type { Txid } from '../../schemas/scalars.ts'
import { batchesOf, type Ends, sendBatches } from './client/batches.ts'
import { decode, type KafkaRecord } from './client/codec.ts'
import { ingestTransactionsOf, OWN_TOPICS } from './client/names.ts'
import { Transactions } from './client/transactions.ts'
import { restoreWindows } from './inbox/restore-windows.ts'
import { type ChangelogEntry, changelogEntriesOf, restoreCopy } from './ingest-changelog.ts'
import type { KafkaLog } from './log.ts'

/** The key under which a writer identifies itself. */
const CLAIM = 'writer'
/**
 * A copy left for longer is rebuilt: brokers keep tombstones for a day (`delete.retention.ms`), and
 * a copy that missed one would keep the deleted entry.
 */
const COPY_MS = 12 * 3_600_000
/** Records of one send of many: they hold the event loop for 20 to 29 ms. */
const SENT_AT_ONCE = 2_000
/** A block of mainnet takes three transactions, each of which ends long before a broker aborts it. */
const SENDS_OF_TRANSACTION = 5

/**
 * The only writer of what happens to outputs. It takes its transactional id when it opens, which
 * fences its predecessor, and it keeps the follower's state in the log itself, so that its
 * successor can continue from there on any machine.
 */
export class IngestWriter implements IngestStore {
  readonly #log: KafkaLog
  readonly #copy: IngestCopy
  readonly #clock: Pick<Clock, 'now'>
  readonly #transactions: Transactions
  /** Identifies this process among all writers; the last one to write its name owns the log. */
  readonly #name = randomUUID()
  #hasClaimed = false
  #offset = 0

  constructor(log: KafkaLog, copy: IngestCopy, clock: Pick<Clock, 'now'>) {
    this.#log = log
    this.#clock = clock
    this.#copy = copy
    this.#transactions = new Transactions(log.kafka, ingestTransactionsOf(log.prefix))
  }

  get partitions(): number {
    return this.#log.partitions
  }

  /**
   * The first run takes over from the current writer; a run after a fault only resumes a log that
   * is still this process's. `replaced`: another process has taken over.
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

  /** The next records are encoded while those before them are sent. */
  async appendMany(records: Iterable<NewRecord>): Promise<void> {
    const batches = batchesOf(records, this.#log.prefix, SENT_AT_ONCE)
    let next = batches.next()
    while (!next.done) {
      await this.#transactions.run(async ({ send }) => {
        for (let sends = 0; sends < SENDS_OF_TRANSACTION && !next.done; sends += 1) {
          const sent = send(next.value)
          ;[next] = await Promise.all([following(batches), sent])
        }
      })
    }
  }

  state(): Promise<IngestState | null> {
    return this.#copy.state()
  }

  block: IngestStore['block'] = (ref) => this.#copy.block(ref)

  transactions: IngestStore['transactions'] = (txids) => this.#copy.transactions(txids)

  mempool(): AsyncIterable<Txid> {
    return this.#copy.mempool()
  }

  async save(change: IngestChange): Promise<void> {
    const { forgetBelow = 0 } = change
    await this.#write(changelogEntriesOf(change, this.#copy.storedBelow(forgetBelow)))
    await this.#copy.apply([change], this.#position())
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
    const isCopy =
      kept?.logId === this.#log.settings.id &&
      kept.offset <= end &&
      this.#clock.now() - kept.at < COPY_MS
    if (!isCopy) await this.#copy.clear()
    this.#offset = isCopy ? kept.offset : 0
    const stored = this.#log.storedRaw(OWN_TOPICS.ingest, 0, this.#offset, signal)
    this.#offset = await restoreCopy(this.#copy, restoreWindows(stored), this.#position())
  }

  /** Is the log still claimed by this process, and by no other since its last write? */
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
    return { logId: this.#log.settings.id, offset: this.#offset, at: this.#clock.now() }
  }
}

const following = async <T>(items: Iterator<T>): Promise<IteratorResult<T>> => {
  await setImmediate()
  return items.next()
}
