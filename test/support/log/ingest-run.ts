import { setImmediate } from 'node:timers/promises'
import { partitionOf } from '../../../src/domain/order/partition.ts'
import { readTouched, touchedName } from '../../../src/domain/order/touched.ts'
import type { IngestStore } from '../../../src/ports/log/ingest-store.ts'
import { InboxRecord, TOPICS, type Watermark } from '../../../src/schemas/log.ts'
import { ingest } from '../../../src/streams/ingest/ingest.ts'
import type { IngestMetric, IngestOptions } from '../../../src/streams/ingest/ingest-options.ts'
import type { ScriptedChain, Truth } from '../chain/scripted-chain.ts'
import type { ScriptedIndex } from '../chain/scripted-index.ts'
import { toOutpointText } from '../ids.ts'
import { ManualClock } from '../manual-clock.ts'
import { MemoryLog } from './memory-log.ts'

/** The process dies here: it does nothing more. */
export class CrashError extends Error {
  override name = 'CrashError'
}

const PATIENCE_MS = 20_000
const WATERMARK_MS = 2_000
const RESTED_TURNS = 20

export interface RunParts {
  chain: ScriptedChain
  store: IngestStore
  /** Log and store advance in one transaction. */
  areOne?: boolean
  index?: ScriptedIndex | null
  options?: Partial<IngestOptions>
}

/**
 * Runs ingest against a scripted chain, kills it where the test says, and folds the inbox as a host
 * would: record by record, each by its outpoint.
 */
export class IngestRun {
  readonly clock = new ManualClock()
  readonly log = new MemoryLog()
  readonly metrics: IngestMetric[] = []
  readonly #parts: RunParts
  #fold = new Map<string, Truth>()
  /** What a bid of each output was last verified by. */
  #verified = new Map<string, { isThere: boolean; height: number }>()
  #folded = 0
  #marks: Watermark[] = []
  #running: Promise<unknown> | null = null
  #stop = new AbortController()
  /** Writes until the crash, and whether the last of them is still done. */
  #fuse: { writes: number; done: boolean } | null = null
  /** Writes in flight. */
  #writing = 0

  constructor(parts: RunParts) {
    this.#parts = parts
  }

  start(): void {
    this.#stop = new AbortController()
    const { chain, index = null, areOne } = this.#parts
    const store = areOne ? this.#oneWithLog(this.#parts.store) : this.#parts.store
    // A watermark at every beat and no waiting for notifications, unless the test is about quiet
    // periods.
    const options = { quietMs: WATERMARK_MS, gatherMs: 0, ...this.#parts.options }
    const life = { over: false }
    const onMetric = (metric: IngestMetric) => this.metrics.push(metric)
    const parts = { node: chain, index, lifecycle: this.log, clock: this.clock, options, onMetric }
    this.#running = ingest(
      { ...parts, log: this.#fused(this.log, life), store: this.#fused(store, life) },
      this.#stop.signal,
    ).catch((error: unknown) => {
      if (!(error instanceof CrashError)) throw error
      this.#running = null
    })
  }

  async stop(): Promise<void> {
    this.#stop.abort()
    await this.#running
    this.#running = null
  }

  /** Another configuration, in force from its next start on. */
  configure(parts: Pick<RunParts, 'index'>): void {
    Object.assign(this.#parts, parts)
  }

  get store(): IngestStore {
    return this.#parts.store
  }

  get running(): boolean {
    return this.#running !== null
  }

  /** The process dies after this many more writes; `done`: the last one still reaches the disk. */
  crashAfter(writes: number, done: boolean): void {
    this.#fuse = { writes, done }
  }

  /** Yields to the event loop this many times; time stands still. */
  async breathe(turns: number): Promise<void> {
    for (let i = 0; i < turns; i++) await setImmediate()
    this.fold()
  }

  /** Until no turn is running: on a slow disk the next beat may be due already. */
  async rest(): Promise<void> {
    let reported = this.metrics.length
    for (let rested = 0; rested < RESTED_TURNS; ) {
      await this.breathe(1)
      const isStill = this.#writing === 0 && this.metrics.length === reported
      rested = isStill ? rested + 1 : 0
      reported = this.metrics.length
    }
  }

  /**
   * Until a watermark matches the node, and no turn is running; a crash on the way is followed by a
   * new start.
   */
  async settle(): Promise<Watermark> {
    const { chain } = this.#parts
    const watermark = await this.until(
      ({ tip, mempoolSequence }) =>
        tip.hash === chain.tip.hash && mempoolSequence === chain.sequence,
    )
    await this.rest()
    return watermark
  }

  /** As `settle`, but a crash on the way is final: the chain moves on while ingest is down. */
  async settleOrDie(): Promise<void> {
    const { chain } = this.#parts
    if (!this.running) this.start()
    await this.#wait(
      ({ tip, mempoolSequence }) =>
        tip.hash === chain.tip.hash && mempoolSequence === chain.sequence,
    )
  }

  /** The first watermark from now on that satisfies this. */
  async until(isMeant: (watermark: Watermark) => boolean): Promise<Watermark> {
    for (;;) {
      if (!this.running) {
        this.#fuse = null
        this.start()
      }
      const meant = await this.#wait(isMeant)
      if (meant !== null) return meant
    }
  }

  /** Null: ingest has died before. */
  async #wait(isMeant: (watermark: Watermark) => boolean): Promise<Watermark | null> {
    const from = this.watermarks.length
    const deadline = performance.now() + PATIENCE_MS
    for (let turn = 0; performance.now() < deadline; turn++) {
      const meant = this.watermarks.slice(from).find(isMeant)
      if (meant) return meant
      if (!this.running) return null
      await this.breathe(1)
      if (turn % 20 === 19) this.clock.advance(WATERMARK_MS)
    }
    throw new Error('no such watermark came')
  }

