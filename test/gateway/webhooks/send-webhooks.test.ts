import { Webhook } from 'standardwebhooks'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { recordConfigured } from '../../../src/gateway/webhooks/configured-webhooks.ts'
import { createWebhook, rotateWebhook } from '../../../src/gateway/webhooks/hand-out-secrets.ts'
import {
  deleteWebhook,
  listDeadDeliveries,
  listWebhooks,
  pauseWebhook,
  retryWebhook,
} from '../../../src/gateway/webhooks/manage-webhooks.ts'
import { SecretUnknownError } from '../../../src/gateway/webhooks/send-webhooks.ts'
import { TOPICS } from '../../../src/schemas/log.ts'
import type { OrderRecord } from '../../../src/schemas/order-record.ts'
import { CreateWebhook } from '../../../src/schemas/webhooks/webhook-api.ts'
import { ConfiguredWebhook } from '../../../src/schemas/webhooks/webhook-records.ts'
import { followChanges } from '../../../src/streams/activity/follow-changes.ts'
import { movedClock } from '../../support/moved-clock.ts'
import { bookOf } from '../../support/orders/order-book.ts'
import { outcomeOf } from '../../support/orders/order-changes.ts'
import { systemClock } from '../../support/system-clock.ts'
import { eventually } from '../../support/webhooks/eventually.ts'
import {
  fasterClock,
  openWebhookBench,
  type WebhookBench,
} from '../../support/webhooks/webhook-bench.ts'
import {
  openWebhookReceiver,
  type WebhookReceiver,
} from '../../support/webhooks/webhook-receiver.ts'

let bench: WebhookBench
let receiver: WebhookReceiver
/** Different ids, an ask each, LIVE, without a market or token. */
const book = bookOf(60, 7)
  .filter(({ side }) => side === 'ASK')
  .map(
    ({ protocolId: _market, token: _token, hidden: _hidden, ...order }): OrderRecord => ({
      ...order,
      state: 'LIVE',
    }),
  )

beforeEach(async () => {
  bench = await openWebhookBench()
  receiver = await openWebhookReceiver()
})
afterEach(async () => {
  await bench.close()
  await receiver.close()
})

async function create(name: string, filter: Partial<OrderFilter> = {}): Promise<string> {
  const url = receiver.url(`/${name}`)
  const { secret } = await createWebhook(bench.office, CreateWebhook.parse({ name, url, filter }))
  receiver.secrets.set(`/${name}`, secret)
  return secret
}
type OrderFilter = CreateWebhook['filter']
const arrived = (name: string) => receiver.accepted(`/${name}`)
const orderAt = (at: number): OrderRecord => book[at] ?? expect.fail('the book is too small')
const laterThan = ({ updatedAt }: OrderRecord, ms: number) =>
  new Date(Date.parse(updatedAt) + ms).toISOString()
const idsOf = (name: string) => arrived(name).map(({ id }) => id)

