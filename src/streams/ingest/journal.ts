import type { BareTransaction } from '../../domain/chain/bare-transaction.ts'
import { packTouched } from '../../domain/order/touched.ts'
import type { EventLog, NewRecord } from '../../ports/log/event-log.ts'
import type {
  ChainPoint,
  IndexPlace,
  IngestChange,
  IngestState,
  IngestStep,
  IngestStore,
  MempoolChange,
  StoredBlock,
} from '../../ports/log/ingest-store.ts'
import type { Clock } from '../../runtime/clock.ts'
import {
  type IndexFeedRecord,
  LOG_SCHEMA,
  type MempoolFeedRecord,
  TOPICS,
  type Watermark,
} from '../../schemas/log.ts'
import type { Txid } from '../../schemas/scalars.ts'
import { chunk } from '../operators/chunk.ts'
import { type Lost, mergePendingLoss } from './pending-loss.ts'
import { touchedNames } from './route.ts'
import { blockRecords, feedRecord, mempoolRecords, watermarkRecords } from './step-records.ts'

/** Records per append: more would hold the event loop for too long. */
const APPENDED_AT_ONCE = 500
/** Blocks whose bodies are kept, to undo them if the node no longer has them: about a day's. */
const KEPT_BLOCKS = 144

/** What a step appends, and what is stored once that is done. */
interface StepOutcome {
  records(): Iterable<NewRecord>
  state: Partial<IngestState>
  change: Pick<IngestChange, 'entered' | 'left' | 'forgetBelow'>
}

type Held = { records: NewRecord[]; change: StepOutcome['change'] }

/** The follower's part of a watermark; the journal adds the rest. */
export type Mark = Pick<
  Watermark,
  'at' | 'covers' | 'tip' | 'mempoolSequence' | 'index' | 'indexStatus'
>

export interface IngestLog extends Pick<EventLog, 'append' | 'partitions'> {
  /**
   * Any number of records, in order, without holding the event loop: durable when it resolves, else
   * perhaps some of them. Absent: they are appended in groups.
   */
  appendMany?(records: Iterable<NewRecord>): Promise<void>
}

export interface JournalParts {
  log: IngestLog
  store: IngestStore
  clock: Clock
}

/**
 * Writes the follower's steps to the log. If log and store are one, a step of few records is one
 * transaction; a mempool step is held for the watermark that may end the round. Any other step is
 * stored as pending, appended, then stored as done. A crash in between leaves it pending, and the
 * next start repeats the whole step before it reads the chain: so records may be repeated, which
 * hosts handle idempotently, but never skipped, even if the chain has meanwhile gone the other way.
 */
export class Journal {
  readonly #parts: JournalParts
  readonly #reported: Set<Txid>
  #state: IngestState
  /** Records that this process treats as reported, but has not written yet. */
  #held: Held | null = null
  #n = 0

  private constructor(parts: JournalParts, state: IngestState, reported: Set<Txid>) {
    this.#parts = parts
    this.#state = state
    this.#reported = reported
  }

  /** Begins an epoch, durably, and repeats the step that a crash interrupted, if there is one. */
  static async open(parts: JournalParts): Promise<Journal> {
    const reported = new Set<Txid>()
    for await (const txid of parts.store.mempool()) reported.add(txid)
    const journal = new Journal(parts, (await parts.store.state()) ?? freshState, reported)
    await journal.beginEpoch()
    await journal.#repeatPending()
    return journal
  }

  get tip(): ChainPoint | null {
    return this.#state.tip
  }

  get index(): IndexPlace | null {
    return this.#state.index
  }

  get epoch(): number {
    return this.#state.epoch
  }

  /** The next watermark must report more than where node and index are. */
  get owesNews(): boolean {
    const { owed } = this.#state
    return this.#owesLoss || owed.touched !== ''
  }