  /** One beat, until its turn is over: how many watermarks were written. */
  async beat(): Promise<number> {
    const ends = () =>
      this.metrics.filter(({ kind }) => kind === 'watermark' || kind === 'node-away').length
    const [turns, before] = [ends(), this.watermarks.length]
    this.clock.advance(WATERMARK_MS)
    const deadline = performance.now() + PATIENCE_MS
    while (ends() === turns && performance.now() < deadline) await this.breathe(1)
    await this.rest()
    return this.watermarks.length - before
  }

  get watermarks(): readonly Watermark[] {
    this.fold()
    return this.#marks
  }

  /** Inbox records about one output, in order: `spend seen`, `output confirmed` and so on. */
  story(outpoint: string): string[] {
    return this.log.records.flatMap(({ key, value }) => {
      const record = InboxRecord.safeParse(value)
      if (key !== outpoint || !record.success || !('change' in record.data)) return []
      return [`${record.data.kind} ${record.data.change}`]
    })
  }

  /** Folds what was appended since; at each watermark the fold must match the node. */
  fold(): void {
    for (; this.#folded < this.log.records.length; this.#folded++) {
      const { topic, partition, key, value } = this.log.records[this.#folded]!
      if (topic !== TOPICS.inbox) continue
      const record = InboxRecord.parse(value)
      if (record.kind === 'watermark') {
        if (partition === this.log.partitions - 1) this.#checkWatermark(record)
        continue
      }
      if (record.kind !== 'output' && record.kind !== 'spend') throw new Error(record.kind)
      if (
        partition !== partitionOf(toOutpointText(key), this.log.partitions) ||
        key !== record.outpoint
      )
        throw new Error(`${key} is in partition ${partition}`)
      const known = this.#fold.get(key) ?? { made: null, spender: null }
      this.#fold.set(key, foldRecord(known, record))
    }
  }

  #checkWatermark(watermark: Watermark): void {
    const before = this.#marks.at(-1)
    this.#marks.push(watermark)
    const follows = watermark.epoch === before?.epoch && watermark.n === before.n + 1
    if (!follows && (watermark.epoch <= (before?.epoch ?? -1) || watermark.n !== 0))
      throw new Error(`watermark ${watermark.epoch}/${watermark.n} follows ${before?.n}`)
    const truth = this.#parts.chain.truth(watermark.tip.hash, watermark.mempoolSequence ?? -1)
    this.#checkNames(watermark, truth)
    // Continuity is lost: a host queries the node for everything again.
    if (watermark.lost === 'all') this.#fold = new Map(truth)
    for (const outpoint of new Set([...truth.keys(), ...this.#fold.keys()])) {
      const [is, seen] = [truth.get(outpoint) ?? NOTHING, this.#fold.get(outpoint) ?? NOTHING]
      if (JSON.stringify(is) !== JSON.stringify(seen))
        throw new Error(
          `at ${watermark.tip.height}/${watermark.mempoolSequence} ${outpoint} is ` +
            `${JSON.stringify(is)}, the inbox says ${JSON.stringify(seen)}: ${this.story(outpoint)}`,
        )
    }
  }

  /**
   * A bid is verified where the watermark names its output or the transaction that makes it, where
   * its verdict rests on a lost block, and where everything is: at any other it must still hold.
   */
  #checkNames({ touched, forkHeight = Infinity, lost, tip }: Watermark, truth: Map<string, Truth>) {
    const names = readTouched(touched)
    const isNamed = (outpoint: string) =>
      names === 'all' ||
      names.has(touchedName(outpoint)) ||
      names.has(touchedName(outpoint.slice(0, outpoint.indexOf(':'))))
    for (const outpoint of new Set([...truth.keys(), ...this.#verified.keys()])) {
      const { made, spender } = truth.get(outpoint) ?? NOTHING
      const isThere = made !== null && spender === null
      const { isThere: wasThere, height } = this.#verified.get(outpoint) ?? NEVER_THERE
      if (lost === 'all' || isNamed(outpoint) || height > forkHeight)
        this.#verified.set(outpoint, { isThere, height: tip.height })
      else if (isThere !== wasThere)
        throw new Error(`${outpoint} is there: ${isThere}, and watermark ${tip.height} is silent`)
    }
  }

  #oneWithLog(store: IngestStore): IngestStore {
    return {
      ...store,
      saveWith: async (records, change) => {
        await store.save(change)
        this.log.records.push(...records)
      },
    }
  }

  /** Every write burns the fuse by one. */
  #fused<T extends MemoryLog | IngestStore>(target: T, life: { over: boolean }): T {
    const isWrite = (name: PropertyKey) => ['append', 'save', 'saveWith'].includes(String(name))
    return new Proxy(target, {
      get: (object, name) => {
        const value: unknown = Reflect.get(object, name)
        if (typeof value !== 'function') return value
        return (...args: unknown[]) => {
          if (life.over) throw new CrashError()
          if (!isWrite(name)) return Reflect.apply(value, object, args)
          this.#writing += 1
          return this.#burn(() => Reflect.apply(value, object, args), life).finally(() => {
            this.#writing -= 1
          })
        }
      },
    })
  }