describe('an endpoint', () => {
  test('gets each change after it was made, signed, as the stream has it', async () => {
    const [order] = [orderAt(0)]
    await bench.lifecycle.write(order)
    await create('all')
    bench.send()
    await bench.lifecycle.append(bench.lifecycle.partitionOf(order.id), outcomeOf('r', order.id))
    await bench.lifecycle.write(order, { verifiedAt: laterThan(order, 1_000) }, 'verified')
    const { seq } = await bench.lifecycle.write(order, { state: 'SPENT' })
    await eventually(() => arrived('all').length).toBe(1)
    const [first] = arrived('all')
    expect(first?.id).toBe(`${order.id}:${seq}`)
    expect(first?.headers).toMatchObject({
      'content-type': 'application/json',
      'user-agent': 'market-webhooks/1',
    })
    expect(first?.event).toMatchObject({
      type: 'order.changed',
      data: {
        orderId: order.id,
        seq,
        entry: { fromState: 'LIVE', toState: 'SPENT' },
        order: { id: order.id, state: 'SPENT' },
      },
    })
    await bench.lifecycle.write(order, { notes: ['a note'] }, 'noted')
    await eventually(() => arrived('all').length).toBe(2)
    expect(arrived('all')[1]?.event.data.entry).toBeNull()
  })

  test('gets the changes of a partition that was taken from its sender and given back at once', async () => {
    await create('all')
    bench.send({
      shares: {
        share: async (work, signal) => {
          const first = new AbortController()
          const all = Array.from({ length: bench.log.partitions }, (_, partition) => partition)
          const lost = all.map((partition) => work(partition, first.signal))
          first.abort()
          await Promise.all([...lost, ...all.map((partition) => work(partition, signal))])
        },
      },
    })
    const { seq } = await bench.lifecycle.write(orderAt(0))
    await eventually(() => idsOf('all')).toEqual([`${orderAt(0).id}:${seq}`])
  })

  test('is woken in a partition by the changes of that one alone', async () => {
    await create('all')
    const looks = Array.from({ length: bench.log.partitions }, () => 0)
    bench.send({
      onEvent: (_webhook, partition, { did }) => {
        if (did === 'reach') looks[partition] = (looks[partition] ?? 0) + 1
      },
    })
    const order = orderAt(0)
    const own = bench.lifecycle.partitionOf(order.id)
    await bench.lifecycle.write(order)
    await eventually(() => arrived('all').length).toBe(1)
    const before = [...looks]
    for (let n = 0; n < 10; n += 1) {
      await bench.lifecycle.write(order, { state: n % 2 ? 'LIVE' : 'SPENT' })
      await eventually(() => arrived('all').length).toBe(n + 2)
    }
    const more = looks.map((count, partition) => count - (before[partition] ?? 0))
    expect(more[own]).toBeGreaterThanOrEqual(10)
    expect(more[1 - own]).toBeLessThanOrEqual(1)
  })

  test('with a filter gets what matches, and is told what is no longer listed', async () => {
    const [wanted, other] = [{ ...orderAt(0), token: 'ORDI' }, orderAt(1)]
    await create('ordi', { token: 'ordi', state: 'LIVE' })
    await create('one', { orderId: other.id })
    bench.send()
    await bench.lifecycle.write(wanted)
    await bench.lifecycle.write(other)
    await eventually(() => arrived('ordi').length).toBe(1)
    await bench.lifecycle.write(wanted, { state: 'SPENT' })
    await eventually(() => [arrived('ordi').length, arrived('one').length]).toEqual([2, 1])
    expect(
      arrived('ordi').map(({ event }) => [event.data.orderId, event.data.order?.state]),
    ).toEqual([
      [wanted.id, 'LIVE'],
      [wanted.id, undefined],
    ])
    expect(idsOf('one')).toEqual([`${other.id}:1`])
  })

  test('that lags behind the memory gets the rest from the log', async () => {
    const order = orderAt(0)
    await create('late')
    for (let n = 0; n < 60; n += 1) {
      await bench.lifecycle.write(order, { state: n % 2 ? 'LIVE' : 'SPENT' }, 'transition')
    }
    const limits = { kept: 4, readBack: 2, lingerMs: 0, mostRetryMs: 50 }
    const { log, faults } = bench
    bench.send({
      changes: followChanges({
        log,
        clock: bench.office.clock,
        onFailure: (error) => faults.push(error),
        limits,
      }),
    })
    await eventually(() => arrived('late').length).toBe(60)
    expect(arrived('late').map(({ event }) => event.data.seq)).toEqual(
      Array.from({ length: 60 }, (_, n) => n + 1),
    )
    expect(bench.faults).toEqual([])
  })

  test('for orders changed since a time gets one that a verification brings there, once', async () => {
    const order = orderAt(0)
    await bench.lifecycle.write(order)
    await create('later', { includeWithdrawn: true, updatedSince: laterThan(order, 5_000) })
    bench.send()
    await bench.lifecycle.write(order, { updatedAt: laterThan(order, 4_000) }, 'verified')
    const brings = await bench.lifecycle.write(
      order,
      { updatedAt: laterThan(order, 6_000) },
      'verified',
    )
    await eventually(() => idsOf('later')).toEqual([`${order.id}:${brings.seq}`])
    await bench.lifecycle.write(order, { updatedAt: laterThan(order, 7_000) }, 'verified')
    const last = await bench.lifecycle.write(order, { state: 'SPENT' })
    await eventually(() => idsOf('later')).toEqual(
      [brings, last].map(({ seq }) => `${order.id}:${seq}`),
    )
  })

  test('is not told of a verification of an order made since, though its last change is not known', async () => {
    const order = orderAt(0)
    await bench.lifecycle.write(order)
    await create('since', { includeWithdrawn: true, updatedSince: order.createdAt })
    const limits = { kept: 16, readBack: 0, lingerMs: 0, mostRetryMs: 50 }
    const onFailure = (error: unknown) => void bench.faults.push(error)
    bench.send({
      changes: followChanges({ log: bench.log, clock: systemClock, onFailure, limits }),
    })
    await bench.lifecycle.write(order, { updatedAt: laterThan(order, 6_000) }, 'verified')
    const { seq } = await bench.lifecycle.write(order, { state: 'SPENT' })
    await eventually(() => idsOf('since')).toEqual([`${order.id}:${seq}`])
  })

  test('of the configuration is like one of an operator, and is removed with its entry', async () => {
    const secrets = [1, 2].map((n) => `whsec_${Buffer.alloc(32, n).toString('base64')}`)
    const one = ConfiguredWebhook.parse({ name: 'conf', url: receiver.url('/conf'), secrets })
    const { clock, progress } = bench.office
    await recordConfigured({ log: bench.log, clock }, [one])
    await recordConfigured({ log: bench.log, clock }, [one])
    expect(await bench.log.end(TOPICS.webhooks, 0)).toBe(1)
    const sender = bench.send({ secrets: { keys: [], configured: new Map([['conf', secrets]]) } })
    await bench.lifecycle.write(orderAt(0))
    await eventually(() => arrived('conf').length).toBe(1)
    const [{ body, headers } = expect.fail()] = arrived('conf')
    for (const secret of secrets) new Webhook(secret).verify(body, headers)
    await expect(rotateWebhook(bench.office, 'conf')).rejects.toMatchObject({
      code: 'VALIDATION_FAILED',
    })
    await recordConfigured({ log: bench.log, clock }, [])
    await eventually(async () => (await progress.read({ name: 'conf', generation: 1 })).size).toBe(
      0,
    )
    await sender.stop()
    // From then on it is another endpoint.
    await recordConfigured({ log: bench.log, clock }, [one])
    expect((await listWebhooks(bench.office)).webhooks).toMatchObject([{ name: 'conf', lag: 0 }])
  })

  test('whose secret this process does not know is sent nothing, and is reported', async () => {
    await create('all')
    bench.send({ secrets: { keys: [new Uint8Array(32)], configured: new Map() } })
    await bench.lifecycle.write(orderAt(0))
    await eventually(() => bench.faults.length).toBeGreaterThan(0)
    expect(bench.faults[0]).toBeInstanceOf(SecretUnknownError)
    expect(receiver.received).toEqual([])
  })
})

