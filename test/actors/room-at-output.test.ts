import { describe, expect, test } from 'vitest'
import type { Question } from '../../src/actors/events/question.ts'
import type { Evidence } from '../../src/schemas/evidence.ts'
import type { OrderId } from '../../src/schemas/scalars.ts'
import { toOrderId } from '../support/ids.ts'
import { watermark } from '../support/log/watermarks.ts'
import { answerTo, commandOf, replayOf, spendNews, WorkerHost } from '../support/log/worker-host.ts'
import {
  evidenceOf,
  hash,
  nodeSays,
  signatureOf,
  spendBlock,
  spendBy,
  TIP_HEIGHT,
} from '../support/orders/evidence.ts'
import { orderOf } from '../support/orders/orders.ts'
import {
  askNamed,
  bidNamed,
  importNamed,
  openAt,
  orderNamed,
  timeOf,
  truthOf,
} from '../support/orders/room.ts'

const series = (name: string, count: number, price = (_n: number) => 500_000) =>
  Array.from({ length: count }, (_, n) => askNamed(`${name} ${n}`, price(n), n))

/** A partition whose output had these imports, all of them answered. */
async function hostWith(claims: ReturnType<typeof series>): Promise<WorkerHost> {
  const host = new WorkerHost()
  await host.tell([watermark(0)])
  await list(host, claims)
  return host
}

/** One after another, as sellers do. */
async function list(
  host: WorkerHost,
  claims: ReturnType<typeof series>,
  answer: (question: Question) => Evidence = truthOf,
): Promise<void> {
  for (const claim of claims) {
    await host.tell([importNamed(claim)])
    await host.answerAll(answer)
  }
}

const withdrawal = (name: string) => commandOf('withdraw', `withdraw ${name}`, hash(name))

describe('what is unproved', () => {
  test('takes no place from others: 64 of junk, then one that is signed is LIVE', async () => {
    const host = await hostWith([...series('junk', 64), askNamed('signed')])
    expect(orderNamed(host, 'signed').state).toBe('LIVE')
    expect(host.outcomes.every(({ outcome }) => outcome.status === 'done')).toBe(true)
  })

  test('is at most 16: the one that came first is closed, by a record of its own', async () => {
    const host = await hostWith(series('junk', 17))
    expect(openAt(host).unproved).toHaveLength(16)
    expect(orderNamed(host, 'junk 0')).toMatchObject({
      state: 'REJECTED',
      reason: 'signature_invalid',
      closedAt: timeOf(16),
    })
    const last = host.changes.filter(({ orderId }) => orderId === hash('junk 0')).at(-1)
    expect(last).toMatchObject({ kind: 'noted', reason: 'made_room', actor: 'reconciler' })
    expect(last?.cause).not.toHaveProperty('requestId')
  })

  test('is at most 16 while questions are open: waiting requests are answered, and no question is asked', async () => {
    const host = new WorkerHost()
    await host.tell([watermark(0), ...series('junk', 40).map(importNamed)])
    expect(openAt(host).unproved).toHaveLength(16)
    expect(host.questions).toHaveLength(16)
    expect(host.outcomes.map(({ requestId }) => requestId)).toEqual(
      Array.from({ length: 24 }, (_, n) => `junk ${n}`),
    )
    expect(orderNamed(host, 'junk 0')).toMatchObject({
      state: 'REJECTED',
      reason: 'made_room',
      pending: null,
      validation: { reasons: ['made_room'] },
    })
  })

  test('no longer says that the mempool spends its output, once it is closed', async () => {
    const host = new WorkerHost()
    await host.tell([watermark(0), importNamed(askNamed('junk early', 500_000, -1))])
    await host.tell([spendNews('seen', spendBy('rival'))])
    expect(orderNamed(host, 'junk early').state).toBe('MEMPOOL_CONFLICTED')
    await host.tell(series('junk', 16).map(importNamed))
    expect(orderNamed(host, 'junk early')).toMatchObject({
      state: 'REJECTED',
      reason: 'made_room',
      pending: null,
    })
  })

  test('ignores an answer that comes after it was closed', async () => {
    const host = new WorkerHost()
    await host.tell([watermark(0), importNamed(askNamed('early', 500_000, -1))])
    const [question] = host.takeQuestions()
    if (!question) throw new Error('no question')
    await host.tell([...series('junk', 16).map(importNamed), answerTo(question, truthOf(question))])
    expect(orderNamed(host, 'early')).toMatchObject({ reason: 'made_room', pending: null })
    // It may come again.
    await list(host, [askNamed('early', 500_000, 60)])
    expect(orderNamed(host, 'early')).toMatchObject({ state: 'LIVE', closedAt: null })
  })

  test('gives way before what waits for its verdict, as soon as it was refused', async () => {
    const host = new WorkerHost()
    await host.tell([watermark(0), importNamed(askNamed('waits'))])
    const [question] = host.takeQuestions()
    if (!question) throw new Error('no question')
    await list(host, series('junk', 40))
    await host.tell([answerTo(question, truthOf(question))])
    expect(orderNamed(host, 'waits').state).toBe('LIVE')
  })

  test('gives way, judged or not, before a publish that waits', async () => {
    const host = new WorkerHost()
    const published = { ...askNamed('published'), published: true as const }
    await host.tell([watermark(0), importNamed(published), ...series('junk', 40).map(importNamed)])
    await host.answerAll(truthOf)
    expect(orderNamed(host, 'published').state).toBe('LIVE')
  })

  test('is closed a day after it came', async () => {
    const host = await hostWith(series('junk', 3))
    const late = (second: number) => ({ at: timeOf(86_400 + second) })
    await host.tell([watermark(1, late(1))])
    expect(openAt(host).unproved.map(({ id }) => id)).toEqual([hash('junk 2')])
    await host.tell([watermark(2, late(2))])
    expect(openAt(host).unproved).toEqual([])
    expect(host.changes.filter(({ reason }) => reason === 'closed')).toHaveLength(3)
  })
})

