import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { examineRedis } from '../../src/adapters/redis/examine.ts'
import { ALL_REDIS_USES } from '../../src/adapters/redis/rights/redis-uses.ts'
import { redisSizes } from '../../src/adapters/redis/sizes.ts'
import { bundleService } from '../support/bundle.ts'
import { temporaryDirectory } from '../support/embedded.ts'
import { toOrderId } from '../support/ids.ts'
import { ask, importAsk } from '../support/orders/devnet-asks.ts'
import { bookOf } from '../support/orders/order-book.ts'
import { lifeOf, outcomeOf } from '../support/orders/order-changes.ts'
import { waitUntil } from '../support/services/programs.ts'
import { openKeyspace, openRedisViews } from '../support/services/redis.ts'
import { RedisSentinels, SENTINEL_NAME } from '../support/services/redis-sentinels.ts'
import { ServiceProcess } from '../support/services/service-process.ts'
import { isOk, writing } from '../support/services/steady-writer.ts'
import { systemClock as clock } from '../support/system-clock.ts'

// Real sentinels, a primary and its replica: the primary is killed, silent or handed over.

/** From the loss on. */
const WITHIN_MS = 10_000
/**
 * Of it: a sentinel gives a server up after 1 s, and elects within another two. What an election takes
 * beyond that is the sentinels'.
 */
const ELECTED_MS = 3_000
/** Longer than any command may take. */
const COMMAND_MS = 3_000
const LIVES = bookOf(4, 9).map((order) => lifeOf([order]))
const CHANGES = LIVES.flatMap(({ changes }) => changes)
const FIRST = LIVES[0]?.order.id ?? toOrderId('')
const WRITTEN = '{market}:written-by-test'

let sentinels: RedisSentinels
let opened: Awaited<ReturnType<typeof openRedisViews>>

const write = (value: number): Promise<number> =>
  opened.keyspace.run((redis) => redis.rpush(WRITTEN, value))

const untilPrimary = ({ admin }: RedisSentinels['servers'][0]) =>
  waitUntil('the other is the primary', async () =>
    /^role:master/m.test(await admin.info('replication')),
  )
const lateBy = (electedMs: number): number => Math.max(0, electedMs - ELECTED_MS)

describe('a service', () => {
  beforeEach(async () => {
    sentinels = await RedisSentinels.start()
    opened = await openRedisViews(sentinels.url, { clock, sentinels: { name: SENTINEL_NAME } })
    await opened.views.apply({ partition: 0, nextOffset: CHANGES.length, records: CHANGES })
    const [one, two] = sentinels.servers
    await waitUntil('the replica has all', async () => {
      const [, offset] =
        /^master_repl_offset:(\d+)/m.exec(await one.admin.info('replication')) ?? []
      return (await two.admin.info('replication')).includes(`slave_repl_offset:${offset}`)
    })
  })
  afterEach(async () => {
    opened?.close()
    await sentinels?.stop()
  })

  test.each<[string, () => Promise<void> | void, number]>([
    ['is killed', () => sentinels.servers[0].kill(), WITHIN_MS],
    ['is silent', () => sentinels.servers[0].signal('SIGSTOP'), 2 * WITHIN_MS],
    ['is handed over', () => sentinels.failOver(), WITHIN_MS],
  ])('whose primary %s writes to the next one, nothing twice', async (_, lose, withinMs) => {
    const [one, two] = sentinels.servers
    expect(await sentinels.primaryPort()).toBe(one.port)
    const { acknowledged, slowest, stop } = writing(write)
    await waitUntil('something was written', () => acknowledged.length > 10)
    const begun = performance.now()
    await lose()
    await untilPrimary(two)
    const electedMs = performance.now() - begun
    const before = acknowledged.length
    await waitUntil('writes are taken', () => acknowledged.length > before + 10)
    expect(performance.now() - begun).toBeLessThan(withinMs + lateBy(electedMs))
    await stop()
    expect(slowest.ms).toBeLessThan(2 * COMMAND_MS)
    const written = (await two.admin.lrange(WRITTEN, 0, -1)).map(Number)
    expect(new Set(written).size).toBe(written.length)
    expect((await opened.views.order(FIRST))?.order.id).toBe(FIRST)
    const heard = opened.views.waitForOutcome('r', AbortSignal.timeout(60_000))
    const last = { partition: 0, nextOffset: CHANGES.length + 1 }
    await opened.views.apply({ ...last, records: [outcomeOf('r', FIRST)] })
    expect(await heard).toMatchObject({ orderId: FIRST })
  })

  test('goes on without sentinels, and one that starts then is given Redis when they are back', async () => {
    await sentinels.halt()
    expect((await opened.views.order(FIRST))?.order.id).toBe(FIRST)
    const another = await openKeyspace(sentinels.url, { sentinels: { name: SENTINEL_NAME } })
    const trouble = await another.connection.trouble()
    expect(trouble?.message).toMatch(/^Redis: no sentinel names a primary: /)
    sentinels.resume()
    await waitUntil('it is used', async () => (await another.connection.trouble()) === null)
    another.close()
  })
})

