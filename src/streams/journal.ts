import type { Clock } from '../ports/clock.ts'
import type { EventLog, NewRecord } from '../ports/event-log.ts'
import type {
  ChainPoint,
  IndexPoint,
  IngestChange,
  IngestState,
  IngestStep,
  IngestStore,
  KeptBlock,
  MempoolChange,
} from '../ports/ingest-store.ts'
import {
  type IndexFeedRecord,
  LOG_SCHEMA,
  type MempoolFeedRecord,
  TOPICS,
  type Watermark,
} from '../schemas/log.ts'
import { inGroups } from './in-groups.ts'
import { addOwed, type Lost } from './owed.ts'
import { blockRecords, feedRecord, mempoolRecords, watermarkRecords } from './step-records.ts'

/** Records of one append. */
const APPENDED_AT_ONCE = 500
/** Blocks whose bodies are kept to undo them, should the node no longer have them: a day's. */
const KEPT_BLOCKS = 144

type BlockStep = Exclude<IngestStep, { kind: 'mempool' }>

/** What the follower says in a watermark; the rest is the journal's. */
export type Mark = Pick<
  Watermark,
  'at' | 'covers' | 'tip' | 'mempoolSequence' | 'index' | 'indexStatus'
>

export interface JournalParts {
  log: Pick<EventLog, 'append' | 'partitions'>
  store: IngestStore
  clock: Clock
}

/**
 * The follower's hand in the log: each step is stored as intended, appended, then stored as done.
 * A crash in between leaves the intention, and the next start repeats the whole step before it
 * looks at the chain: so records are repeated, which hosts take idempotently, but never skipped,
 * not even when the chain has meanwhile gone the other way.
 */
export class Journal {
  readonly #parts: JournalParts
  readonly #told: Set<string>
  #state: IngestState
  #n = 0

  private constructor(parts: JournalParts, state: IngestState, told: Set<string>) {
    this.#parts = parts
    this.#state = state
    this.#told = told
  }

  /** Begins an epoch, durably, and repeats the step that a crash interrupted, if there is one. */
  static async open(parts: JournalParts): Promise<Journal> {
    const told = new Set<string>()
    for await (const txid of parts.store.mempool()) told.add(txid)
    const journal = new Journal(parts, (await parts.store.state()) ?? freshState, told)
    await journal.beginEpoch()
    await journal.#repeatPending()
    return journal
  }

  get tip(): ChainPoint | null {
    return this.#state.tip
  }

  get index(): IndexPoint | null {
    return this.#state.index
  }

  /** The mempool transactions told of. */
  get mempool(): ReadonlySet<string> {
    return this.#told
  }

  block: IngestStore['block'] = (ref) => this.#parts.store.block(ref)

  transactions: IngestStore['transactions'] = (txids) => this.#parts.store.transactions(txids)

  async connect(block: KeptBlock): Promise<void> {
    await this.#begin({ kind: 'connect', block: pointOf(block) }, { keep: block })
    await this.#finishConnect(block)
  }

  async disconnect(block: KeptBlock, parent: ChainPoint): Promise<void> {
    await this.#begin({ kind: 'disconnect', block: pointOf(block), parent }, { keep: block })
    await this.#finishDisconnect(block, parent)
  }

  async changeMempool(changes: readonly MempoolChange[]): Promise<void> {
    if (changes.length === 0) return
    await this.#begin({ kind: 'mempool', changes })
    await this.#finishMempool(changes)
  }

  /** The mempool is joined again, at the number of its next change. */
  async resynchronised(mempoolSequence: number): Promise<void> {
    const value: MempoolFeedRecord = { schema: LOG_SCHEMA, kind: 'resynchronised', mempoolSequence }
    await this.#append([feedRecord(TOPICS.mempool, '', value)])
  }

  /** What lies between is lost to everybody, and the next watermark says so. */
  async resumeAt(tip: ChainPoint): Promise<void> {
    await this.#save({ ...this.#state, tip, owed: addOwed(this.#state.owed, { lost: 'all' }) })
  }