describe('a proof', () => {
  const recoverable = ({ claims }: Question) =>
    evidenceOf({
      node: nodeSays({
        signatures: claims.map((claim) =>
          signatureOf(claim, 'INVALID', 'sighash_byte_missing_recoverable'),
        ),
      }),
    })

  test('is a signature that lacks only its byte, and stays one when the output is spent', async () => {
    const host = await hostWith([])
    await list(host, [askNamed('lacks a byte')], recoverable)
    expect(orderNamed(host, 'lacks a byte')).toMatchObject({ state: 'REJECTED', proved: true })
    await host.tell([spendNews('seen', spendBy('thief'))])
    await list(host, series('junk', 40))
    expect(orderNamed(host, 'lacks a byte')).toMatchObject({
      state: 'MEMPOOL_CONFLICTED',
      closedAt: null,
    })
  })

  test('is found whichever wrapper brings it', async () => {
    const host = await hostWith([askNamed('junk')])
    const better = { ...askNamed('lacks a byte'), published: true as const }
    await host.tell([{ ...importNamed(better), orderId: hash('junk') }])
    await host.answerAll(({ claims, ...question }) => {
      const [, second] = claims
      const { node } = truthOf({ claims, ...question })
      const says = second && signatureOf(second, 'INVALID', 'sighash_byte_missing_recoverable')
      const signatures = claims.slice(0, 1).map((claim) => signatureOf(claim, 'INVALID'))
      return evidenceOf({
        node: { ...node, signatures: says ? [...signatures, says] : signatures } as typeof node,
      })
    })
    expect(orderNamed(host, 'junk')).toMatchObject({
      reason: 'sighash_byte_missing_recoverable',
      proved: true,
    })
  })
})

