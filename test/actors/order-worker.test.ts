import { describe, expect, test } from 'vitest'
import { questionOf } from '../../src/actors/events/question.ts'
import { foldOrder } from '../../src/domain/order/fold-order.ts'
import { NewerRecordError } from '../../src/ports/log/newer-record.ts'
import type { Evidence } from '../../src/schemas/evidence.ts'
import { type ChangeRecord, NEWEST_LOG_SCHEMA, type Watermark } from '../../src/schemas/log.ts'
import type { OrderRecord } from '../../src/schemas/order-record.ts'
import { toOrderId, toOutpointText } from '../support/ids.ts'
import { watermark } from '../support/log/watermarks.ts'
import {
  answerTo,
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
  indexAway,
  indexSays,
  MEDIAN_TIME,
  MISSING,
  nodeAway,
  nodeSays,
  OUTPUT_BLOCK,
  signatureOf,
  spendBlock,
  spendBy,
  spentBy,
  TIP_HEIGHT,
  unspent,
} from '../support/orders/evidence.ts'
import { withoutWork } from '../support/orders/life.ts'
import { ORDER_ID } from '../support/orders/orders.ts'

const live = evidenceOf()
const thief = spendBy('thief', { block: spendBlock(), pairedOutput: null })

/** Orders of outputs of their own, each validly signed. */
const nth = (n: number) =>
  askClaim({ offer: { outpoint: toOutpointText(`${hash(`output ${n}`)}:0`) } })
const nthId = (n: number) => hash(`order ${n}`)
const importNth = (n: number) => importOf(nth(n), `import ${n}`, nthId(n))

async function hostWith(orders: number, answer: Evidence = live): Promise<WorkerHost> {
  const host = new WorkerHost()
  await host.tell([watermark(0), ...Array.from({ length: orders }, (_, n) => importNth(n))])
  await host.answerAll(() => answer)
  return host
}
const asked = (host: WorkerHost) => host.takeQuestions().map(({ orderId }) => orderId)
const foldOf = (changes: readonly ChangeRecord[], id: string) =>
  changes
    .filter(({ orderId }) => orderId === id)
    .reduce<OrderRecord | null>((order, change) => foldOrder(order, change), null)

