import { SimIndex } from './asset-index.ts'
import { Book } from './book.ts'
import { SimChain } from './chain.ts'
import { Faults } from './faults.ts'
import { Group } from './group.ts'
import { SimHistory } from './history.ts'
import { SimIngestStore } from './ingest-store.ts'
import { SimLog } from './log.ts'
import { Monitor } from './monitor.ts'
import { PoolWatch } from './pool-watch.ts'
import { Scheduler } from './scheduler.ts'
import { SimViews } from './views.ts'
import { WebhookWorld } from './webhook-world.ts'

export const PARTITIONS = 2
/** Of so many seeds one also has senders of webhooks: what they do would make each a third longer. */
export const WITH_WEBHOOKS = 10

/** Everything that outlives a process: stored state, truth, and decisions. */
export class World {
  readonly scheduler: Scheduler
  readonly faults: Faults
  readonly monitor: Monitor
  readonly chain: SimChain
  readonly index: SimIndex
  readonly log: SimLog
  readonly group: Group
  readonly views: SimViews
  readonly history = new SimHistory()
  readonly ingestStore = new SimIngestStore()
  readonly book = new Book()
  readonly poolWatch: PoolWatch
  #requests = 0
  /** The number of the ingest that may write; a later one fences it. */
  ingestEpoch = 0
  readonly webhooks: WebhookWorld | null

  constructor(seed: number, { keepsLines = false } = {}) {
    this.scheduler = new Scheduler(seed, { keepsLines })
    this.chain = new SimChain(() => this.scheduler.now)
    this.faults = new Faults(this.scheduler)
    this.monitor = new Monitor(this.scheduler, this.book)
    this.poolWatch = new PoolWatch(this.scheduler, (invariant, what) =>
      this.monitor.violated(invariant, what),
    )
    this.index = new SimIndex(this.chain)
    this.webhooks =
      seed % WITH_WEBHOOKS === 0
        ? new WebhookWorld(PARTITIONS, this.scheduler, (invariant, what) =>
            this.monitor.violated(invariant, what),
          )
        : null
    this.log = new SimLog(PARTITIONS, this.scheduler, {
      appended: (record, offset) => {
        this.monitor.appended(record, offset)
        this.webhooks?.watch.appended(record)
      },
      committed: (partition, snapshots) => this.monitor.committed(partition, snapshots),
    })
    this.group = new Group(PARTITIONS, this.scheduler)
    this.views = new SimViews(this.monitor)
    this.monitor.watch(this.chain)
  }

  newRequestId(): string {
    this.#requests += 1
    return `request ${this.#requests}`
  }

  get dice() {
    return this.scheduler.dice
  }
}