describe('what is proved', () => {
  test('has 64 places: for the 65th the dearest LIVE ask is closed, for good', async () => {
    const host = await hostWith(series('listing', 64, (n) => (n === 9 ? 900_000 : 500_000 + n)))
    await list(host, [askNamed('newest', 950_000, 100)])
    expect(orderNamed(host, 'newest').state).toBe('LIVE')
    expect(openAt(host).asks).toHaveLength(64)
    const closed = orderNamed(host, 'listing 9')
    expect(closed).toMatchObject({
      state: 'WITHDRAWN',
      reason: 'made_room',
      withdrawal: { reason: 'room was made for a newer order of the output' },
      quotedPriceSats: '900000',
    })
    const last = host.changes.filter(({ orderId }) => orderId === closed.id).at(-1)
    expect(last).toMatchObject({ fromState: 'LIVE', toState: 'WITHDRAWN', actor: 'reconciler' })
    const closedAt = last?.observedAt
    expect(closed).toMatchObject({ withdrawal: { withdrawnAt: closedAt }, closedAt })
    // Nothing makes it LIVE again.
    await list(host, [askNamed('listing 9', 900_000, 200)])
    await host.tell([commandOf('revalidate', 'again', closed.id), watermark(1, { lost: 'all' })])
    await host.answerAll(truthOf)
    expect(orderNamed(host, 'listing 9')).toMatchObject({ state: 'WITHDRAWN', closedAt })
    expect(host.outcomeOf('again')).toMatchObject({ status: 'done' })
  })

  test('of equal price, and of equal age, goes by its id', async () => {
    const host = await hostWith(series('listing', 65))
    const ids = Array.from({ length: 64 }, (_, n) => hash(`listing ${n}`)).sort()
    expect(host.orders.filter(({ closedAt }) => closedAt !== null)).toMatchObject([{ id: ids[0] }])
  })

  test('gives way when it is withdrawn, first the one that came first, and keeps its record', async () => {
    const host = await hostWith(series('listing', 64, (n) => 500_000 + n))
    await host.tell(['listing 40', 'listing 30'].map(withdrawal))
    await list(host, [askNamed('newest', 1, 100)])
    expect(orderNamed(host, 'listing 30')).toMatchObject({
      state: 'WITHDRAWN',
      reason: 'withdrawn_by_seller',
      closedAt: expect.any(String),
    })
    expect(orderNamed(host, 'listing 40').closedAt).toBeNull()
    expect(openAt(host).asks).toHaveLength(64)
  })

  test('gives way when it is not LIVE, before what is for sale', async () => {
    const unrelayable = askNamed('dust', 1, 0)
    const host = await hostWith([unrelayable, ...series('listing', 63)])
    expect(orderNamed(host, 'dust')).toMatchObject({ state: 'REJECTED', proved: true })
    await list(host, [askNamed('newest', 600_000, 100)])
    expect(orderNamed(host, 'dust')).toMatchObject({ state: 'WITHDRAWN', reason: 'made_room' })
    expect(orderNamed(host, 'newest').state).toBe('LIVE')
  })

  test('keeps its end when its output is spent: only its place is gone', async () => {
    const host = await hostWith(series('listing', 64))
    await host.tell([spendNews('confirmed', spendBy('buyer', { block: spendBlock() }))])
    const states = new Set(host.orders.map(({ state }) => state))
    expect([...states]).toEqual(['SETTLED'])
    await list(host, [askNamed('newest', 600_000, 100)])
    const [first] = host.orders.filter(({ closedAt }) => closedAt !== null)
    expect(first).toMatchObject({ state: 'SETTLED', reason: 'settled' })
    expect(first).not.toHaveProperty('withdrawal')
  })

  test('by bidders takes no place from what its owner signed: the lowest bid gives way', async () => {
    const bids = Array.from({ length: 65 }, (_, n) => bidNamed(`bid ${n}`, 400_000 - n))
    const host = await hostWith([askNamed('ask'), ...bids])
    expect(openAt(host).bids).toHaveLength(64)
    expect(orderNamed(host, 'ask').state).toBe('LIVE')
    // The newest is never the one that gives way.
    expect(orderNamed(host, 'bid 63')).toMatchObject({ state: 'WITHDRAWN', side: 'BID' })
  })

  test('200 times over: the last listing is LIVE, whether the ones before are withdrawn or not', async () => {
    const host = await hostWith([])
    for (const claim of series('listing', 100, (n) => 900_000 - n)) {
      await list(host, [claim])
      expect(orderNamed(host, `listing ${host.orders.length - 1}`).state).toBe('LIVE')
    }
    for (const claim of series('relisting', 100)) {
      const before = host.orders.at(-1)?.id ?? toOrderId('')
      await host.tell([commandOf('withdraw', `withdraw ${before}`, before)])
      await list(host, [claim])
      expect(host.orders.at(-1)?.state).toBe('LIVE')
      expect(openAt(host).asks.length).toBeLessThanOrEqual(64)
    }
    expect(host.orders).toHaveLength(200)
    expect(host.orders.every(({ quotedPriceSats }) => quotedPriceSats !== undefined)).toBe(true)
  })

  test('82 at once get no more than their places, however their answers come', async () => {
    const host = new WorkerHost()
    await host.tell([watermark(0)])
    const claims = series('listing', 82)
    for (let from = 0; from < 82; from += 12) {
      await host.tell(claims.slice(from, from + 12).map(importNamed))
      const answers = host.takeQuestions().map((one) => answerTo(one, truthOf(one)))
      for (const answer of answers.toReversed()) {
        await host.tell([answer], 1)
        expect(openAt(host).asks.length).toBeLessThanOrEqual(64)
        expect(orderNamed(host, orderName(host, answer.orderId)).state).toBe('LIVE')
      }
    }
    const replay = await replayOf(host, 7)
    expect(replay.lifecycle).toEqual(host.lifecycle)
  })
})