  get #owesLoss(): boolean {
    const { forkHeight, lost } = this.#state.owed
    return forkHeight !== undefined || lost !== undefined
  }

  /** The mempool transactions reported so far. */
  get mempool(): ReadonlySet<Txid> {
    return this.#reported
  }

  block: IngestStore['block'] = (ref) => this.#parts.store.block(ref)

  transactions: IngestStore['transactions'] = async (txids) => {
    await this.flush()
    return this.#parts.store.transactions(txids)
  }

  /** Writes held records: at the end of each round, and before anything else is written or read. */
  async flush(): Promise<void> {
    if (this.#held) await this.#appendAndSave([], { state: this.#state })
  }

  async connect(block: StoredBlock): Promise<void> {
    await this.#take({ kind: 'connect', block: pointOf(block) }, this.#connected(block), block)
  }

  async disconnect(block: StoredBlock, parent: ChainPoint): Promise<void> {
    const step: IngestStep = { kind: 'disconnect', block: pointOf(block), parent }
    await this.#take(step, this.#disconnected(block, parent), block)
  }

  async changeMempool(changes: readonly MempoolChange[]): Promise<void> {
    if (changes.length === 0) return
    await this.#take({ kind: 'mempool', changes }, this.#mempoolChanged(changes))
  }

  /** The mempool is resynchronised, at the number of its next change. */
  async resynchronised(mempoolSequence: number): Promise<void> {
    const value: MempoolFeedRecord = { schema: LOG_SCHEMA, kind: 'resynchronised', mempoolSequence }
    await this.flush()
    await this.#parts.log.append([feedRecord(TOPICS.mempool, '', value)])
  }

  /** The blocks in between are lost, and the next watermark says so. */
  async resumeAt(tip: ChainPoint): Promise<void> {
    await this.#save({
      ...this.#state,
      tip,
      owed: mergePendingLoss(this.#state.owed, { lost: 'all' }),
    })
  }

  /** `place` is where the index is now; null: as before. */
  async moveIndex(
    feed: Pick<IndexFeedRecord, 'kind' | 'at'>,
    place: IndexPlace | null,
    lost: Lost | null,
  ): Promise<void> {
    const value: IndexFeedRecord = { schema: LOG_SCHEMA, ...feed }
    const index = place ?? this.#state.index
    const owed = lost === null ? this.#state.owed : mergePendingLoss(this.#state.owed, { lost })
    const records = [feedRecord(TOPICS.index, feed.at.hash, value)]
    await this.#appendAndSave(records, { state: { ...this.#state, index, owed } })
  }

  /** No index is followed now. */
  async forgetIndex(): Promise<void> {
    if (this.#state.index !== null) await this.#save({ ...this.#state, index: null })
  }

  /** Appended to every partition at once, after all that it covers. */
  async mark(mark: Mark): Promise<Watermark> {
    const { epoch, owed } = this.#state
    const watermark: Watermark = {
      schema: LOG_SCHEMA,
      kind: 'watermark',
      epoch,
      n: this.#n,
      ...mark,
      ...owed,
    }
    const records = watermarkRecords(watermark, this.#parts.log.partitions)
    const state = { ...this.#state, owed: NOTHING_OWED }
    if (this.#owesLoss || this.#held) await this.#appendAndSave(records, { state })
    else {
      await this.#parts.log.append(records)
      // Names that a crash repeats cost some bids one recheck; they are cleared with the next step.
      this.#state = state
    }
    this.#n += 1
    return watermark
  }

  /**
   * At each start of the follower or of the node, whose mempool numbers then start over. Never
   * below the clock: hosts ignore lower epochs, and a lost store must not fall back to them.
   */
  async beginEpoch(): Promise<void> {
    const epoch = Math.max(this.#state.epoch + 1, Math.floor(this.#parts.clock.now() / 1_000))
    await this.#save({ ...this.#state, epoch })
    this.#n = 0
  }

  async #repeatPending(): Promise<void> {
    const step = this.#state.pending
    if (step === null) return
    if (step.kind === 'mempool') return this.#finish(this.#mempoolChanged(step.changes))
    const block = await this.#parts.store.block(step.block)
    if (block === null) throw new Error(`the ingest store has lost block ${step.block.hash}`)
    if (step.kind === 'connect') await this.#finish(this.#connected(block))
    else await this.#finish(this.#disconnected(block, step.parent))
  }

  #connected(block: StoredBlock): StepOutcome {
    const left = block.transactions
      .map(({ txid }) => txid)
      .filter((txid) => this.#reported.has(txid))
    // Outputs of a known mempool transaction were named as touched when it entered the mempool.
    const news = block.transactions.filter(({ txid }) => !this.#reported.has(txid))
    return {
      records: () => blockRecords('connect', block, this.#placing()),
      state: { tip: pointOf(block), owed: this.#owedWith(news) },
      change: { left, forgetBelow: block.height - KEPT_BLOCKS },
    }
  }

  /** All but the coinbase count as back in the mempool, until the snapshot that must follow. */
  #disconnected(block: StoredBlock, parent: ChainPoint): StepOutcome {
    const owed = mergePendingLoss(this.#state.owed, { forkHeight: parent.height })
    return {
      records: () => blockRecords('disconnect', block, this.#placing()),
      state: { tip: parent, owed },
      change: { entered: block.transactions.slice(1) },
    }
  }

  #mempoolChanged(changes: readonly MempoolChange[]): StepOutcome {
    const last = new Map(changes.map((change) => [change.transaction.txid, change]))
    const entered = [...last.values()].flatMap(({ change, transaction }) =>
      change === 'entered' ? [transaction] : [],
    )
    const left = [...last].flatMap(([txid, { change }]) => (change === 'left' ? [txid] : []))
    return {
      records: () => mempoolRecords(changes, this.#placing()),
      state: { owed: this.#owedWith(changes.map(({ transaction }) => transaction)) },
      change: { entered, left },
    }
  }

  #owedWith(transactions: readonly BareTransaction[]): IngestState['owed'] {
    const touched = packTouched(transactions.flatMap((one) => [...touchedNames(one)]))
    return mergePendingLoss(this.#state.owed, { touched })
  }

  async #take(step: IngestStep, outcome: StepOutcome, block?: StoredBlock): Promise<void> {
    const keep = block ? { keep: block } : {}
    const records = this.#parts.store.saveWith ? fewOf(outcome.records()) : null
    if (records) {
      await this.flush()
      const state = { ...this.#state, ...outcome.state }
      if (step.kind === 'mempool') {
        this.#held = { records, change: outcome.change }
        this.#state = state
      } else await this.#appendAndSave(records, { state, ...keep, ...outcome.change })
      this.#remember(outcome)
    } else {
      await this.#save({ ...this.#state, pending: step }, keep)
      await this.#finish(outcome)
    }
  }

  async #finish(outcome: StepOutcome): Promise<void> {
    const { log } = this.#parts
    if (log.appendMany) await log.appendMany(outcome.records())
    else for (const group of chunk(outcome.records(), APPENDED_AT_ONCE)) await log.append(group)
    await this.#save({ ...this.#state, ...outcome.state, pending: null }, outcome.change)
    this.#remember(outcome)
  }

  #remember({ change: { entered = [], left = [] } }: StepOutcome): void {
    for (const { txid } of entered) this.#reported.add(txid)
    for (const txid of left) this.#reported.delete(txid)
  }

  /** One transaction if log and store are one; else a crash in between repeats the records. */
  async #appendAndSave(records: readonly NewRecord[], change: IngestChange): Promise<void> {
    const { log, store } = this.#parts
    if (store.saveWith) {
      const held = this.#held
      this.#held = null
      await store.saveWith([...(held?.records ?? []), ...records], { ...change, ...held?.change })
      this.#state = change.state
    } else {
      await log.append(records)
      await this.#save(change.state, change)
    }
  }

  async #save(state: IngestState, change: Omit<IngestChange, 'state'> = {}): Promise<void> {
    await this.flush()
    await this.#parts.store.save({ ...change, state })
    this.#state = state
  }

  #placing() {
    return { partitions: this.#parts.log.partitions, at: this.#now() }
  }

  #now(): string {
    return new Date(this.#parts.clock.now()).toISOString()
  }
}

const NOTHING_OWED: IngestState['owed'] = { touched: '' }

/** What the log already holds is unknown: the first watermark says so. */
const freshState: IngestState = {
  epoch: 0,
  tip: null,
  pending: null,
  owed: { lost: 'all', touched: 'all' },
  index: null,
}

/** Null: more than fit in one transaction. */
function fewOf(records: Iterable<NewRecord>): NewRecord[] | null {
  const few: NewRecord[] = []
  for (const record of records) if (few.push(record) > APPENDED_AT_ONCE) return null
  return few
}

const pointOf = ({ height, hash, prevHash }: ChainPoint): ChainPoint => ({ height, hash, prevHash })
