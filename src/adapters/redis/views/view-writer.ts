import { randomUUID } from 'node:crypto'
import { StorageUnavailableError } from '../../../ports/log/storage-errors.ts'
import type { PartitionFreshness, ViewBatch } from '../../../ports/views/order-views.ts'
import type { Clock } from '../../../runtime/clock.ts'
import type { LifecycleRecord, OutcomeRecord } from '../../../schemas/log.ts'
import type { OrderRecord } from '../../../schemas/order-record.ts'
import { changesByOrder, foldNew } from '../../views/fold-batch.ts'
import { OUTCOME_KEPT_MS } from '../../views/outcome-waits.ts'
import { META_FIELDS } from '../rights/key-names.ts'
import { type Document, readDocuments, type StoredBytes } from './document.ts'
import { type DocumentMaker, makeDocuments } from './document-pool.ts'
import type { Generation, Keyspace } from './keyspace.ts'
import { keepingOf } from './outcomes.ts'
import { rowKey } from './row-buckets.ts'
import { type ScriptReply, type Step, ViewScript } from './script.ts'

/** An order before and after a batch. */
interface Folded {
  before: Document | null
  after: OrderRecord
}

type FoldedBytes = Folded & StoredBytes

/** What is written together with the last orders of a batch. */
interface End {
  positions: number
  outcomes: readonly ReturnType<typeof keepingOf>[]
}

/** Orders per transaction: some 25 µs of the server's time each. */
const PUTS = 20
/** A fold starts again if another writer was first. */
const WRITE_ATTEMPTS = 10
/** Milliseconds between two tries while other views replace these. */
const HELD_MS = 10
/** Tries: together they last longer than any hold. */
const HELD_ATTEMPTS = 500

/** Folds the log into one generation of the views: a given one, or the current one. */
export class ViewWriter {
  readonly #keyspace: Keyspace
  readonly #clock: Clock
  readonly #target: () => Promise<Generation>
  readonly #script: ViewScript
  readonly #make: DocumentMaker
  /** The position that Redis is known to have, by partition: a lower one is a loss. */
  readonly #reached = new Map<number, number>()
  /**
   * The highest position so far, by partition: rebuilt views are not fresh before they reach it.
   */
  readonly #highest = new Map<number, number>()
  /**
   * Partitions whose changes were refused because of a loss: they are read again from the position.
   */
  readonly #lost = new Set<number>()

  constructor(
    keyspace: Keyspace,
    clock: Clock,
    target: () => Promise<Generation>,
    make: DocumentMaker = makeDocuments,
  ) {
    this.#make = make
    this.#keyspace = keyspace
    this.#clock = clock
    this.#target = target
    this.#script = new ViewScript(keyspace)
  }

  async apply(batch: ViewBatch): Promise<void> {
    let tries = 0
    let waits = 0
    for (;;) {
      const generation = await this.#target()
      const answer = await this.#tryApply(generation, batch, tries === 0)
      if (answer === 'open') return
      if (answer === 'moved') this.#keyspace.forget(generation)
      if (answer === 'held' && waits < HELD_ATTEMPTS) {
        waits += 1
        await this.#clock.sleep(HELD_MS)
        continue
      }
      tries += 1
      if (tries === WRITE_ATTEMPTS) {
        throw new StorageUnavailableError('taken-over', 'another process writes the same views')
      }
      await this.#clock.turn()
    }
  }

