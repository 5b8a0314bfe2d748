import type { OperatorAct } from '../../../schemas/operations.ts'

/** More are only in the service's log. */
const MAX_ACTS = 100

declare module 'fastify' {
  interface FastifyInstance {
    recentActs: RecentActs
  }
}

/** What operators did at this gateway since its start, the newest first. */
export class RecentActs {
  #acts: OperatorAct[] = []
  readonly #now: () => number

  constructor(now: () => number) {
    this.#now = now
  }

  note(act: Omit<OperatorAct, 'at'>): void {
    const at = new Date(this.#now()).toISOString()
    this.#acts = [{ at, ...act }, ...this.#acts].slice(0, MAX_ACTS)
  }

  list(): OperatorAct[] {
    return this.#acts
  }
}