describe('a record', () => {
  test('of an output that is not on offer costs nothing', async () => {
    const host = await hostWith(1)
    const { length } = host.lifecycle
    await host.tell([spendNews('seen', thief), outputNews('confirmed', OUTPUT_BLOCK)])
    expect(host.lifecycle).toHaveLength(length)
  })

  test('reaches every order of its output, and no others', async () => {
    const host = new WorkerHost()
    const ids = ['a', 'b', 'c'].map(hash)
    await host.tell([
      watermark(0),
      ...ids.map((id) => importOf(askClaim({ wrapper: id }), id, id)),
      importNth(1),
    ])
    await host.answerAll(({ claims }) =>
      evidenceOf({ node: nodeSays({ signatures: claims.map((claim) => signatureOf(claim)) }) }),
    )
    await host.tell([spendNews('seen', thief)])
    expect(ids.map((id) => host.order(id).state)).toEqual(Array(3).fill('MEMPOOL_CONFLICTED'))
    expect(host.order(nthId(1)).state).toBe('LIVE')
  })

  test('reaches an order that was created, or reopened, in the same batch', async () => {
    const host = new WorkerHost()
    await host.tell([importOf(askClaim(), 'import'), spendNews('seen', thief)])
    expect(host.order().state).toBe('MEMPOOL_CONFLICTED')
  })

  test.each([
    ['that is no record', { kind: 'gossip' }],
    ['of an unknown version', { ...importOf(askClaim(), 'x'), schema: 0 }],
    ['that is nothing', null],
  ])('%s goes to the dead letters, and the partition continues', async (_, record) => {
    const host = new WorkerHost()
    await host.tell([record, importOf(askClaim(), 'import')])
    expect(host.dead).toMatchObject([{ record: { offset: 0 } }])
    expect(host.order().state).toBe('PENDING_NODE')
  })

  test('of a newer release stops the partition: what precedes it is committed, and it is no dead letter', async () => {
    const host = new WorkerHost()
    const newer = { ...spendNews('seen', thief), schema: NEWEST_LOG_SCHEMA + 1 }
    host.append(importOf(askClaim(), 'import'))
    host.append(newer)
    await expect(host.run()).rejects.toThrow(NewerRecordError)
    expect(host.order().state).toBe('PENDING_NODE')
    expect(host.dead).toEqual([])
    await expect(host.run()).rejects.toThrow(
      'the log has a record of schema 3, but this release reads 2: start the release that wrote it, or a later one',
    )
  })

  test('that fails is set aside, the other orders of its output are not, and its request is answered', async () => {
    const host = new WorkerHost()
    const other = hash('other order')
    await host.tell([
      watermark(0),
      importOf(askClaim(), 'one'),
      importOf(askClaim({ wrapper: 'two' }), 'two', other),
    ])
    await host.answerAll(({ claims }) =>
      evidenceOf({ node: nodeSays({ signatures: claims.map((claim) => signatureOf(claim)) }) }),
    )
    // A snapshot that no step can continue from.
    const broken = { ...host.order(), state: 'LOST' } as unknown as OrderRecord
    host.snapshots.put([{ schema: 1, kind: 'order', order: broken }])
    host.die()
    await host.tell([spendNews('seen', thief), commandOf('revalidate', 'again')])
    expect(host.order(other).state).toBe('MEMPOOL_CONFLICTED')
    expect(host.faults).toHaveLength(2)
    expect(host.dead.map(({ record }) => record.offset)).toEqual([
      host.inbox.length - 2,
      host.inbox.length - 1,
    ])
    expect(host.outcomeOf('again')).toMatchObject({ status: 'refused', code: 'INTERNAL' })
  })

  test('no more requests wait for one order than its snapshot keeps; a published one always may', async () => {
    const host = new WorkerHost()
    const published = { ...askClaim({ wrapper: 'mine' }), published: true as const }
    await host.tell([
      importOf(askClaim(), 'import'),
      ...Array.from({ length: 100 }, (_, n) => commandOf('revalidate', `r${n}`)),
      importOf(published, 'published'),
    ])
    const { requests = [], late = [] } = host.order().pending ?? {}
    expect(requests.length + late.length).toBe(65)
    expect(host.outcomeOf('r62')).toBeUndefined()
    for (const n of [63, 99])
      expect(host.outcomeOf(`r${n}`)).toMatchObject({ status: 'refused', code: 'OVERLOADED' })
    expect(host.outcomeOf('published')).toBeUndefined()
  })

  test('of another partition is set aside', async () => {
    const host = new WorkerHost()
    const worker = await host.open()
    const misplaced = { partition: 1, offset: 0, value: importOf(askClaim(), 'x') }
    const { dead, lifecycle } = await worker.step([misplaced])
    expect(dead[0]?.reason).toMatch(/^misplaced/)
    expect(lifecycle).toEqual([])
  })
})

describe('a command', () => {
  test('for an order that does not exist is refused', async () => {
    const host = new WorkerHost()
    await host.tell([commandOf('revalidate', 'r'), commandOf('withdraw', 'w')])
    expect([host.outcomeOf('r'), host.outcomeOf('w')]).toMatchObject([
      { code: 'ORDER_NOT_FOUND' },
      { code: 'ORDER_NOT_FOUND' },
    ])
  })

  test('of the sweep counts, if the order is LIVE even now, and has it verified', async () => {
    const host = await hostWith(1)
    const audit = commandOf('audit', 'a', nthId(0), nth(0).offer.outpoint)
    await host.tell([audit, { ...audit, requestId: 'b' }])
    expect(host.disagreements).toEqual([`${nthId(0)} the output is absent`])
    await host.answerAll(() => evidenceOf({ node: nodeSays({ output: MISSING, signatures: [] }) }))
    expect(host.order(nthId(0)).state).toBe('REJECTED')
    await host.tell([{ ...audit, requestId: 'c' }])
    expect(host.disagreements).toHaveLength(1)
    expect(host.outcomes.map(({ requestId }) => requestId)).not.toContain('a')
  })
})

