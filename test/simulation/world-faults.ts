import { InboxRecord, LOG_SCHEMA, TOPICS } from '../../src/schemas/log.ts'
import type { Dice } from '../support/orders/order-book.ts'
import type { WorldFault } from './faults.ts'
import type { Gateway } from './gateway.ts'
import { ROLES, type Service } from './service.ts'
import { PARTITIONS, type World } from './world.ts'

/** How far a wall clock may step, either way, most times: a fraction of what orders wait for. */
const SMALL_STEP_MS = 120_000
/** And how far in one step of four: longer than most of what orders wait for. */
export const LARGE_STEP_MS = 3_600_000
const LARGE_STEPS = 0.25

/** How far a clock is off from now on, virtual milliseconds, either way. */
export function drawSkew(dice: Dice): number {
  const reach = dice.chance(LARGE_STEPS) ? LARGE_STEP_MS : SMALL_STEP_MS
  return dice.below(2 * reach) - reach
}

/** Causes one fault of the world. Returns false where it was not possible. */
export class WorldFaults {
  readonly #world: World
  readonly #service: Service
  readonly #gateway: Gateway

  constructor(world: World, service: Service, gateway: Gateway) {
    this.#world = world
    this.#service = service
    this.#gateway = gateway
  }

  happen(fault: WorldFault): void {
    if (this.#deeds[fault]()) this.#world.faults.happened(fault)
  }

  /** Everything unavailable comes back. */
  heal(): void {
    const { chain, index, history } = this.#world
    chain.trouble = null
    if (chain.isRewound) chain.catchUp()
    chain.hear()
    index.trouble = null
    index.isFrozen = false
    index.sync()
    history.isAway = false
  }

  readonly #deeds: Record<WorldFault, () => boolean> = {
    reorg: () => this.#reorg(1 + this.#world.dice.below(4)),
    'deep reorg': () => this.#reorg(6 + this.#world.dice.below(14)),
    'flip to another branch and back': () => {
      const { chain } = this.#world
      const tip = chain.tip.hash
      if (!this.#reorg(1 + this.#world.dice.below(2))) return false
      this.#later(5_000, () => {
        if (!chain.isRewound && !chain.active.includes(tip)) chain.switchTo(tip)
      })
      return true
    },
    'node restarted': () => {
      const { chain, dice } = this.#world
      chain.trouble = 'node_unavailable'
      chain.restart(() => dice.chance(0.7))
      this.#later(8_000, () => {
        chain.trouble = null
      })
      return true
    },
    'node away': () => {
      const { chain, dice } = this.#world
      if (chain.trouble) return false
      chain.trouble = dice.of(['node_unavailable', 'node_warming_up', 'node_unauthorized'] as const)
      this.#later(60_000, () => {
        chain.trouble = null
      })
      return true
    },
    'node back in block download': () => {
      const { chain, dice } = this.#world
      if (chain.isRewound || chain.active.length < 12) return false
      chain.rewind(1 + dice.below(5))
      this.#later(20_000, () => chain.catchUp())
      return true
    },
    'pushes lost': () => {
      this.#world.chain.deafen()
      this.#later(15_000, () => this.#world.chain.hear())
      return true
    },
    'block bodies pruned': () => {
      const { chain, dice } = this.#world
      if (chain.active.length < 10) return false
      // The service is down while blocks come and their bodies are pruned.
      this.#service.kill('ingest')
      for (let n = 1 + dice.below(3); n > 0 && !chain.isRewound; n -= 1) {
        chain.pruned.add(chain.mine([...chain.mempool.values()]).hash)
      }
      return true
    },
    'index away': () => this.#indexTrouble('asset_index_unreachable'),
    'index malformed': () => this.#indexTrouble('asset_index_malformed'),
    'index stands still': () => {
      const { index } = this.#world
      if (index.isFrozen) return false
      index.isFrozen = true
      this.#later(120_000, () => {
        index.isFrozen = false
        index.sync()
      })
      return true
    },
    'index rolled back': () => {
      const { index, dice } = this.#world
      index.rollBack(1 + dice.below(19))
      this.#later(20_000, () => index.sync())
      return true
    },
    'index rebuilt': () => {
      const { index, dice } = this.#world
      index.rebuild(() => dice.chance(0.2))
      return true
    },
    'index upgraded': () => {
      const { index, dice } = this.#world
      index.upgrade(dice.chance(0.8))
      return true
    },
    'partition moved': () => {
      const { group, dice } = this.#world
      group.move(dice.below(PARTITIONS))
      return true
    },
    'worker not told that it lost its partitions': () => {
      const { group, dice } = this.#world
      return group.pause(1_000 + dice.below(40_000))
    },
    'second ingest takes over': () => {
      this.#service.start('ingest')
      return true
    },
    'watermark of a former ingest lands late': () => this.#lateWatermark(),
    'process killed': () => {
      this.#service.kill(this.#world.dice.of(ROLES))
      return true
    },
    'process stopped': () => {
      this.#service.stop(this.#world.dice.of(ROLES))
      return true
    },
    'clock stepped': () => {
      const { dice } = this.#world
      this.#service.stepClock(dice.of(ROLES), drawSkew(dice))
      return true
    },
    'history away': () => {
      const { history } = this.#world
      history.isAway = true
      this.#later(120_000, () => {
        history.isAway = false
      })
      return true
    },
    'history lost its tail': () => {
      this.#world.history.loseTail(1 + this.#world.dice.below(30))
      return true
    },
    'views flushed': () => {
      const { views, monitor } = this.#world
      monitor.flushed()
      views.flush()
      return true
    },
    'pool evicted': () => {
      this.#world.poolWatch.store.flush()
      return true
    },
    'inbox past its retention': () => this.#loseInbox(),
    'poison record': () => {
      const { dice } = this.#world
      const value = dice.of([
        null,
        'not an object',
        { schema: LOG_SCHEMA - 1, kind: 'watermark' },
        { schema: LOG_SCHEMA, kind: 'spend', change: 'eaten', outpoint: 'nowhere' },
      ])
      this.#gateway.poisonInbox(value, dice.below(PARTITIONS))
      return true
    },
  }

  #reorg(wanted: number): boolean {
    const { chain, dice, index, scheduler } = this.#world
    const depth = Math.min(wanted, chain.active.length - 2)
    if (depth < 1 || chain.isRewound) return false
    const length = dice.chance(0.15) ? Math.max(1, depth - 1) : depth + 1
    const [chosen, dropped] = [dice.below(100) / 100, dice.chance(0.5) ? 0.3 : 0]
    chain.reorg(depth, length, {
      isChosen: () => dice.chance(chosen),
      isDropped: () => dice.chance(dropped),
    })
    scheduler.after(dice.below(10_000), 'the index follows', () => index.sync())
    return true
  }

  #indexTrouble(trouble: 'asset_index_unreachable' | 'asset_index_malformed'): boolean {
    const { index } = this.#world
    if (index.trouble) return false
    index.trouble = trouble
    this.#later(90_000, () => {
      index.trouble = null
    })
    return true
  }

  /** As of a replaced writer whose last write was in flight: hosts ignore it. */
  #lateWatermark(): boolean {
    const { log, dice } = this.#world
    const partition = dice.below(PARTITIONS)
    const seen = log.progress(partition)
    if (!seen?.watermark) return false
    const { forkHeight: _fork, lost: _lost, ...watermark } = seen.watermark
    const value = { ...watermark, epoch: watermark.epoch - 1, n: watermark.n + 1 }
    log.append([{ topic: TOPICS.inbox, partition, key: '', value }])
    return true
  }

  /**
   * What its worker was too late for, of any kind: news, forks, answers, the watermarks of a whole
   * life of ingest. Commands are never lost, nor what must become a dead letter.
   */
  #loseInbox(): boolean {
    const { log, group, dice } = this.#world
    const partition = dice.below(PARTITIONS)
    const records = log.waiting(partition).map(({ value }) => value)
    const end = records.findIndex((value) => !isToldByTheWorld(value))
    const count = end < 0 ? records.length : end
    if (count === 0 || log.consumed(partition) === 0) return false
    log.trimInbox(partition, 1 + dice.below(count))
    // Its owner may have read them: they are unowned now.
    group.move(partition)
    return true
  }

  #later(ms: number, then: () => void): void {
    const { scheduler, dice } = this.#world
    scheduler.after(dice.below(ms), 'the world mends', then)
  }
}

function isToldByTheWorld(value: unknown): boolean {
  const { data: record } = InboxRecord.safeParse(value)
  return record !== undefined && record.kind !== 'command'
}