test('an endpoint that hangs, and one that answers 500, do not delay others', async () => {
  for (const name of ['hangs', 'fails', 'works']) await create(name)
  receiver.answer = ({ path }, response) => {
    if (path === '/works') response.writeHead(204).end()
    if (path === '/fails') response.writeHead(500).end()
  }
  bench.send()
  for (let n = 0; n < 40; n += 1)
    await bench.lifecycle.write(orderAt(n % 8), { state: n % 3 ? 'LIVE' : 'SPENT' }, 'transition')
  await eventually(() => arrived('works').length).toBe(40)
  // Of each partition the first one, and no other until that has succeeded.
  const tried = (path: string) =>
    new Set(receiver.received.filter((one) => one.path === path).map(({ id }) => id))
  expect([tried('/fails').size, tried('/hangs').size]).toEqual([2, 2])
  const { webhooks } = await listWebhooks(bench.office)
  expect(webhooks.find(({ name }) => name === 'fails')).toMatchObject({
    failure: 'HTTP 500',
    dead: 0,
  })
  await eventually(async () =>
    (await listWebhooks(bench.office)).webhooks.find(({ name }) => name === 'works'),
  ).toMatchObject({ failingSince: null, lag: 0 })
})

test('a redirect is not followed, wherever it leads', async () => {
  await create('moves')
  receiver.answer = ({ path }, response) =>
    void response
      .writeHead(path === '/moves' ? 307 : 204, { location: receiver.url('/other') })
      .end()
  bench.send()
  await bench.lifecycle.write(orderAt(0))
  await eventually(async () => (await listWebhooks(bench.office)).webhooks[0]?.failure).toBe(
    'HTTP 307',
  )
  expect(receiver.received).toHaveLength(1)
})