describe('evidence', () => {
  test('of another attempt, or of no order, is not the awaited answer', async () => {
    const host = new WorkerHost()
    await host.tell([importOf(askClaim(), 'import')])
    const [question] = host.takeQuestions()
    if (!question) throw new Error('no question')
    const answer = answerTo(question, live)
    await host.tell([
      { ...answer, attempt: 7 },
      { ...answer, orderId: hash('nobody') },
    ])
    expect(host.changes).toHaveLength(1)
    await host.tell([answer])
    expect(host.changes).toHaveLength(2)
    await host.tell([answer, answer])
    expect(host.changes).toHaveLength(2)
    expect(host.outcomes).toHaveLength(1)
  })

  test('begun before continuity was lost makes an order that is verified again', async () => {
    const host = new WorkerHost()
    await host.tell([watermark(0), importOf(askClaim(), 'import')])
    const [question] = host.takeQuestions()
    if (!question) throw new Error('no question')
    expect(question.begunAt).toEqual({ epoch: 1, n: 0 })
    await host.tell([watermark(1, { lost: 'all' }), answerTo(question, live)])
    expect(host.order()).toMatchObject({ state: 'LIVE', anchor: { watermark: null } })
    await host.tell([watermark(2)])
    expect(asked(host)).toEqual([ORDER_ID])
  })

  test('begun before the node or ingest restarted is not used: the question is asked again', async () => {
    const host = new WorkerHost()
    await host.tell([watermark(0), importOf(askClaim(), 'import')])
    const [question] = host.takeQuestions()
    if (!question) throw new Error('no question')
    const missing = evidenceOf({ node: nodeSays({ output: MISSING }) })
    await host.tell([watermark(0, { epoch: 2 }), answerTo(question, missing)])
    expect(host.order()).toMatchObject({ state: 'PENDING_NODE', pending: { attempt: 2 } })
    expect(host.outcomeOf('import')).toBeUndefined()
    await host.answerAll(() => live)
    expect(host.order().state).toBe('LIVE')
    expect(host.outcomeOf('import')).toEqual({ status: 'done', seq: 2 })
  })
})

describe('a crash', () => {
  test('between step and commit leaves nothing, and the batch is stepped again', async () => {
    const host = new WorkerHost()
    host.append(watermark(0), importOf(askClaim(), 'import'))
    await host.step(200, false)
    expect([host.lifecycle, host.orders, host.questions]).toEqual([[], [], []])
    await host.run()
    expect(host.changes).toHaveLength(1)
  })

  test('after the commit repeats the question, and its two answers make one transition', async () => {
    const host = new WorkerHost()
    await host.tell([watermark(0), importOf(askClaim(), 'import')])
    const [before] = host.takeQuestions()
    host.die()
    await host.open()
    const [after] = host.takeQuestions()
    expect(after).toEqual(before)
    if (!before || !after) throw new Error('no question')
    await host.tell([answerTo(before, live), answerTo(after, live)])
    expect(host.changes.map(({ toState }) => toState)).toEqual(['PENDING_NODE', 'LIVE'])
    expect(host.outcomes).toHaveLength(1)
  })

  test('loses none that waits', async () => {
    const host = await hostWith(3, evidenceOf({ index: indexAway() }))
    expect(host.order(nthId(0)).state).toBe('PENDING_ASSET')
    host.die()
    await host.tell([watermark(1)])
    expect(asked(host).sort()).toEqual([0, 1, 2].map(nthId).sort())
  })

  test('asks no question before the batch that asks it is committed', async () => {
    const host = new WorkerHost()
    const worker = await host.open()
    await worker.step([{ partition: 0, offset: 0, value: importOf(askClaim(), 'import') }])
    expect(host.questions).toEqual([])
    worker.committed()
    expect(host.questions).toHaveLength(1)
  })
})

