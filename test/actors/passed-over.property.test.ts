import fc from 'fast-check'
import { expect, test } from 'vitest'
import { storedWith } from '../../src/adapters/log/inbox-news.ts'
import { type InboxRecord, TOPICS } from '../../src/schemas/log.ts'
import { toOutpointText } from '../support/ids.ts'
import { watermark } from '../support/log/watermarks.ts'
import {
  commandOf,
  importOf,
  outputNews,
  replayOf,
  spendNews,
  WorkerHost,
} from '../support/log/worker-host.ts'
import {
  askClaim,
  blockAt,
  evidenceOf,
  hash,
  MISSING,
  nodeAway,
  nodeSays,
  spendBlock,
  spendBy,
  spentBy,
} from '../support/orders/evidence.ts'

const RUNS = Number(process.env['FUZZ_RUNS'] ?? 150)
const OUTPUTS = 12
/** Orders are made of the first few only: news of the others concerns no order. */
const OFFERED = 4

const outputOf = (n: number) => toOutpointText(`${hash(`output ${n}`)}:0`)
const idOf = (n: number, wrapper: number) => hash(`order ${n} ${wrapper}`)
const thief = spendBy('thief', { block: spendBlock(), pairedOutput: null })

const news = fc.tuple(
  fc.nat(OUTPUTS - 1),
  fc.constantFrom('seen', 'dropped', 'confirmed', 'unconfirmed', 'appears', 'is gone'),
)
const newsOf = ([n, change]: [number, string]): InboxRecord => {
  const outpoint = outputOf(n)
  if (change === 'appears') return outputNews('confirmed', blockAt(900), outpoint)
  if (change === 'is gone') return outputNews('gone', null, outpoint)
  return spendNews(change as 'seen' | 'dropped' | 'confirmed' | 'unconfirmed', thief, outpoint)
}
const act = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('news' as const), news }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('import' as const),
      output: fc.nat(OFFERED - 1),
      wrapper: fc.nat(1),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('withdraw' as const),
      output: fc.nat(OFFERED - 1),
      wrapper: fc.nat(1),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('answer' as const),
      as: fc.constantFrom('live', 'spent', 'missing', 'away'),
    }),
  },
  { weight: 2, arbitrary: fc.constant({ kind: 'watermark' as const }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'crash' as const }) },
)

const ANSWERS = {
  live: evidenceOf(),
  spent: evidenceOf({ node: nodeSays({ output: spentBy(thief, true) }) }),
  missing: evidenceOf({ node: nodeSays({ output: MISSING }) }),
  away: evidenceOf({ node: nodeAway() }),
} as const

/** What a life leaves in the log. */
const committed = (host: WorkerHost) => ({
  lifecycle: host.lifecycle,
  orders: host.orders,
  partition: host.partition,
  dead: host.dead.map(({ reason }) => reason),
})

test('what is committed does not depend on whether news of no order is read', async () => {
  let passed = 0
  await fc.assert(
    fc.asyncProperty(
      fc.array(act, { maxLength: 60 }),
      fc.integer({ min: 1, max: 30 }),
      async (acts, batch) => {
        const host = new WorkerHost()
        host.append(watermark(0))
        let marks = 1
        for (const one of acts) {
          if (one.kind === 'news') host.append(newsOf(one.news))
          else if (one.kind === 'watermark') host.append(watermark(marks++))
          else if (one.kind === 'crash') host.die()
          else if (one.kind === 'answer')
            await host.answerAll(() => ANSWERS[one.as as keyof typeof ANSWERS], batch)
          else {
            const { output, wrapper } = one
            const outpoint = outputOf(output)
            const id = idOf(output, wrapper)
            const request = `${host.inbox.length}`
            host.append(
              one.kind === 'import'
                ? importOf(askClaim({ wrapper: id, offer: { outpoint } }), request, id)
                : commandOf('withdraw', request, id, outpoint),
            )
          }
        }
        await host.run(batch)
        const all = await replayOf(host, 7, { readsAll: true })
        expect(committed(all)).toEqual(committed(host))
        expect(host.faults).toEqual([])
        passed += acts.filter((one) => one.kind === 'news' && one.news[0] >= OFFERED).length
      },
    ),
    { numRuns: RUNS },
  )
  expect(passed).toBeGreaterThan(RUNS / 10)
})

test('news whose key is not its output has no effect, whether its key is on offer or not', async () => {
  const host = new WorkerHost()
  const id = idOf(0, 0)
  const claim = askClaim({ offer: { outpoint: outputOf(0) } })
  await host.tell([watermark(0), importOf(claim, 'import', id)])
  await host.answerAll(() => ANSWERS.live)
  const before = host.order(id)
  const keyed = (key: string, outpoint: string) => {
    const value = spendNews('seen', thief, toOutpointText(outpoint))
    const record = { partition: 0, offset: host.inbox.length, value }
    host.inbox.push(storedWith(TOPICS.inbox, key, record))
  }
  keyed(outputOf(OUTPUTS), outputOf(0))
  keyed(outputOf(0), outputOf(OUTPUTS))
  await host.run()
  expect(host.order(id)).toEqual(before)
  expect(host.dead.map(({ record, reason }) => [record.offset, reason])).toEqual([
    [host.inbox.length - 1, `misplaced: its key is not its output ${outputOf(OUTPUTS)}`],
  ])
})