test('after a rotation both secrets sign', async () => {
  const before = await create('shop')
  const { secret, secrets } = await rotateWebhook(bench.office, 'shop')
  expect(secrets).toBe(2)
  expect(secret).not.toBe(before)
  bench.send()
  await bench.lifecycle.write(orderAt(0))
  await eventually(() => arrived('shop').length).toBe(1)
  const [{ body, headers } = expect.fail()] = arrived('shop')
  for (const one of [secret, before]) new Webhook(one).verify(body, headers)
  expect(headers['webhook-signature']?.split(' ')).toHaveLength(2)
})

test('a pause holds back what a resume sends, and 410 is a pause', async () => {
  await create('shop')
  bench.send()
  await pauseWebhook(bench.office, 'shop', true)
  await bench.lifecycle.write(orderAt(0))
  await bench.lifecycle.write(orderAt(0), { state: 'SPENT' })
  receiver.answer = (_one, response) => void response.writeHead(410).end()
  expect((await pauseWebhook(bench.office, 'shop', false)).paused).toBeNull()
  await eventually(async () => (await listWebhooks(bench.office)).webhooks[0]?.paused).toBe('gone')
  expect(receiver.received.length).toBe(1)
  receiver.answer = (_one, response) => void response.writeHead(200).end('ok')
  await pauseWebhook(bench.office, 'shop', false)
  await eventually(() => arrived('shop').map(({ event }) => event.data.seq)).toEqual([1, 2])
})

test('an endpoint whose position is lost gets everything since it was created once more', async () => {
  const order = orderAt(0)
  await bench.lifecycle.write(order)
  await create('shop')
  bench.send()
  await bench.lifecycle.write(order, { state: 'SPENT' })
  const shop = { name: 'shop', generation: 1 }
  const { progress } = bench.office
  await eventually(async () => (await progress.read(shop)).size).toBe(1)
  await progress.forget(shop)
  await bench.lifecycle.write(order, { state: 'SETTLED' })
  await eventually(() => arrived('shop').map(({ event }) => event.data.seq)).toEqual([2, 3])
  // The third found its position gone, so everything was sent again.
  await eventually(() => receiver.received.map(({ event }) => event.data.seq)).toEqual([2, 3, 2, 3])
})

test('a deleted endpoint gets nothing more; another of its name starts over, with another secret', async () => {
  const secret = await create('shop')
  bench.send()
  await bench.lifecycle.write(orderAt(0))
  await eventually(() => arrived('shop').length).toBe(1)
  await deleteWebhook(bench.office, 'shop')
  await expect(deleteWebhook(bench.office, 'shop')).rejects.toMatchObject({ code: 'NOT_FOUND' })
  await eventually(
    async () => (await bench.office.progress.read({ name: 'shop', generation: 1 })).size,
  ).toBe(0)
  await bench.lifecycle.write(orderAt(0), { state: 'SPENT' })
  expect(await create('shop')).not.toBe(secret)
  await bench.lifecycle.write(orderAt(0), { state: 'SETTLED' })
  await eventually(() => arrived('shop').map(({ event }) => event.data.seq)).toEqual([1, 3])
})

test('what fails for a day is a dead letter, and is sent again when an operator says so', async () => {
  await bench.close()
  // A day is less than a second; an hour, the longest wait, 36 ms.
  bench = await openWebhookBench({ clock: fasterClock(100_000), partitions: 1 })
  receiver.answer = (_one, response) => void response.writeHead(503).end()
  await createWebhook(
    bench.office,
    CreateWebhook.parse({ name: 'shop', url: receiver.url('/shop') }),
  )
  bench.send()
  const order = orderAt(0)
  await bench.lifecycle.write(order)
  await bench.lifecycle.write(order, { state: 'SPENT' })
  const dead = async () => (await listDeadDeliveries(bench.office, 'shop')).deadLetters
  await eventually(dead).toMatchObject([
    { orderId: order.id, seq: 1, reason: 'HTTP 503' },
    { orderId: order.id, seq: 2 },
  ])
  expect(bench.events.filter(({ did }) => did === 'die')).toHaveLength(2)
  // Both fail again, and stay.
  const before = receiver.received.length
  await retryWebhook(bench.office, 'shop')
  await eventually(() => receiver.received.length).toBe(before + 2)
  expect(await dead()).toHaveLength(2)
  receiver.answer = (_one, response) => void response.writeHead(204).end()
  await bench.lifecycle.write(order, { state: 'SETTLED' })
  await eventually(() => idsOf('shop')).toEqual([`${order.id}:3`])
  await retryWebhook(bench.office, 'shop')
  await eventually(dead).toEqual([])
  expect(idsOf('shop')).toEqual([3, 1, 2].map((seq) => `${order.id}:${seq}`))
})

