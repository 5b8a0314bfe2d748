import { isDeepStrictEqual } from 'node:util'
import type { Database } from 'lmdb'
import {
  BUILT_ASK_BOUNDS,
  type BuiltAsk,
  type BuiltAskBounds,
  type BuiltAsks,
} from '../../../ports/views/built-asks.ts'
import type { OutpointText, Txid } from '../../../schemas/scalars.ts'
import type { LmdbStore } from '../lmdb/lmdb-store.ts'

interface BuildEntry {
  built: BuiltAsk
  /** Unix milliseconds. */
  at: number
}

const FORGOTTEN_AT_ONCE = 100
/** Sorts after every txid. */
const AFTER_TXIDS = 'g'
const LAST = Number.MAX_SAFE_INTEGER

/** Builds in the LMDB environment of DATA_DIR. */
export class EmbeddedBuiltAsks implements BuiltAsks {
  readonly #store: LmdbStore
  readonly #bounds: BuiltAskBounds
  readonly #entries: Database<BuildEntry, string>
  /** Every build by its age, and by its output and age: used to enforce the bounds. */
  readonly #byTime: Database<true, [at: number, unsignedTxid: Txid]>
  readonly #byOutput: Database<true, [outpoint: OutpointText, at: number, unsignedTxid: Txid]>

  constructor(store: LmdbStore, bounds: BuiltAskBounds = BUILT_ASK_BOUNDS) {
    this.#store = store
    this.#bounds = bounds
    this.#entries = store.documents('built asks')
    this.#byTime = store.table('built asks by time')
    this.#byOutput = store.table('built asks by output')
  }

  remember(unsignedTxid: Txid, built: BuiltAsk, now: number): Promise<boolean> {
    return this.#store.write(() => {
      this.#forgetOld(now)
      const known = this.#entries.get(unsignedTxid)
      if (known && this.#isKept(known, now) && !isDeepStrictEqual(known.built, built)) return false
      if (known) this.#forget(unsignedTxid, known)
      this.#makeRoom(built.outpoint)
      this.#entries.putSync(unsignedTxid, { built, at: now })
      this.#byTime.putSync([now, unsignedTxid], true)
      this.#byOutput.putSync([built.outpoint, now, unsignedTxid], true)
      return true
    })
  }

  async find(unsignedTxid: Txid, now: number): Promise<BuiltAsk | null> {
    const known = this.#entries.get(unsignedTxid)
    return known && this.#isKept(known, now) ? known.built : null
  }

  #isKept({ at }: BuildEntry, now: number): boolean {
    return now - at < this.#bounds.retentionMs
  }

  #forgetOld(now: number): void {
    const end: [number, string] = [now - this.#bounds.retentionMs, AFTER_TXIDS]
    const old = this.#byTime.getKeys({ end, limit: FORGOTTEN_AT_ONCE })
    for (const [, unsignedTxid] of [...old]) this.#forgetOne(unsignedTxid)
  }

  /** Drops the oldest of this output, and the oldest of all, if the count is at its bound. */
  #makeRoom(outpoint: OutpointText): void {
    const ofOutput = { start: [outpoint, 0, ''], end: [outpoint, LAST, AFTER_TXIDS] }
    // Counting mutates its options.
    if (this.#byOutput.getKeysCount({ ...ofOutput }) >= this.#bounds.atOneOutput) {
      const [oldest] = this.#byOutput.getKeys({ ...ofOutput, limit: 1 })
      if (oldest) this.#forgetOne(oldest[2])
    }
    if (this.#countOfAll() < this.#bounds.inAll) return
    const [oldest] = this.#byTime.getKeys({ limit: 1 })
    if (oldest) this.#forgetOne(oldest[1])
  }

  #countOfAll(): number {
    const stats: { entryCount?: number } = this.#byTime.getStats()
    return stats.entryCount ?? this.#byTime.getKeysCount()
  }

  #forgetOne(unsignedTxid: Txid): void {
    const entry = this.#entries.get(unsignedTxid)
    if (entry) this.#forget(unsignedTxid, entry)
  }

  #forget(unsignedTxid: Txid, { built, at }: BuildEntry): void {
    this.#entries.removeSync(unsignedTxid)
    this.#byTime.removeSync([at, unsignedTxid])
    this.#byOutput.removeSync([built.outpoint, at, unsignedTxid])
  }
}