describe('a watermark', () => {
  test('of the past, of a lower epoch, or repeated is ignored', async () => {
    const host = await hostWith(1)
    await host.tell([watermark(1, { epoch: 3, n: 0 })])
    for (const old of [watermark(0, { epoch: 3 }), watermark(9), watermark(9, { epoch: 2 })]) {
      await host.tell([{ ...old, lost: 'all' }])
    }
    expect(host.partition).toMatchObject({
      seen: { epoch: 3, n: 0 },
      continuousSince: { epoch: 1, n: 0 },
    })
  })

  test('that does not cover moves what was seen, not what is vouched for', async () => {
    const host = await hostWith(1)
    await host.tell([watermark(1, { covers: false, index: null, indexStatus: 'unreachable' })])
    expect(host.partition).toMatchObject({ seen: { n: 1 }, watermark: { n: 0, covers: true } })
  })

  test('says how much of the lifecycle a view must have folded to show it', async () => {
    const host = new WorkerHost()
    await host.tell([importOf(askClaim(), 'import'), watermark(0), watermark(1)])
    expect(host.partition?.lifecycleEnd).toBe(1)
    await host.tell([watermark(2)])
    expect(host.partition?.lifecycleEnd).toBe(1)
  })

  test.each<[string, Partial<Watermark>]>([
    ['a jump in n', { n: 2 }],
    ['an epoch whose first was missed', { epoch: 2, n: 1 }],
    ['what ingest says', { n: 1, lost: 'all' }],
  ])('ends continuity for all by %s: every LIVE order is verified again', async (_, changes) => {
    const host = await hostWith(3)
    await host.tell([watermark(1, changes)])
    const { epoch = 1, n = 1 } = changes
    expect(host.partition?.continuousSince).toEqual({ epoch, n })
    await host.renew()
    expect(asked(host).sort()).toEqual([0, 1, 2].map(nthId).sort())
  })

  test('of a new epoch does not hide records that were deleted before they were consumed', async () => {
    const host = await hostWith(3)
    host.die()
    host.hasGap = true
    await host.tell([spendNews('seen', thief)])
    // The next owner of the partition is told no more, and knows.
    host.die()
    host.hasGap = false
    expect(host.partition?.continuousSince).toEqual({ epoch: 1, n: 1 })
    await host.tell([watermark(1, { epoch: 2, n: 0 })])
    await host.renew()
    expect(asked(host).sort()).toEqual([0, 1, 2].map(nthId).sort())
  })

  test('has what was decided on a block beyond it verified again, once it has come that far', async () => {
    const host = await hostWith(2)
    const block = blockAt(TIP_HEIGHT + 1, 'that gives way')
    const next = { ...block, medianTime: MEDIAN_TIME }
    const made = unspent({ block })
    await host.tell([importOf(askClaim(), 'import')])
    const index = indexSays({ at: { ...block, version: 'ord 1' } })
    const node = nodeSays({ tip: next, output: made })
    await host.answerAll(() => evidenceOf({ node, index }))
    expect(host.order()).toMatchObject({ state: 'LIVE', anchor: { ahead: true } })
    await host.tell([watermark(1)])
    expect(asked(host)).toEqual([])
    const tip = { ...blockAt(TIP_HEIGHT + 1), medianTime: MEDIAN_TIME }
    await host.tell([watermark(2, { tip, index: null, indexStatus: 'unconfigured' })])
    expect(asked(host)).toEqual([ORDER_ID])
    host.append(
      answerTo(questionOf(host.order()), evidenceOf({ node: nodeSays({ tip, output: MISSING }) })),
    )
    await host.run()
    expect(host.order()).toMatchObject({ state: 'REJECTED', reason: 'outpoint_missing' })
    expect(host.order().anchor).not.toHaveProperty('ahead')
  })

  test('of a new epoch that starts at 0 continues', async () => {
    const host = await hostWith(3)
    await host.tell([watermark(1, { epoch: 2, n: 0 })])
    expect(host.partition?.continuousSince).toEqual({ epoch: 1, n: 0 })
    expect(asked(host)).toEqual([])
  })

  test('with the fork of a reorg has every order above it verified again', async () => {
    const host = await hostWith(2)
    const high = blockAt(TIP_HEIGHT)
    const tall = importOf(askClaim(), 'tall')
    await host.tell([tall])
    await host.answerAll(() => evidenceOf({ node: nodeSays({ output: unspent({ block: high }) }) }))
    await host.tell([watermark(1, { forkHeight: TIP_HEIGHT - 1 })])
    expect(asked(host)).toEqual([ORDER_ID])
    await host.tell([
      spendNews('confirmed', { ...thief, block: spendBlock() }, nth(0).offer.outpoint),
    ])
    await host.tell([watermark(2, { forkHeight: TIP_HEIGHT - 1 })])
    expect(asked(host)).toEqual([nthId(0)])
  })

  test('with the fork of the index takes continuity from outputs above it alone', async () => {
    const host = await hostWith(1)
    await host.tell([importOf(askClaim(), 'tall')])
    const high = evidenceOf({ node: nodeSays({ output: unspent({ block: blockAt(950) }) }) })
    await host.answerAll(() => high)
    await host.tell([watermark(1, { lost: { aboveHeight: 949 } })])
    expect(host.order().anchor?.watermark).toBeNull()
    expect(host.order(nthId(0)).anchor?.watermark).toEqual({ epoch: 1, n: 0 })
    expect(asked(host)).toEqual([ORDER_ID])
  })
})

