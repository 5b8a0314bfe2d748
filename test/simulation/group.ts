import type { Process } from './process.ts'
import type { Scheduler } from './scheduler.ts'

/** A dead worker is noticed after this time. */
const SESSION_MS = 6_000

interface Member {
  process: Process
  /** Told which partitions it has now; possibly late. */
  assigned(): void
  /** Not notified until then: it continues with what it had. */
  deafUntil: number
}

/**
 * The workers that share the partitions: each partition has one owner, and every new owner a new
 * generation.
 */
export class Group {
  readonly #scheduler: Scheduler
  readonly #members: Member[] = []
  readonly #owners: (Member | null)[]
  readonly #generations: number[]

  constructor(partitions: number, scheduler: Scheduler) {
    this.#scheduler = scheduler
    this.#owners = Array.from({ length: partitions }, () => null)
    this.#generations = Array.from({ length: partitions }, () => 0)
  }

  join(process: Process, assigned: () => void): () => void {
    const member: Member = { process, assigned, deafUntil: 0 }
    this.#members.push(member)
    process.onDeath(() => {
      this.#scheduler.after(SESSION_MS, `${process.name} is missed`, () => this.#leave(member))
    })
    this.#share()
    return () => this.#leave(member)
  }

  owns(process: Process, partition: number, generation: number): boolean {
    return (
      this.#owners[partition]?.process === process && this.#generations[partition] === generation
    )
  }

  /** The generations of the partitions that a worker has now, by partition. */
  of(process: Process): Map<number, number> {
    return new Map(
      this.#owners.flatMap((owner, partition) =>
        owner?.process === process ? [[partition, this.#generations[partition] ?? 0] as const] : [],
      ),
    )
  }

  /** To another worker, or again to the same one. */
  move(partition: number): void {
    const others = this.#members.filter((member) => member !== this.#owners[partition])
    const to = others.length > 0 ? this.#scheduler.dice.of(others) : this.#owners[partition]
    this.#give(partition, to ?? null)
  }

  /** One worker gets no messages for a while, and loses all its partitions: a paused process. */
  pause(ms: number): boolean {
    const alive = this.#members.filter(({ process }) => process.isAlive)
    if (alive.length < 2) return false
    const paused = this.#scheduler.dice.of(alive)
    paused.deafUntil = this.#scheduler.now + ms
    for (const [partition, owner] of this.#owners.entries()) {
      if (owner === paused) this.move(partition)
    }
    this.#scheduler.after(ms, `${paused.process.name} hears again`, () => this.#tell(paused))
    return true
  }

  #leave(member: Member): void {
    const at = this.#members.indexOf(member)
    if (at < 0) return
    this.#members.splice(at, 1)
    this.#share()
  }

  /** Unowned partitions, and those of a worker with too many, go to one with too few. */
  #share(): void {
    const { length } = this.#members
    if (length === 0) {
      this.#owners.fill(null)
      return
    }
    const turn = this.#scheduler.dice.below(length)
    for (const partition of this.#owners.keys()) {
      const to = this.#members[(partition + turn) % length]
      if (to && this.#owners[partition] !== to) this.#give(partition, to)
    }
  }

  #give(partition: number, to: Member | null): void {
    const from = this.#owners[partition]
    this.#owners[partition] = to
    this.#generations[partition] = (this.#generations[partition] ?? 0) + 1
    if (from) this.#tell(from)
    if (to) this.#tell(to)
  }

  #tell(member: Member): void {
    if (this.#scheduler.now < member.deafUntil) return
    member.process.soon('rebalance', member.assigned)
  }
}

interface Assigned {
  generation: number
  stop: AbortController
  done: Promise<void>
}

/** Runs the work of each partition that the process is told it has, until the signal aborts. */
export async function whileAssigned(
  group: Group,
  process: Process,
  work: (partition: number, generation: number, stop: AbortController) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const running = new Map<number, Assigned>()
  const assigned = () => {
    const mine = group.of(process)
    for (const [partition, { generation, stop }] of running) {
      if (mine.get(partition) === generation) continue
      running.delete(partition)
      stop.abort()
    }
    for (const [partition, generation] of mine) {
      if (running.has(partition) || signal.aborted) continue
      const stop = new AbortController()
      running.set(partition, { generation, stop, done: work(partition, generation, stop) })
    }
  }
  const leave = group.join(process, assigned)
  await aborted(signal)
  for (const { stop } of running.values()) stop.abort()
  await Promise.all([...running.values()].map(({ done }) => done))
  leave()
}

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve())
  })
