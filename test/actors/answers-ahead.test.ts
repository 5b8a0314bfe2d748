import { describe, expect, test } from 'vitest'
import { watermark } from '../support/log/watermarks.ts'
import { answerTo, commandOf, importOf, spendNews, WorkerHost } from '../support/log/worker-host.ts'
import {
  AT,
  askClaim,
  blockAt,
  evidenceOf,
  MEDIAN_TIME,
  MISSING,
  nodeSays,
  spendBlock,
  spendBy,
  spentBy,
  TIP_HEIGHT,
  unspent,
} from '../support/orders/evidence.ts'

// A node without a transaction index cannot name the spender of an output that a block spends: the
// block can, as soon as the chain is followed to it.

const NEXT = TIP_HEIGHT + 1
const tipAt = (height: number, branch = 'main') => ({
  ...blockAt(height, branch),
  medianTime: MEDIAN_TIME,
})
const sale = spendBy('sale', { block: spendBlock() })
const soldAgain = { ...sale, block: spendBlock(NEXT, 'rival') }
/** The answer at the tip of the rival branch: the output is gone, by an unknown spender. */
const gone = evidenceOf({
  node: nodeSays({ tip: tipAt(NEXT, 'rival'), output: spentBy(null, true) }),
})

async function liveHost(): Promise<WorkerHost> {
  const host = new WorkerHost()
  await host.tell([watermark(0), importOf(askClaim(), 'import')])
  await host.answerAll(() => evidenceOf())
  return host
}

/** A sale whose block was disconnected, and the question asked about it. */
async function unsold(): Promise<WorkerHost> {
  const host = await liveHost()
  await host.tell([spendNews('confirmed', sale), watermark(1)])
  host.takeQuestions()
  await host.tell([spendNews('unconfirmed', sale), watermark(2, { forkHeight: TIP_HEIGHT - 1 })])
  return host
}

async function answerOnce(host: WorkerHost): Promise<number> {
  const questions = host.takeQuestions()
  await host.tell(questions.map((question) => answerTo(question, gone)))
  return questions.length
}

const states = ({ changes }: WorkerHost) =>
  changes.flatMap(({ kind, toState }) => (kind === 'transition' ? [toState] : []))

const SOLD_ONCE = ['PENDING_NODE', 'LIVE', 'SETTLED', 'MEMPOOL_CONFLICTED']

describe('an answer that knows of a spend before the block that holds it', () => {
  test('waits for the block: a sale mined again stays a sale', async () => {
    const host = await unsold()
    expect(await answerOnce(host)).toBe(1)
    expect(states(host)).toEqual(SOLD_ONCE)
    await host.tell([
      spendNews('confirmed', soldAgain),
      watermark(3, { tip: tipAt(NEXT, 'rival') }),
    ])
    await host.answerAll(({ known }) =>
      evidenceOf({
        node: nodeSays({ tip: tipAt(NEXT, 'rival'), output: spentBy(known.spend, true) }),
      }),
    )
    expect(states(host)).toEqual([...SOLD_ONCE, 'SETTLED'])
    expect(host.order()).toMatchObject({ spend: soldAgain, pending: null })
  })

  test('is asked for again with each watermark, and delays no request forever', async () => {
    const host = await unsold()
    await answerOnce(host)
    await host.tell([watermark(3)])
    expect(await answerOnce(host)).toBe(1)
    expect(host.takeQuestions()).toEqual([])
    // Followed that far without news of it: then nothing can name the spender.
    await host.tell([watermark(4, { tip: tipAt(NEXT, 'rival') })])
    expect(await answerOnce(host)).toBe(1)
    expect(host.order()).toMatchObject({ state: 'SPENT', reason: 'spender_unknown', pending: null })
  })

  test('answers no request meanwhile: its subject is undecided', async () => {
    const host = await liveHost()
    await host.tell([commandOf('revalidate', 'first')])
    await answerOnce(host)
    await host.tell([commandOf('revalidate', 'second')])
    expect(host.order().state).toBe('LIVE')
    expect(['first', 'second'].map((id) => host.outcomeOf(id))).toEqual([undefined, undefined])
    await host.tell([
      spendNews('confirmed', soldAgain),
      watermark(1, { tip: tipAt(NEXT, 'rival') }),
    ])
    await host.answerAll(({ known }) =>
      evidenceOf({
        node: nodeSays({ tip: tipAt(NEXT, 'rival'), output: spentBy(known.spend, true) }),
      }),
    )
    expect(['first', 'second'].map((id) => host.outcomeOf(id)?.status)).toEqual(['done', 'done'])
    expect(states(host)).toEqual(['PENDING_NODE', 'LIVE', 'SETTLED'])
  })

  test('is asked for again by the next owner of the partition', async () => {
    const host = await unsold()
    await answerOnce(host)
    host.die()
    await host.open()
    expect(host.takeQuestions()).toHaveLength(1)
  })
})