  async moveIndex(feed: Pick<IndexFeedRecord, 'kind' | 'at'>, lost: Lost | null): Promise<void> {
    const value: IndexFeedRecord = { schema: LOG_SCHEMA, ...feed }
    await this.#append([feedRecord(TOPICS.index, feed.at.hash, value)])
    const index = feed.kind === 'reorged-beyond-recovery' ? this.#state.index : feed.at
    const owed = lost === null ? this.#state.owed : addOwed(this.#state.owed, { lost })
    await this.#save({ ...this.#state, index, owed })
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
    await this.#parts.log.append(watermarkRecords(watermark, this.#parts.log.partitions))
    this.#n += 1
    if (Object.keys(owed).length > 0) await this.#save({ ...this.#state, owed: {} })
    return watermark
  }

  /**
   * At each start of the follower or of the node, whose mempool numbers begin anew. Never below
   * the clock: hosts ignore lower epochs, and a store that is lost must not fall back to them.
   */
  async beginEpoch(): Promise<void> {
    const epoch = Math.max(this.#state.epoch + 1, Math.floor(this.#parts.clock.now() / 1_000))
    await this.#save({ ...this.#state, epoch })
    this.#n = 0
  }

  async #repeatPending(): Promise<void> {
    const step = this.#state.pending
    if (step === null) return
    if (step.kind === 'mempool') return this.#finishMempool(step.changes)
    const block = await this.#parts.store.block(step.block)
    if (block === null) throw new Error(`the ingest store has lost block ${step.block.hash}`)
    if (step.kind === 'connect') await this.#finishConnect(block)
    else await this.#finishDisconnect(block, step.parent)
  }

  async #finishConnect(block: KeptBlock): Promise<void> {
    await this.#appendBlock('connect', block)
    const left = block.transactions.map(({ txid }) => txid).filter((txid) => this.#told.has(txid))
    await this.#save(
      { ...this.#state, tip: pointOf(block), pending: null },
      { left, forgetBelow: block.height - KEPT_BLOCKS },
    )
    for (const txid of left) this.#told.delete(txid)
  }

  /** All but the coinbase count as back in the mempool, until the snapshot that must follow. */
  async #finishDisconnect(block: KeptBlock, parent: ChainPoint): Promise<void> {
    await this.#appendBlock('disconnect', block)
    const entered = block.transactions.slice(1)
    const owed = addOwed(this.#state.owed, { forkHeight: parent.height })
    await this.#save({ ...this.#state, tip: parent, pending: null, owed }, { entered })
    for (const { txid } of entered) this.#told.add(txid)
  }

  async #finishMempool(changes: readonly MempoolChange[]): Promise<void> {
    await this.#append(mempoolRecords(changes, this.#placing()))
    const last = new Map(changes.map((change) => [change.transaction.txid, change]))
    const entered = [...last.values()].flatMap(({ change, transaction }) =>
      change === 'entered' ? [transaction] : [],
    )
    const left = [...last].flatMap(([txid, { change }]) => (change === 'left' ? [txid] : []))
    await this.#save({ ...this.#state, pending: null }, { entered, left })
    for (const { txid } of entered) this.#told.add(txid)
    for (const txid of left) this.#told.delete(txid)
  }

  #begin(pending: IngestStep, change: Omit<IngestChange, 'state'> = {}): Promise<void> {
    return this.#save({ ...this.#state, pending }, change)
  }

  async #save(state: IngestState, change: Omit<IngestChange, 'state'> = {}): Promise<void> {
    await this.#parts.store.save({ state, ...change })
    this.#state = state
  }

  #appendBlock(kind: BlockStep['kind'], block: KeptBlock): Promise<void> {
    return this.#append(blockRecords(kind, block, this.#placing()))
  }

  async #append(records: Iterable<NewRecord>): Promise<void> {
    for (const group of inGroups(records, APPENDED_AT_ONCE)) await this.#parts.log.append(group)
  }

  #placing() {
    return { partitions: this.#parts.log.partitions, at: this.#now() }
  }

  #now(): string {
    return new Date(this.#parts.clock.now()).toISOString()
  }
}

/** Nothing is known of what the log may hold from before: the first watermark says so. */
const freshState: IngestState = {
  epoch: 0,
  tip: null,
  pending: null,
  owed: { lost: 'all' },
  index: null,
}

const pointOf = ({ height, hash, prevHash }: ChainPoint): ChainPoint => ({ height, hash, prevHash })