  async applyFreshness(partition: number, freshness: PartitionFreshness): Promise<void> {
    const arg = { partition: String(partition), reached: this.#highest.get(partition) ?? 0 }
    const step: Step = ['freshness', arg, JSON.stringify(freshness)]
    for (let attempt = 1; attempt <= WRITE_ATTEMPTS; attempt += 1) {
      const generation = await this.#target()
      const [answer] = await this.#script.run(generation, randomUUID(), [step])
      if (answer === 'done') return
      if (answer === 'lost') throw lost(partition)
      this.#keyspace.forget(generation)
    }
    throw new StorageUnavailableError('taken-over', 'the views in Redis are replaced repeatedly')
  }

  /** Notes a position that Redis was found to have. */
  found(partition: number, position: number): void {
    if (this.#lost.delete(partition)) this.#reached.delete(partition)
    this.#reach(partition, position)
  }

  /** `open` when all is written; otherwise why the rest was refused. */
  async #tryApply(
    generation: Generation,
    { partition, nextOffset, records }: ViewBatch,
    isFirstTry: boolean,
  ): Promise<ScriptReply> {
    const folded = await this.#fold(generation, records, isFirstTry)
    if (!folded) return 'moved'
    const now = this.#clock.now()
    // All generations share the outcomes: the current one publishes them.
    const outcomes = records
      .filter((record): record is OutcomeRecord => record.kind === 'outcome')
      .filter(() => generation.role === META_FIELDS.current)
      .map((record) => keepingOf(record, now))
    const stored = await this.#make(
      partition,
      folded.map(({ after }) => after),
    )
    const made = folded.map((one, at): FoldedBytes => {
      const bytes = stored[at]
      if (!bytes) throw new Error(`no document was made of order ${one.after.id}`)
      return { ...one, ...bytes }
    })
    let at = 0
    do {
      const some = made.slice(at, at + PUTS)
      at += PUTS
      // The position and the outcomes come with the last orders: a notified client reads its own
      // write.
      const end: End =
        at >= folded.length ? { positions: nextOffset, outcomes } : { positions: 0, outcomes: [] }
      const answer = await this.#put(generation, { partition, nextOffset }, some, end)
      if (answer === 'lost') {
        this.#lost.add(partition)
        throw lost(partition)
      }
      if (answer !== 'open') return answer
    } while (at < folded.length)
    this.#reach(partition, nextOffset)
    return 'open'
  }

  #reach(partition: number, position: number): void {
    for (const known of [this.#reached, this.#highest]) {
      known.set(partition, Math.max(position, known.get(partition) ?? 0))
    }
  }

  async #put(
    generation: Generation,
    { partition, nextOffset }: Pick<ViewBatch, 'partition' | 'nextOffset'>,
    folded: readonly FoldedBytes[],
    end: End,
  ): Promise<ScriptReply> {
    const named = { partition: String(partition), reached: this.#reached.get(partition) ?? 0 }
    const bases = folded.map(({ before, after }) => [after.id, String(before?.order.seq ?? 0)])
    const [answer = 'closed'] = await this.#script.run(generation, randomUUID(), [
      ['check', { ...named, bases }],
      ['put', {}, ...folded.flatMap(putOf)],
      ['finish', { ...named, ...end, writing: nextOffset, retentionMs: String(OUTCOME_KEPT_MS) }],
    ])
    return answer
  }

  /**
   * The orders that the records change, each at its last change; null if the generation was
   * replaced meanwhile. The first try does not read an order whose first change is among the
   * records: the script refuses the write if Redis has the order. Throws `ViewGapError`.
   */
  async #fold(
    generation: Generation,
    records: readonly LifecycleRecord[],
    isFirstTry: boolean,
  ): Promise<Folded[] | null> {
    const changes = changesByOrder(records)
    const ids = [...changes.keys()]
    const asked = isFirstTry ? ids.filter((id) => changes.get(id)?.[0]?.seq !== 1) : ids
    const read = asked.length === 0 ? [] : await readDocuments(this.#keyspace, generation, asked)
    if (!read) return null
    const have = new Map(asked.map((id, at) => [id, read[at] ?? null]))
    return [...changes].flatMap(([id, ofOrder]) => {
      const before = have.get(id) ?? null
      const after = foldNew(before?.order ?? null, ofOrder)
      return after ? [{ before, after }] : []
    })
  }
}

/** What `put` takes of an order: its id, its document, its bucket, its id in bytes, its row. */
const putOf = ({ after: { id }, document, row }: FoldedBytes): (string | Buffer)[] => [
  id,
  document,
  rowKey(id),
  Buffer.from(id, 'hex'),
  row,
]

const lost = (partition: number): StorageUnavailableError =>
  new StorageUnavailableError(
    'io',
    `Redis lost views of partition ${partition}: they are rebuilt from the log`,
  )