  async #burn(write: () => unknown, life: { over: boolean }): Promise<unknown> {
    const fuse = this.#fuse
    if (fuse === null) return write()
    if (fuse.writes > 0) {
      fuse.writes -= 1
      return write()
    }
    if (fuse.done) await write()
    life.over = true
    throw new CrashError()
  }
}

const NOTHING: Truth = { made: null, spender: null }
const NEVER_THERE = { isThere: false, height: -1 }

function foldRecord(
  { made, spender }: Truth,
  record: Extract<InboxRecord, { kind: 'output' | 'spend' }>,
): Truth {
  if (record.kind === 'output') {
    if (record.change === 'gone') return { made: null, spender }
    if (record.change === 'confirmed') return { made: record.block?.height ?? null, spender }
    return { made: 'mempool', spender }
  }
  const { txid, block } = record.spend
  if (record.change === 'confirmed')
    return { made, spender: { txid, height: block?.height ?? null } }
  if (record.change === 'dropped')
    return { made, spender: spender?.txid === txid && spender.height === null ? null : spender }
  // Seen, or its block is lost: spent by an unconfirmed transaction, unless a block says otherwise.
  if (spender !== null && spender.height !== null && spender.txid !== txid) return { made, spender }
  return { made, spender: { txid, height: null } }
}