describe('time in which nothing is asked is no failure:', () => {
  const HOUR = 3_600_000
  const shop = async () => (await listWebhooks(bench.office)).webhooks[0] ?? expect.fail()
  const clock = movedClock()
  const order = orderAt(0)
  let sender: { stop(): Promise<void> }
  beforeEach(async () => {
    await bench.close()
    bench = await openWebhookBench({ clock, partitions: 1 })
    receiver.answer = (_one, response) => void response.writeHead(503).end()
    const url = receiver.url('/shop')
    await createWebhook(bench.office, CreateWebhook.parse({ name: 'shop', url }))
    sender = bench.send()
    await bench.lifecycle.write(order)
    await eventually(async () => (await shop()).failure).toBe('HTTP 503')
  })

  /** The endpoint fails once more when it is asked again, and then works. */
  async function failsOnceMore(again: () => Promise<unknown>): Promise<void> {
    const before = receiver.received.length
    clock.move(25 * HOUR)
    await again()
    await eventually(() => receiver.received.length).toBeGreaterThan(before)
    await eventually(() => bench.events.filter(({ did }) => did === 'fail').length).toBe(2)
    receiver.answer = (_one, response) => void response.writeHead(204).end()
    await pauseWebhook(bench.office, 'shop', true)
    await pauseWebhook(bench.office, 'shop', false)
    await eventually(() => idsOf('shop')).toEqual([`${order.id}:1`])
    expect(bench.events.map(({ did }) => did)).not.toContain('die')
    expect((await shop()).dead).toBe(0)
  }

  test('an operator’s pause', async () => {
    await pauseWebhook(bench.office, 'shop', true)
    await failsOnceMore(() => pauseWebhook(bench.office, 'shop', false))
  })

  test('a pause by 410', async () => {
    receiver.answer = (_one, response) => void response.writeHead(410).end()
    await retryWebhook(bench.office, 'shop')
    await eventually(async () => (await shop()).paused).toBe('gone')
    receiver.answer = (_one, response) => void response.writeHead(503).end()
    await failsOnceMore(() => pauseWebhook(bench.office, 'shop', false))
  })

  test('a sender that is down', async () => {
    await sender.stop()
    await failsOnceMore(async () => bench.send())
  })
})

