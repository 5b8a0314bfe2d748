import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Question } from '../../src/actors/events/question.ts'
import { ROOM } from '../../src/domain/order/room.ts'
import { watermark } from '../support/log/watermarks.ts'
import { answerTo, commandOf, replayOf, WorkerHost } from '../support/log/worker-host.ts'
import { hash } from '../support/orders/evidence.ts'
import { askNamed, bidNamed, importNamed, openAt, truthOf } from '../support/orders/room.ts'

const RUNS = Number(process.env['FUZZ_RUNS'] ?? 6)

type Act =
  | { act: 'import'; kind: 'ask' | 'bid' | 'junk'; n: number; count: number }
  | { act: 'answer'; isLast: boolean; count: number }
  | { act: 'withdraw'; n: number }
  | { act: 'crash' }

const acts: fc.Arbitrary<Act[]> = fc.array(
  fc.oneof(
    {
      weight: 5,
      arbitrary: fc.record({
        act: fc.constant('import' as const),
        kind: fc.constantFrom('ask' as const, 'ask' as const, 'bid' as const, 'junk' as const),
        n: fc.nat(150),
        count: fc.integer({ min: 1, max: 16 }),
      }),
    },
    {
      weight: 6,
      arbitrary: fc.record({
        act: fc.constant('answer' as const),
        isLast: fc.boolean(),
        count: fc.integer({ min: 1, max: 20 }),
      }),
    },
    { weight: 2, arbitrary: fc.record({ act: fc.constant('withdraw' as const), n: fc.nat(150) }) },
    { weight: 1, arbitrary: fc.constant<Act>({ act: 'crash' }) },
  ),
  { minLength: 30, maxLength: 50 },
)

/** Arrivals at one output, and the bounds after every record. */
class Arrivals {
  readonly host = new WorkerHost()
  readonly #due: Question[] = []
  #requests = 0

  async act(one: Act): Promise<void> {
    switch (one.act) {
      case 'import':
        for (let n = one.n; n < one.n + one.count; n += 1) await this.#import(one.kind, n)
        return
      case 'answer':
        for (let n = 0; n < one.count; n += 1) await this.#answer(one.isLast)
        return
      case 'withdraw':
        return this.#tell(
          commandOf('withdraw', `withdraw ${this.#requests++}`, hash(`ask ${one.n}`)),
        )
      case 'crash':
        this.host.die()
        this.#due.length = 0
        await this.host.open()
    }
  }

  /** Every question is answered in the end. */
  async settle(): Promise<void> {
    this.#due.push(...this.host.takeQuestions())
    while (this.#due.length > 0) await this.#answer(false)
  }

  async #import(kind: 'ask' | 'bid' | 'junk', n: number): Promise<void> {
    const name = `${kind} ${n}`
    const claim = kind === 'bid' ? bidNamed(name, 400_000 + n) : askNamed(name, 500_000 + n)
    await this.#tell({ ...importNamed(claim), requestId: `import ${this.#requests++}` })
  }

  async #answer(isLast: boolean): Promise<void> {
    this.#due.push(...this.host.takeQuestions())
    const question = isLast ? this.#due.pop() : this.#due.shift()
    if (!question) return
    await this.#tell(answerTo(question, truthOf(question)))
    const { id, closedAt, attempt } = this.host.order(question.orderId)
    // The order proved just now never gives way.
    const last = this.host.changes.at(-1)
    if (attempt === question.attempt && last?.orderId === id && last.kind === 'transition')
      expect(closedAt).toBeNull()
  }

  async #tell(record: unknown): Promise<void> {
    await this.host.tell([record], 1)
    const { unproved, asks, bids } = openAt(this.host)
    expect(unproved.length).toBeLessThanOrEqual(ROOM.unproved)
    expect(asks.length).toBeLessThanOrEqual(ROOM.provedAsks)
    expect(bids.length).toBeLessThanOrEqual(ROOM.provedBids)
  }
}

test('whatever comes, in whatever order, an output keeps its bounds after every record', async () => {
  let mostAsks = 0
  await fc.assert(
    fc.asyncProperty(acts, async (sequence) => {
      const arrivals = new Arrivals()
      const { host } = arrivals
      await host.tell([watermark(0)])
      for (const act of sequence) await arrivals.act(act)
      await arrivals.settle()
      mostAsks = Math.max(mostAsks, openAt(host).asks.length)
      expect(host.faults).toEqual([])
      // What gave way is never for sale again, and every request was answered exactly once.
      for (const { reason, state, closedAt } of host.orders)
        if (reason === 'made_room' && state === 'WITHDRAWN') expect(closedAt).not.toBeNull()
      const requests = host.inbox.flatMap(({ value }) => {
        const { requestId } = value as { requestId?: string }
        return requestId === undefined ? [] : [requestId]
      })
      expect(host.outcomes.map(({ requestId }) => requestId).sort()).toEqual(requests.sort())
      expect((await replayOf(host, 5)).lifecycle).toEqual(host.lifecycle)
    }),
    { numRuns: RUNS, seed: 38 },
  )
  expect(mostAsks).toBeGreaterThan(16)
}, 120_000)