describe('orders that wait', () => {
  test('are woken when the node is back, 100 a watermark, longest waiting first', async () => {
    const host = await hostWith(250, evidenceOf({ node: nodeAway() }))
    await host.tell([watermark(1)])
    const first = asked(host)
    await host.tell([watermark(2)])
    const second = asked(host)
    await host.tell([watermark(3), watermark(4)])
    const third = asked(host)
    expect([first, second, third].map(({ length }) => length)).toEqual([100, 100, 50])
    expect(new Set([...first, ...second, ...third]).size).toBe(250)
  })

  test('for the index stay asleep while watermarks do not advance it', async () => {
    const host = await hostWith(1, evidenceOf({ index: indexAway('asset_index_unreachable') }))
    await host.tell([watermark(1, { index: null, covers: false, indexStatus: 'unreachable' })])
    expect(asked(host)).toEqual([])
    const low = { ...blockAt(OUTPUT_BLOCK.height - 1), version: 'ord 1' }
    await host.tell([watermark(2, { index: low, indexStatus: 'behind' })])
    expect(asked(host)).toEqual([])
    await host.tell([watermark(3)])
    expect(asked(host)).toEqual([nthId(0)])
  })

  test('for the index are asked about once a block while it is away, not at every watermark', async () => {
    const away = { covers: false, index: null, indexStatus: 'unreachable' } as const
    const tipAt = (height: number) => ({ ...blockAt(height), medianTime: MEDIAN_TIME })
    const unindexed = (height: number) =>
      evidenceOf({
        node: nodeSays({ tip: tipAt(height) }),
        index: indexAway('asset_index_unreachable'),
      })
    const host = new WorkerHost()
    await host.tell([watermark(0), watermark(1, { ...away, tip: tipAt(TIP_HEIGHT + 1) })])
    await host.tell([importNth(0)])
    await host.answerAll(() => unindexed(TIP_HEIGHT + 1))
    const changesIn = async (height: number, first: number) => {
      const { length } = host.changes
      for (let n = first; n < first + 10; n += 1) {
        await host.tell([watermark(n, { ...away, tip: tipAt(height) })])
        await host.answerAll(() => unindexed(height))
      }
      return host.changes.length - length
    }
    expect(await changesIn(TIP_HEIGHT + 1, 2)).toBe(0)
    expect(await changesIn(TIP_HEIGHT + 2, 12)).toBe(1)
    const tip = tipAt(TIP_HEIGHT + 2)
    await host.tell([watermark(22, { tip })])
    await host.answerAll(() => evidenceOf({ node: nodeSays({ tip }) }))
    expect(host.order(nthId(0))).toMatchObject({ state: 'LIVE' })
    expect(host.order(nthId(0)).anchor).not.toHaveProperty('ahead')
  })

  test('for an answer that the index does not give are asked about ever less often', async () => {
    const malformed = evidenceOf({ index: indexAway('asset_index_malformed') })
    const host = await hostWith(1, malformed)
    let questions = 0
    for (let n = 1; n <= 600; n += 1) {
      await host.tell([watermark(n)])
      const { at } = watermark(n)
      const open = host.takeQuestions()
      questions += open.length
      const asked = { ...malformed, askedAt: at }
      await host.tell(open.map((question) => ({ ...answerTo(question, asked), at })))
    }
    expect(questions).toBeGreaterThan(5)
    expect(questions).toBeLessThan(15)
    await host.tell([watermark(1_200)])
    await host.answerAll(() => live)
    expect(host.order(nthId(0)).state).toBe('LIVE')
  })

  test('for an answer that was set aside are asked again, a few times', async () => {
    const host = await hostWith(1)
    const { marketOf } = host
    host.marketOf = () => {
      throw new Error('a defect')
    }
    const { outpoint } = nth(0).offer
    const failAt = async (n: number) => {
      await host.tell([watermark(n)])
      const questions = host.takeQuestions()
      await host.tell(questions.map((question) => answerTo(question, live)))
      return questions.map(({ attempt }) => attempt)
    }
    await host.tell([commandOf('revalidate', 'first', nthId(0), outpoint)])
    const { attempt } = host.order(nthId(0))
    expect(await failAt(1)).toEqual([attempt])
    expect(host.dead).toHaveLength(1)
    host.marketOf = marketOf
    expect(await failAt(2)).toEqual([attempt])
    expect(host.outcomeOf('first')).toMatchObject({ status: 'done' })
    expect(await failAt(3)).toEqual([])

    host.marketOf = () => {
      throw new Error('a defect')
    }
    await host.tell([commandOf('revalidate', 'second', nthId(0), outpoint)])
    const asks = []
    for (let n = 4; n < 14; n += 1) asks.push(...(await failAt(n)))
    expect(asks).toEqual(Array(4).fill(attempt + 1))
    host.marketOf = marketOf
    host.die()
    await host.open()
    await host.answerAll(() => live)
    expect(host.outcomeOf('second')).toMatchObject({ status: 'done' })
  })

  test('for a height are woken at it', async () => {
    const immature = unspent({ coinbase: true, block: blockAt(TIP_HEIGHT - 50) })
    const host = await hostWith(1, evidenceOf({ node: nodeSays({ output: immature }) }))
    const tipAt = (height: number) => ({ tip: { ...blockAt(height), medianTime: MEDIAN_TIME } })
    await host.tell([watermark(1, tipAt(TIP_HEIGHT + 48))])
    expect(asked(host)).toEqual([])
    await host.tell([watermark(2, tipAt(TIP_HEIGHT + 49))])
    expect(asked(host)).toEqual([nthId(0)])
  })

  test('with a missing output are judged again when it appears', async () => {
    const missing = evidenceOf({ node: nodeSays({ output: MISSING, signatures: [] }) })
    const host = await hostWith(1, missing)
    await host.tell([watermark(1), watermark(2)])
    expect(asked(host)).toEqual([])
    await host.tell([outputNews('seen', null, nth(0).offer.outpoint)])
    expect(asked(host)).toEqual([nthId(0)])
  })

  test('a settled order is closed with 100 confirmations', async () => {
    const host = await hostWith(1)
    await host.tell([spendNews('confirmed', thief, nth(0).offer.outpoint)])
    const tipAt = (height: number) => ({ tip: { ...blockAt(height), medianTime: MEDIAN_TIME } })
    await host.tell([watermark(1, tipAt(TIP_HEIGHT + 98))])
    expect(host.order(nthId(0)).closedAt).toBeNull()
    await host.tell([watermark(2, tipAt(TIP_HEIGHT + 99))])
    expect(host.order(nthId(0)).closedAt).not.toBeNull()
    expect(host.snapshots.ordersAt(nth(0).offer.outpoint)).toEqual([])
  })

  test('an order that is deep in the chain is asked about before it is closed, if news was lost', async () => {
    const host = await hostWith(2)
    const spend = { ...thief, block: spendBlock() }
    for (const n of [0, 1]) await host.tell([spendNews('confirmed', spend, nth(n).offer.outpoint)])
    const tip = { ...blockAt(TIP_HEIGHT + 200), medianTime: MEDIAN_TIME }
    await host.tell([watermark(1, { tip, lost: 'all' })])
    await host.renew()
    await host.tell([watermark(2, { tip })])
    expect(host.orders.map(({ closedAt }) => closedAt)).toEqual([null, null])
    const isStillSpent = evidenceOf({ node: nodeSays({ tip, output: spentBy(spend) }) })
    await host.answerAll(({ orderId }) => (orderId === nthId(0) ? isStillSpent : live))
    await host.tell([watermark(3, { tip })])
    expect(host.order(nthId(0))).toMatchObject({ state: 'SPENT', closedAt: expect.any(String) })
    expect(host.order(nthId(1))).toMatchObject({ state: 'LIVE', closedAt: null })
  })
})

