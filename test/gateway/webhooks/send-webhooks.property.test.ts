import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createWebhook } from '../../../src/gateway/webhooks/hand-out-secrets.ts'
import type { WebhookAnswer } from '../../../src/ports/webhooks/webhook-transport.ts'
import { bookOf, STATES } from '../../support/orders/order-book.ts'
import { eventually } from '../../support/webhooks/eventually.ts'
import { fasterClock, openWebhookBench } from '../../support/webhooks/webhook-bench.ts'

const RUNS = Number(process.env['WEBHOOK_RUNS'] ?? 12)
/** The first retry is after 5 s. */
const FASTER = 2_000

const answered = (status: number, retryAfter: string | null = null): WebhookAnswer => ({
  did: 'answer',
  status,
  retryAfter,
})
/** An answer that does not reach the sender: the receiver has the change all the same. */
const lost: WebhookAnswer = { did: 'fail', trouble: 'timeout' }

type Fate = { isTaken: boolean; answer: WebhookAnswer }
const fate: fc.Arbitrary<Fate> = fc.oneof(
  { weight: 4, arbitrary: fc.constant({ isTaken: true, answer: answered(200) }) },
  fc.constant({ isTaken: true, answer: lost }),
  fc.constant({ isTaken: false, answer: answered(500) }),
  fc.constant({ isTaken: false, answer: answered(429, '9') }),
  fc.constant({ isTaken: false, answer: { did: 'fail', trouble: 'unreachable' } as const }),
)
/** What happens in turn: an order changes, a sender dies and another begins, or two run at once. */
const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ order: fc.nat(5), state: fc.nat(STATES.length - 1) }) },
  fc.constantFrom('kill' as const, 'twin' as const),
)

test('every change of every order arrives, those of an order in their order, whatever fails or dies', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fate, { minLength: 1, maxLength: 40 }),
      fc.array(step, { minLength: 5, maxLength: 30 }),
      async (fates, steps) => {
        const bench = await openWebhookBench({ clock: fasterClock(FASTER) })
        const orders = bookOf(6, 3)
        const arrived: string[] = []
        let left = [...fates]
        const transport = {
          post: async ({ headers }: { headers: Readonly<Record<string, string>> }) => {
            const { isTaken, answer } = left.shift() ?? { isTaken: true, answer: answered(204) }
            if (isTaken) arrived.push(headers['webhook-id'] ?? '')
            await bench.office.clock.turn()
            return answer
          },
        }
        try {
          await createWebhook(bench.office, {
            name: 'all',
            url: 'https://hooks.example',
            filter: { includeWithdrawn: true },
          })
          let senders = [bench.send({ transport })]
          const told: string[] = []
          for (const one of steps) {
            if (one === 'twin') senders.push(bench.send({ transport }))
            else if (one === 'kill') {
              await senders.shift()?.stop()
              if (senders.length === 0) senders = [bench.send({ transport })]
            } else {
              const order = orders[one.order]!
              const { seq } = await bench.lifecycle.write(
                order,
                { state: STATES[one.state]! },
                'transition',
              )
              told.push(`${order.id}:${seq}`)
            }
          }
          await eventually(() => new Set(arrived).size).toBe(told.length)
          const firsts = [...new Set(arrived)]
          const ofEach = (ids: readonly string[]) =>
            orders.map(({ id }) => ids.filter((one) => one.startsWith(id)))
          expect(ofEach(firsts)).toEqual(ofEach(told))
          expect(bench.faults).toEqual([])
        } finally {
          left = []
          await bench.close()
        }
      },
    ),
    { numRuns: RUNS },
  )
}, 120_000)