test('a seller is answered within 10 s of the moment the primary is killed, and what was listed is there', async () => {
  const directory = temporaryDirectory()
  const bundle = await bundleService()
  sentinels = await RedisSentinels.start()
  const process = new ServiceProcess(bundle, ['start'], {
    DATA_DIR: directory.path,
    PORT: '0',
    METRICS_PORT: '0',
    REDIS_URL: sentinels.url,
    REDIS_SENTINEL_NAME: SENTINEL_NAME,
    CURSOR_KEY: 'k'.repeat(43),
    RATE_LIMIT_IMPORT: '100000',
  })
  try {
    const address = await process.ready()
    const listed = await importAsk(address, 'before')
    const begun = performance.now()
    const [one, two] = sentinels.servers
    await one.kill()
    const elected = untilPrimary(two).then(() => performance.now() - begun)
    for (let n = 0; !(await isOk(importAsk(address, `seller ${n}`))); n += 1) await clock.sleep(100)
    const tookMs = performance.now() - begun
    expect(tookMs).toBeLessThan(WITHIN_MS + lateBy(await elected))
    await waitUntil('what was listed is there', async () => {
      const { body } = await ask(address, `orders/${listed.id}`)
      return body.state === 'LIVE'
    })
  } finally {
    await process.end('SIGKILL')
    await sentinels.stop()
    bundle.drop()
    directory.drop()
  }
})

test('a name that no sentinel knows is said', async () => {
  sentinels = await RedisSentinels.start()
  const place = { url: sentinels.url, sentinels: { name: 'another' } }
  const asked = {
    prefix: 'market',
    network: 'regtest',
    partitions: 1,
    uses: ALL_REDIS_USES,
  } as const
  await expect(examineRedis({ ...place, ...asked })).rejects.toThrow(
    'no sentinel names a primary: none knows REDIS_SENTINEL_NAME',
  )
  const known = { url: sentinels.url, sentinels: { name: SENTINEL_NAME } }
  expect(await examineRedis({ ...known, ...asked })).toMatchObject({ servers: 1, isMade: false })
  expect((await redisSizes({ ...known, prefix: 'market' })).families).toEqual([])
  await sentinels.stop()
})

test('sentinels that ask for a password get theirs', async () => {
  const password = 'of-the-sentinels'
  sentinels = await RedisSentinels.start({ password })
  const without = await openKeyspace(sentinels.url, { sentinels: { name: SENTINEL_NAME } })
  expect((await without.connection.trouble())?.message).toContain('no sentinel names a primary')
  without.close()
  const { url } = sentinels
  const keyspace = await openKeyspace(url, { sentinels: { name: SENTINEL_NAME, password } })
  expect(await keyspace.connection.trouble()).toBeNull()
  keyspace.close()
  await sentinels.stop()
})