describe('a partition whose change became a dead letter, at an endpoint that wants no attempt for an hour', () => {
  const HOUR = 3_600_000
  let dead: OrderRecord
  let sender: { stop(): Promise<void> }
  beforeEach(async () => {
    await bench.close()
    const clock = movedClock()
    bench = await openWebhookBench({ clock, partitions: 1 })
    const { office, lifecycle } = bench
    receiver.answer = (_one, response) =>
      void response.writeHead(503, { 'retry-after': '3600' }).end()
    const url = receiver.url('/shop')
    await createWebhook(office, CreateWebhook.parse({ name: 'shop', url }))
    // It has failed for a day.
    const since = new Date(clock.now() - 24 * HOUR).toISOString()
    const lastAt = new Date(clock.now()).toISOString()
    const failing = { since, attempts: 30, lastAt, retryAt: lastAt, reason: 'HTTP 503' }
    const progress = { version: 1, next: 0, failing, dead: [], died: 0 }
    await office.progress.save({ name: 'shop', generation: 1 }, 0, progress)
    sender = bench.send()
    dead = orderAt(0)
    await lifecycle.write(dead)
    await eventually(async () => (await shop()).dead).toBe(1)
    receiver.answer = (_one, response) => void response.writeHead(204).end()
    clock.move(1_000)
  })
  const shop = async () => (await listWebhooks(bench.office)).webhooks[0] ?? expect.fail()

  test('sends the next change at once when a retry delivered the dead letter', async () => {
    await retryWebhook(bench.office, 'shop')
    await eventually(async () => (await shop()).dead).toBe(0)
    expect(await shop()).toMatchObject({ failingSince: null, failure: null })
    expect(bench.events.map(({ did }) => did)).toContain('recover')
    await bench.lifecycle.write(orderAt(1))
    await eventually(() => idsOf('shop')).toEqual([`${dead.id}:1`, `${orderAt(1).id}:1`])
  })

  test('sends the next change at once after a resume, though none waited then', async () => {
    const ended = () => bench.events.filter(({ did }) => did === 'end').length
    const before = ended()
    await pauseWebhook(bench.office, 'shop', true)
    await eventually(ended).toBe(before + 1)
    await pauseWebhook(bench.office, 'shop', false)
    // The resumed lane has read its position, and found no change.
    await eventually(() => bench.events.at(-1)?.did).toBe('reach')
    await bench.lifecycle.write(orderAt(1))
    await eventually(() => idsOf('shop')).toEqual([`${orderAt(1).id}:1`])
  })

  /** An operator at a gateway whose clock is so much ahead of the sender's. */
  const officeAhead = (ms: number) => {
    const { clock } = bench.office
    return { ...bench.office, clock: { ...systemClock, now: () => clock.now() + ms } }
  }

  test.each([-HOUR, HOUR])(
    'sends it again at once, by a gateway that is %i ms ahead',
    async (ms) => {
      await retryWebhook(officeAhead(ms), 'shop')
      await eventually(async () => (await shop()).dead).toBe(0)
      expect(idsOf('shop')).toEqual([`${dead.id}:1`])
    },
  )

  test('is resumed at once by a gateway whose clock is behind', async () => {
    await pauseWebhook(officeAhead(-HOUR), 'shop', true)
    await eventually(async () => (await shop()).paused).toBe('operator')
    await bench.lifecycle.write(orderAt(1))
    await pauseWebhook(officeAhead(-HOUR), 'shop', false)
    await eventually(() => idsOf('shop')).toEqual([`${orderAt(1).id}:1`])
  })

  test('sends it once for a retry of a gateway that is ahead, however often the delivery begins again', async () => {
    receiver.answer = (_one, response) => void response.writeHead(503).end()
    const attempts = () => receiver.received.filter(({ id }) => id === `${dead.id}:1`).length
    const before = attempts()
    const diedAt = (await listDeadDeliveries(bench.office, 'shop')).deadLetters[0]?.at
    await retryWebhook(officeAhead(HOUR), 'shop')
    await eventually(attempts).toBe(before + 1)
    const triedAt = async () => (await listDeadDeliveries(bench.office, 'shop')).deadLetters[0]?.at
    await eventually(triedAt).not.toBe(diedAt)
    await sender.stop()
    receiver.answer = (_one, response) => void response.writeHead(204).end()
    sender = bench.send()
    await bench.lifecycle.write(orderAt(1))
    await eventually(() => idsOf('shop')).toEqual([`${orderAt(1).id}:1`])
    expect(attempts()).toBe(before + 1)
    expect((await shop()).dead).toBe(1)
  })

  test('sends nothing after the endpoint answered the dead letter that it is gone', async () => {
    await sender.stop()
    receiver.answer = (_one, response) => void response.writeHead(410).end()
    const before = receiver.received.length
    await bench.lifecycle.write(orderAt(1))
    await retryWebhook(bench.office, 'shop')
    const ended = () => bench.events.filter(({ did }) => did === 'end').length
    const endedBefore = ended()
    // It reads the record of its own pause late.
    const { log } = bench
    const read = async function* (...args: Parameters<typeof log.read>) {
      for await (const batch of log.read(...args)) {
        if (args[0] === TOPICS.webhooks) await systemClock.sleep(500)
        yield batch
      }
    }
    const late = new Proxy(log, {
      get: (_log, name: keyof typeof log) => {
        const own = log[name]
        if (name === 'read') return read
        return typeof own === 'function' ? own.bind(log as never) : own
      },
    })
    bench.send({ log: late })
    await eventually(ended).toBe(endedBefore + 1)
    expect((await shop()).paused).toBe('gone')
    expect(receiver.received.slice(before).map(({ id }) => id)).toEqual([`${dead.id}:1`])
  })
})