describe('a pass over orders that lost continuity', () => {
  test('continues where it was after a crash, and asks about each once', async () => {
    const host = await hostWith(250)
    const seen: string[] = []
    await host.tell([watermark(1, { lost: 'all' })])
    await host.renew()
    seen.push(...asked(host))
    expect(host.partition?.pass).toEqual({ over: 'live', after: nthIdsSorted(250)[99] })
    host.die()
    await host.open()
    host.takeQuestions()
    for (const n of [2, 3, 4]) {
      await host.tell([watermark(n)])
      await host.renew()
      seen.push(...asked(host))
    }
    expect(seen).toEqual(nthIdsSorted(250))
    expect(host.partition).not.toHaveProperty('pass')
  })

  test('asks about what is not for sale too, after what is', async () => {
    const host = await hostWith(4)
    const [spent, conflicted, missing] = [nth(0), nth(1), nth(2)].map(({ offer }) => offer.outpoint)
    await host.tell([spendNews('confirmed', thief, spent), spendNews('seen', thief, conflicted)])
    await host.tell([outputNews('gone', null, missing)])
    await host.answerAll(() => evidenceOf({ node: nodeSays({ output: MISSING }) }))
    const states = [0, 1, 2, 3].map((n) => host.order(nthId(n)).state)
    expect(states).toEqual(['SPENT', 'MEMPOOL_CONFLICTED', 'REJECTED', 'LIVE'])
    await host.tell([watermark(1, { lost: 'all' })])
    await host.renew()
    expect(asked(host)).toEqual([nthId(3)])
    await host.tell([watermark(2)])
    expect(host.questions.map(({ orderId }) => orderId)).toEqual([0, 1, 2].map(nthId).sort())
    await host.answerAll(() => live)
    await host.tell([watermark(3), watermark(4)])
    expect(asked(host)).toEqual([])
    expect(host.orders.map(({ state }) => state)).toEqual(Array(4).fill('LIVE'))
    expect(host.partition).not.toHaveProperty('pass')
  })

  test('skips what was verified since', async () => {
    const host = await hostWith(150)
    await host.tell([watermark(1, { lost: 'all' })])
    await host.renew()
    host.takeQuestions()
    const last = nthIdsSorted(150)[149] ?? toOrderId('')
    const n = Array.from({ length: 150 }, (_, at) => at).find((at) => nthId(at) === last) ?? 0
    await host.tell([commandOf('revalidate', 'r', last, nth(n).offer.outpoint)])
    await host.answerAll(() => live)
    await host.tell([watermark(2)])
    await host.renew()
    expect(asked(host)).toHaveLength(49)
  })
})

