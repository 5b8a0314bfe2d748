import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { LmdbStore } from '../../../src/adapters/embedded/lmdb/lmdb-store.ts'
import { EmbeddedLog } from '../../../src/adapters/embedded/log/log.ts'
import { readWhole } from '../../../src/operator/audit/read-whole.ts'
import { LifecycleRecord, TOPICS } from '../../../src/schemas/log.ts'
import type { Bundle } from '../bundle.ts'
import { temporaryDirectory } from '../embedded.ts'
import { systemClock } from '../system-clock.ts'
import type { Errand, Said } from './crash-plan.ts'

/** Rounds that a process may play before it must have reached its point. */
const MAX_ROUNDS = 40
const PARTITIONS = 2

/** One process of the run, from start to end. */
export interface Life {
  said: Said[]
  /** Null: it exited by itself. */
  signal: NodeJS.Signals | null
  code: number | null
  errors: string
  /** The lifecycle records that it wrote. */
  wrote: LifecycleRecord[]
}

/** One plan on one store, played by one process after another. */
export class CrashRun {
  readonly dataDir: string
  readonly lives: Life[] = []
  readonly #bundle: Bundle
  readonly seed: number
  readonly #folder = temporaryDirectory()
  readonly #orders: Record<string, string> = {}
  readonly #read: number[] = []
  #round = 0
  #facts: Record<string, string> = {}

  constructor(bundle: Bundle, seed: number) {
    this.#bundle = bundle
    this.seed = seed
    this.dataDir = join(this.#folder.path, 'data')
  }

  /** A process that ends on the n-th pass of a point. */
  killedAt(kill: NonNullable<Errand['kill']>): Promise<Life> {
    return this.#live({ kill, lastRound: this.#round + MAX_ROUNDS })
  }

  /** A process that is killed from outside, this long after it began. */
  killedAfter(ms: number): Promise<Life> {
    return this.#live({ kill: null, lastRound: this.#round + MAX_ROUNDS }, ms)
  }

  /** The last process: it finishes its round, plays more, becomes idle and exits. */
  finish(moreRounds = 1): Promise<Life> {
    return this.#live({ kill: null, lastRound: this.#round + moreRounds })
  }

  drop(): void {
    this.#folder.drop()
  }

  /** The lifecycle from where it was last read, apart from the service and its audit. */
  async #wrote(): Promise<LifecycleRecord[]> {
    const store = await LmdbStore.open(join(this.dataDir, 'store'))
    try {
      const log = await EmbeddedLog.open({ store, clock: systemClock, partitions: PARTITIONS })
      const records: LifecycleRecord[] = []
      for (let partition = 0; partition < PARTITIONS; partition += 1) {
        for await (const { offset, value } of readWhole(log, TOPICS.lifecycle, partition)) {
          if (offset < (this.#read[partition] ?? 0)) continue
          this.#read[partition] = offset + 1
          records.push(LifecycleRecord.parse(value))
        }
      }
      return records
    } finally {
      await store.close()
    }
  }

  async #live(more: Pick<Errand, 'kill' | 'lastRound'>, killAfterMs?: number): Promise<Life> {
    const errand: Errand = {
      dataDir: this.dataDir,
      seed: this.seed,
      round: this.#round,
      facts: this.#facts,
      orders: this.#orders,
      ...more,
    }
    const output = join(this.#folder.path, `${this.lives.length}.out`)
    const errors = join(this.#folder.path, `${this.lives.length}.err`)
    // Files, not pipes: what was written before a SIGKILL is there after it.
    const [out, err] = [openSync(output, 'w'), openSync(errors, 'w')]
    const child = spawn(process.execPath, [this.#bundle.crashChild, JSON.stringify(errand)], {
      stdio: ['ignore', out, err],
    })
    if (killAfterMs !== undefined) void killLater(child, killAfterMs)
    const { code, signal } = await ended(child)
    closeSync(out)
    closeSync(err)
    const said = linesOf(output).map((line) => JSON.parse(line) as Said)
    const wrote = await this.#wrote()
    const life = { said, code, signal, wrote, errors: readFileSync(errors, 'utf8') }
    this.#remember(said)
    this.lives.push(life)
    return life
  }

  /** What the next process must know of what this one did. */
  #remember(said: readonly Said[]): void {
    for (const one of said) {
      if (one.said === 'order') this.#orders[one.label] = one.id
      if (one.said === 'fact') this.#facts[one.name] = one.value
      if (one.said === 'round') {
        this.#round = one.round + 1
        this.#facts = {}
      }
    }
  }
}

async function killLater(child: ChildProcess, ms: number): Promise<void> {
  await delay(ms)
  child.kill('SIGKILL')
}

function ended(
  child: ChildProcess,
): Promise<{ code: number | null; signal: NodeJS.Signals | null }> {
  return new Promise((resolve) => child.once('exit', (code, signal) => resolve({ code, signal })))
}

/** Whole lines only: a kill may cut the last one short. */
const linesOf = (file: string): string[] => readFileSync(file, 'utf8').split('\n').slice(0, -1)
