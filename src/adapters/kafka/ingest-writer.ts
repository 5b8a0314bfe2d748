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
import type { ChangelogRecord } from './changelog-pieces.ts'
import { batchesOf, type Ends, sendBatches } from './client/batches.ts'
import type { KafkaRecord } from './client/codec.ts'
import { ingestTransactionsOf, OWN_TOPICS } from './client/names.ts'
import { Transactions } from './client/transactions.ts'
import { restoreWindows } from './inbox/restore-windows.ts'
import { restoreCopy, statePiecesOf, writtenChange } from './ingest-changelog.ts'
import type { KafkaLog } from './log.ts'

/**
 * The key under which a writer identifies itself. Release 0.9 has no group of ingest: one that is
 * replaced reads here that it was, and stops.
 */
const CLAIM = 'writer'
/**
 * A copy left for longer is rebuilt: brokers keep tombstones for a day (`delete.retention.ms`), and
 * a copy that missed one would keep the deleted entry.
 */
const COPY_MS = 12 * 3_600_000
/** How far a copy is behind that is only followed, milliseconds. */
const FOLLOW_MS = 2_000
/** Records of one send of many: they hold the event loop for 20 to 29 ms. */
const SENT_AT_ONCE = 2_000
/** A block of mainnet takes three transactions, each of which ends long before a broker aborts it. */
const SENDS_OF_TRANSACTION = 5

/**
 * The only writer of what happens to outputs. It takes its transactional id when its turn comes
 * (`ingest-turns.ts`), which fences its predecessor, and it keeps the follower's state in the log
 * itself, so that its successor can continue from there on any machine.
 */
export class IngestWriter implements IngestStore {
  readonly #log: KafkaLog
  readonly #copy: IngestCopy
  readonly #clock: Pick<Clock, 'now' | 'sleep'>
  readonly #transactions: Transactions
  readonly #name = randomUUID()
  #offset = 0
  #statePieces = 0

  constructor(log: KafkaLog, copy: IngestCopy, clock: Pick<Clock, 'now' | 'sleep'>) {
    this.#log = log
    this.#clock = clock
    this.#copy = copy
    this.#transactions = new Transactions(log.kafka, ingestTransactionsOf(log.prefix))
  }

  get partitions(): number {
    return this.#log.partitions
  }

  /**
   * Takes over from the current writer, whose next transaction is refused, and writes until `write`
   * has ended.
   *
   * @throws WriterReplacedError when another process has taken over
   */
  async run<T>(signal: AbortSignal, write: (writer: IngestWriter) => Promise<T>): Promise<T> {
    try {
      await this.#transactions.fence()
      await this.#restore(signal)
      this.#statePieces = statePiecesOf(await this.#copy.state())
      await this.#write([{ key: CLAIM, value: { writer: this.#name } }])
      return await write(this)
    } finally {
      await this.#transactions.close()
    }
  }

  /** Keeps the copy near to what another process writes, so that a takeover has little to read. */
  async follow(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.#restore(signal)
      await this.#clock.sleep(FOLLOW_MS, signal)
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
    const refs = this.#copy.storedBelow(forgetBelow)
    const blocks = await Promise.all(refs.map((ref) => this.#copy.block(ref)))
    const forgotten = blocks.filter((block) => block !== null)
    const replaced = { statePieces: this.#statePieces, forgotten }
    const { records, statePieces } = writtenChange(change, replaced, this.#log.settings.schema)
    await this.#write(records)
    this.#statePieces = statePieces
    await this.#copy.apply([change], this.#position())
  }

  async #write(entries: readonly ChangelogRecord[]): Promise<void> {
    const records = entries.map(
      (entry): KafkaRecord => ({ topic: OWN_TOPICS.ingest, partition: 0, ...entry }),
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

  #position() {
    return { logId: this.#log.settings.id, offset: this.#offset, at: this.#clock.now() }
  }
}

const following = async <T>(items: Iterator<T>): Promise<IteratorResult<T>> => {
  await setImmediate()
  return items.next()
}