describe('an index that was rebuilt', () => {
  const behind = (height: number) =>
    evidenceOf({
      index: indexSays({ at: { ...blockAt(height), version: 'ord 1' }, indexed: false }),
    })

  test('is asked again: the former one’s answers no longer hold, though the new one lags', async () => {
    const host = await hostWith(1)
    expect(host.order(nthId(0)).indexProof).toMatchObject({ begunAt: { epoch: 1, n: 0 } })
    await host.tell([watermark(1, { lost: 'all' })])
    await host.renew()
    await host.answerAll(() => behind(3))
    expect(host.order(nthId(0))).toMatchObject({ state: 'PENDING_ASSET' })
    await host.tell([watermark(2)])
    await host.answerAll(() => live)
    expect(host.order(nthId(0))).toMatchObject({ state: 'LIVE' })
  })

  test('that merely lags, or was rolled back, displaces no order', async () => {
    const host = await hostWith(1)
    await host.tell([commandOf('revalidate', 'r', nthId(0), nth(0).offer.outpoint)])
    await host.answerAll(() => behind(3))
    expect(host.order(nthId(0))).toMatchObject({ state: 'LIVE' })
  })
})

const nthIdsSorted = (count: number) => Array.from({ length: count }, (_, n) => nthId(n)).sort()

describe('the sweep', () => {
  test('has every LIVE order once a day, whatever the batches and however often the host dies', async () => {
    const host = await hostWith(400)
    host.swept.length = 0
    const steps = 60
    for (let n = 1; n <= steps; n += 1) {
      const at = new Date(Date.parse('2030-01-01T00:00:00.000Z') + (n * 86_400_000) / steps)
      await host.tell([watermark(n, { at: at.toISOString() })])
      if (n % 7 === 0) host.die()
    }
    const swept = host.swept.flat()
    expect([...new Set(swept)].sort()).toEqual(nthIdsSorted(400))
    // A dead host may have handed over orders that are no longer asked about.
    expect(swept.length).toBeLessThan(410)
    expect(Math.max(...host.swept.map(({ length }) => length))).toBeLessThan(40)
  })

  test('pauses while a watermark does not cover', async () => {
    const host = await hostWith(400)
    const noon = { at: '2030-01-01T12:00:00.000Z', covers: false }
    await host.tell([watermark(1, noon), watermark(2, noon)])
    expect(host.swept).toEqual([])
  })
})