describe('a spend that no answer could name', () => {
  const lost = { tip: tipAt(TIP_HEIGHT), forkHeight: TIP_HEIGHT }
  async function spentHost(): Promise<WorkerHost> {
    const host = await liveHost()
    await host.tell([watermark(1, { tip: tipAt(NEXT, 'rival') }), commandOf('revalidate', 'now')])
    await host.answerAll(() => gone)
    expect(host.order()).toMatchObject({ state: 'SPENT', reason: 'spender_unknown', spend: null })
    return host
  }

  test('is asked about again when a block that spends the output is undone', async () => {
    const host = await spentHost()
    await host.tell([spendNews('unconfirmed', soldAgain), watermark(2, lost)])
    await host.answerAll(({ known }) => {
      expect(known.spend).toBeNull()
      return evidenceOf({ node: nodeSays({ output: spentBy({ ...sale, block: null }, false) }) })
    })
    expect(host.order()).toMatchObject({ state: 'MEMPOOL_CONFLICTED', spend: { txid: sale.txid } })
  })

  test('is asked about again when its transaction leaves the mempool, and the order is LIVE', async () => {
    const host = await spentHost()
    await host.tell([spendNews('dropped', sale), watermark(2, lost)])
    await host.answerAll(() => evidenceOf())
    expect(host.order()).toMatchObject({ state: 'LIVE', spend: null })
  })

  test('is asked about once more, when its question is out already', async () => {
    const host = await spentHost()
    await host.tell([commandOf('revalidate', 'again')])
    const [question] = host.takeQuestions()
    await host.tell([spendNews('unconfirmed', soldAgain), spendNews('dropped', sale)])
    expect(host.takeQuestions()).toEqual([])
    if (question) await host.tell([answerTo(question, gone)])
    await host.answerAll(() => evidenceOf())
    expect(host.order()).toMatchObject({ state: 'LIVE', spend: null })
  })
})

describe('an answer that knows of a transaction of the mempool before its news', () => {
  const thief = spendBy('thief')
  const conflicted = evidenceOf({ node: nodeSays({ output: spentBy(thief, false) }) })
  const LATER = { at: new Date(Date.parse(AT) + 60_000).toISOString() }

  test('is asked for again after the next look: what came and went between two has no news', async () => {
    const host = await liveHost()
    await host.tell([commandOf('revalidate', 'now')])
    await host.answerAll(() => conflicted)
    expect(host.order()).toMatchObject({ state: 'MEMPOOL_CONFLICTED', anchor: { unheard: true } })
    await host.tell([watermark(1)])
    expect(host.takeQuestions()).toEqual([])
    await host.tell([watermark(2, LATER)])
    await host.answerAll(() => evidenceOf())
    expect(host.order()).toMatchObject({ state: 'LIVE', reason: 'verified' })
    expect(host.order().anchor).not.toHaveProperty('unheard')
  })

  test('is asked for once more, not forever: its removal will be reported', async () => {
    const host = await liveHost()
    await host.tell([commandOf('revalidate', 'now')])
    await host.answerAll(() => conflicted)
    await host.tell([watermark(1, LATER)])
    await host.answerAll(() => conflicted)
    expect(host.order().anchor).not.toHaveProperty('unheard')
    await host.tell([watermark(2, { at: new Date(Date.parse(AT) + 120_000).toISOString() })])
    expect(host.takeQuestions()).toEqual([])
    await host.tell([spendNews('dropped', thief)])
    await host.answerAll(() => evidenceOf())
    expect(host.order().state).toBe('LIVE')
  })

  test('is not, where the news came first', async () => {
    const host = await liveHost()
    await host.tell([spendNews('seen', thief), commandOf('revalidate', 'now')])
    await host.answerAll(() => conflicted)
    expect(host.order().state).toBe('MEMPOOL_CONFLICTED')
    expect(host.order().anchor).not.toHaveProperty('unheard')
  })

  test('of the transaction that makes the output, likewise', async () => {
    const host = new WorkerHost()
    await host.tell([watermark(0), importOf(askClaim(), 'import')])
    await host.answerAll(() => evidenceOf({ node: nodeSays({ output: unspent({ block: null }) }) }))
    expect(host.order()).toMatchObject({ state: 'PENDING_ASSET', anchor: { unheard: true } })
    await host.tell([watermark(1, LATER)])
    await host.answerAll(() => evidenceOf({ node: nodeSays({ output: MISSING }) }))
    expect(host.order()).toMatchObject({ state: 'REJECTED', reason: 'outpoint_missing' })
  })
})