const orderName = (host: WorkerHost, id: OrderId): string =>
  Buffer.from(host.order(id).kept.artifact, 'base64').toString()

describe('a store of before the bounds', () => {
  const crowd = (count: number) =>
    Array.from({ length: count }, (_, n) => ({
      ...orderOf({ state: 'REJECTED', reason: 'signature_invalid' }, askNamed(`junk ${n}`)),
      id: hash(`junk ${n}`),
    }))

  test('is brought within them by the next records, a few orders with each record', async () => {
    const host = new WorkerHost()
    host.snapshots.put(crowd(80).map((order) => ({ schema: 1, kind: 'order', order })))
    await list(host, [askNamed('signed')])
    expect(orderNamed(host, 'signed').state).toBe('LIVE')
    let open = openAt(host).unproved.length
    expect(open).toBeGreaterThan(60)
    for (const claim of series('junk again', 9)) {
      await host.tell([importNamed(claim)])
      const now = openAt(host).unproved.length
      expect(now === 16 || open - now === 7).toBe(true)
      open = now
    }
    expect(open).toBe(16)
  })

  test('closes what is older than a day with its first watermarks, 100 each', async () => {
    const host = new WorkerHost()
    host.snapshots.put(crowd(150).map((order) => ({ schema: 1, kind: 'order', order })))
    const at = timeOf(2 * 86_400)
    await host.tell([watermark(0, { at })])
    expect(openAt(host).unproved).toHaveLength(50)
    await host.tell([watermark(1, { at })])
    expect(openAt(host).unproved).toHaveLength(0)
  })
})

test('orders locked for decades take no place from others, and ask nothing until they are final', async () => {
  const host = await hostWith(
    series('locked', 65).map((claim) => ({
      ...claim,
      offer: { ...claim.offer, locktime: TIP_HEIGHT + 1_000_000 },
    })),
  )
  expect(openAt(host).asks).toHaveLength(64)
  expect(orderNamed(host, 'locked 1')).toMatchObject({
    state: 'PENDING_NODE',
    reason: `not_final_until ${TIP_HEIGHT + 1_000_001}`,
  })
  await list(host, [askNamed('live')])
  expect(orderNamed(host, 'live')).toMatchObject({ state: 'LIVE', closedAt: null })
  expect(orderNamed(host, 'locked 1').closedAt).not.toBeNull()
  const asked = host.questions.length
  for (let n = 1; n < 20; n += 1) await host.tell([watermark(n)])
  expect(host.questions).toHaveLength(asked)
})