describe('the result of a batch', () => {
  test('is the same however the inbox is split, and each order is the fold of its changes', async () => {
    const host = await eventfulHost()
    for (const batch of [1, 3, 10_000]) {
      const replay = await replayOf(host, batch)
      expect(replay.lifecycle).toEqual(host.lifecycle)
      expect(replay.orders.map(withoutWork)).toEqual(host.orders.map(withoutWork))
    }
    for (const order of host.orders) {
      expect(withoutWork(foldOf(host.changes, order.id) ?? order)).toEqual(withoutWork(order))
    }
  })

  test('holds the orders that it changed, and no others', async () => {
    const host = await hostWith(2)
    const worker = await host.open()
    const stepped = async (value: unknown) => {
      const { snapshots } = await worker.step([{ partition: 0, offset: 99, value }])
      worker.committed()
      return snapshots.flatMap((one) => (one.kind === 'order' ? one.order.id : []))
    }
    const [a, b] = [0, 1].map((n) => spendNews('seen', thief, nth(n).offer.outpoint))
    expect(await stepped(a)).toEqual([nthId(0)])
    expect(await stepped(b)).toEqual([nthId(1)])
    expect(await stepped(watermark(1))).toEqual([])
  })

  test('is empty where nothing changed: it makes no commit', async () => {
    const host = await hostWith(1)
    const worker = await host.open()
    const stepped = async (value: unknown) => {
      const { snapshots, lifecycle, dead } = await worker.step([
        { partition: 0, offset: 99, value },
      ])
      worker.committed()
      return snapshots.length + lifecycle.length + dead.length
    }
    expect(await stepped(watermark(1))).toBe(1)
    expect(await stepped(watermark(1))).toBe(0)
    expect(await stepped(spendNews('seen', thief, nth(7).offer.outpoint))).toBe(0)
    expect(await stepped(watermark(2))).toBe(1)
  })

  test('says that its inbox has a gap, whatever comes first', async () => {
    const host = await hostWith(1)
    await host.tell([watermark(1)])
    host.hasGap = true
    const worker = await host.open()
    const value = spendNews('seen', thief, nth(7).offer.outpoint)
    const { snapshots } = await worker.step([{ partition: 0, offset: 99, value }])
    expect(snapshots).toMatchObject([{ kind: 'partition', pass: { over: 'live' } }])
  })

  test('has no two changes of one order for one record', async () => {
    const host = await eventfulHost()
    const causes = host.changes.map(({ orderId, cause }) => `${orderId} ${cause.offset}`)
    expect(new Set(causes).size).toBe(causes.length)
  })
})

/** A partition in which most things happened, its host dying repeatedly. */
async function eventfulHost(): Promise<WorkerHost> {
  const host = await hostWith(120, evidenceOf({ node: nodeAway() }))
  await host.tell([watermark(1), watermark(2)])
  host.die()
  await host.open()
  await host.answerAll(({ orderId }) => (orderId < '8' ? live : evidenceOf({ index: indexAway() })))
  const [a, b, c, d] = ([0, 1, 2, 3] as const).map((n) => nth(n).offer.outpoint)
  await host.tell([
    spendNews('seen', thief, a),
    spendNews('confirmed', thief, b),
    outputNews('unconfirmed', OUTPUT_BLOCK, c),
    spendNews('seen', thief, d),
    spendNews('dropped', thief, d),
    watermark(3, { forkHeight: OUTPUT_BLOCK.height - 1 }),
    watermark(4, { lost: { aboveHeight: OUTPUT_BLOCK.height - 1 } }),
    watermark(6),
  ])
  host.die()
  await host.open()
  await host.answerAll(() => live)
  await host.tell([watermark(7), watermark(8, { at: '2030-01-09T00:00:00.000Z' })])
  await host.answerAll(() => live)
  return host
}
