import { truncateSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { fileOf } from '../../src/adapters/embedded/lmdb/lmdb-environment.ts'
import { TOPICS } from '../../src/schemas/log.ts'
import { rules } from '../support/alerts/rules.ts'
import { WATCHED, WatchedStack } from '../support/alerts/watched-stack.ts'
import { type Bundle, bundleService } from '../support/bundle.ts'
import { temporaryDirectory } from '../support/embedded.ts'
import { canMount, SmallDisk } from '../support/faults/small-disk.ts'
import { StackLoad } from '../support/services/stack-load.ts'

// Faults of docs/reliability.md on running roles: the alert of each is seen to fire, and to rest before and after. Lines
// of the log are counted on the way. What rests only after a long range comes first, so that the range is over at the end.

const COINS = 40
/** Five roles and five servers on a busy machine. */
const START_MS = 600_000
const FIRE_MS = 120_000
const REST_MS = 180_000
const HOUR_MS = 3_600_000
const MIB = 2 ** 20
/** Of the GiB that LMDB_MAP_GIB=1 allows. */
const STORE_BYTES = 0.75 * 2 ** 30

let bundle: Bundle
let watched: WatchedStack

beforeAll(async () => {
  bundle = await bundleService()
  watched = await WatchedStack.start(bundle)
  const load = await StackLoad.open(watched.stack, COINS)
  await load.recovery()
}, START_MS)
afterAll(async () => {
  await watched?.end()
  bundle?.drop()
})

interface Fault {
  produce: () => Promise<unknown>
  undo: () => Promise<unknown>
  /** What is looked at while it lasts. */
  meanwhile?: () => unknown
  /** Alerts over a long range rest at the end of the run. */
  restsLater?: boolean
}

/** None of the alerts fires before the fault, all fire during it, and none after it. */
async function raises(alerts: readonly string[], fault: Fault): Promise<void> {
  const { scraper } = watched
  await scraper.until(alerts, false, REST_MS)
  await fault.produce()
  try {
    await scraper.until(alerts, true, FIRE_MS)
    await fault.meanwhile?.()
  } finally {
    await fault.undo()
  }
  if (!fault.restsLater) await scraper.until(alerts, false, REST_MS)
}

/**
 * Of every process: a line when the part went and one when it was back, and hardly another. The receiver of
 * webhooks is never there: each attempt is a line, whatever else is away.
 */
function expectFewLines(mark: ReadonlyMap<string, number>, part: string, roles: readonly string[]) {
  for (const [role, all] of watched.troubleSince(mark)) {
    const lines = all.filter(({ msg }) => msg !== 'webhook_failed')
    const ofPart = lines.filter((line) => line['part'] === part)
    const texts = ofPart.map(({ msg }) => msg)
    if (roles.includes(role)) expect(texts, role).toEqual(['a part is away', 'a part is back'])
    expect(lines.length, JSON.stringify(lines)).toBeLessThanOrEqual(5)
  }
}

test('nothing fires over a healthy service, once its start is over', async () => {
  const names = rules.map(({ alert }) => alert).filter((name) => !OF_OTHERS.has(name))
  // What begins to be pending now has fired by then.
  await watched.scraper.passed(45)
  await watched.scraper.until(names, false, REST_MS)
})

/** Pairing and circles do not run here, and the disk is of the machine that runs the tests. */
const OF_OTHERS = new Set(['MarketPairingAbsent', 'MarketCirclesAbsent', 'MarketDiskGrowing'])

test('a process that ends again and again', () =>
  raises(['MarketRestarting'], {
    produce: async () => {
      for (let start = 0; start < 3; start += 1) {
        await watched.stack.role('webhooks').end('SIGKILL')
        await watched.startRole('webhooks')
        await watched.scraper.passed(2)
      }
    },
    undo: async () => undefined,
    restsLater: true,
  }))

test('a record that nobody can read', () =>
  raises(['MarketDeadLetters'], {
    produce: async () => {
      const producer = watched.stack.kafka.client().producer()
      await producer.connect()
      await producer.send({
        topic: TOPICS.inbox,
        messages: [{ partition: 0, key: 'x', value: '{"schema":1,"kind":"nothing"}' }],
      })
      await producer.disconnect()
    },
    undo: async () => undefined,
    restsLater: true,
  }))

test('the brokers are away: few lines, many faults', async () => {
  const mark = watched.mark()
  await raises(['MarketDependencyAway', 'MarketNotReady', 'MarketFaults'], {
    produce: () => watched.stack.kafka.halt(),
    undo: () => watched.stack.kafka.resume(),
    restsLater: true,
  })
  await watched.scraper.until(['MarketDependencyAway', 'MarketNotReady'], false, REST_MS)
  expectFewLines(mark, 'kafka', WATCHED)
})

test('everything stands still: ingest hangs', () =>
  raises(['MarketStandstill', 'MarketDown'], {
    produce: async () => watched.stack.role('ingest').signal('SIGSTOP'),
    undo: async () => watched.stack.role('ingest').signal('SIGCONT'),
  }))

test('a relay goes away', async () => {
  await watched.scraper.until(['MarketFeedAway'], false, REST_MS)
  await watched.relay.stop()
})

test('Redis is away', async () => {
  const mark = watched.mark()
  await raises(['MarketDependencyAway', 'MarketServerErrors', 'MarketNotReady'], {
    produce: () => watched.stack.redis.halt(),
    undo: () => watched.stack.redis.restart(),
  })
  expectFewLines(mark, 'redis', ['gateway', 'projector', 'webhooks'])
})

test('ClickHouse is away', async () => {
  const mark = watched.mark()
  await raises(['MarketDependencyAway'], {
    produce: () => watched.stack.clickhouse.kill(),
    undo: () => watched.stack.clickhouse.resume(),
  })
  expectFewLines(mark, 'history', ['gateway', 'projector'])
})

test('the node hangs', async () => {
  const { core } = watched.stack.chain
  const mark = watched.mark()
  await raises(['MarketDependencyAway', 'MarketNotFollowing', 'MarketStandstill'], {
    produce: async () => core.kill('SIGSTOP'),
    undo: async () => core.kill('SIGCONT'),
  })
  expectFewLines(mark, 'node', ['gateway', 'ingest', 'actors'])
})

test('the index hangs', async () => {
  const { ord } = watched.stack.chain
  const mark = watched.mark()
  await raises(['MarketDependencyAway'], {
    produce: async () => ord.kill('SIGSTOP'),
    undo: async () => ord.kill('SIGCONT'),
  })
  expectFewLines(mark, 'index', ['gateway', 'ingest', 'actors'])
})

describe('many faults at once, each with an alert of its own', () => {
  const ALERTS = [
    'MarketDown',
    'MarketWebhookFailing',
    'MarketRedisFilling',
    'MarketStoreFilling',
    'MarketEventLoopBlocked',
    'MarketServerErrors',
    ...(canMount ? ['MarketDiskFilling', 'MarketPartitionUnread'] : []),
  ]
  const directory = temporaryDirectory()
  let disk: SmallDisk | null = null
  let exitCode: number | null = null
  const throttled = new AbortController()
  let throttling: Promise<void> = Promise.resolve()

  const fillRedis = async () => {
    const info = await watched.stack.redis.admin.info('memory')
    const used = Number(/^used_memory:(\d+)/m.exec(info)?.[1])
    await watched.stack.redis.admin.config('SET', 'maxmemory', String(Math.ceil(used * 1.1)))
  }
  /** Its store has nearly the size that it may have: a file that is mostly a hole takes no room of the disk. */
  const startWithFullStore = async () => {
    if (canMount) {
      disk = new SmallDisk('256m')
      disk.leaveFree(30 * MIB)
    }
    const DATA_DIR = disk?.path ?? directory.path
    await watched.startRole('actors', 'actors-2', { DATA_DIR, LMDB_MAP_GIB: '1' })
    truncateSync(fileOf(join(DATA_DIR, 'store')), STORE_BYTES)
    throttling = watched.throttle('actors-2', throttled.signal)
  }

  beforeAll(async () => {
    await watched.scraper.until([...ALERTS, 'MarketHistoryLostRows'], false, REST_MS)
    ;[exitCode] = await Promise.all([
      watched.refused('projector', 'projector-2', { ORDER_PARTITIONS: '5' }),
      startWithFullStore(),
      watched.failWebhooksFor(1.2 * HOUR_MS),
    ])
    // The sender of webhooks reads views too, and so does a gateway what it has not read before.
    await watched.damageView()
    await watched.startRole('gateway', 'gateway-2')
    // Noticed within 10 s, and fires for the time that counts as a quarter of an hour.
    await watched.stack.clickhouse.query('market', 'TRUNCATE TABLE order_transition_rows')
    // Last: a process that starts needs room in it.
    await fillRedis()
  }, FIRE_MS + REST_MS)
  afterAll(async () => {
    throttled.abort()
    await throttling
    disk?.[Symbol.dispose]()
    directory.drop()
  })

  const fires = (alert: string) => watched.scraper.until([alert], true, FIRE_MS)

  test('a start that is refused', async () => {
    expect(exitCode).toBe(1)
    await fires('MarketDown')
  })
  test.skipIf(!canMount)('the disk of a worker is nearly full', () => fires('MarketDiskFilling'))
  test.skipIf(!canMount)('it cannot open its partitions', () => fires('MarketPartitionUnread'))
  test('the store of a worker is nearly full', () => fires('MarketStoreFilling'))
  test('a process gets less than it is asked for', () => fires('MarketEventLoopBlocked'))
  test('a view was damaged', () => fires('MarketServerErrors'))
  test('ClickHouse was emptied', () => fires('MarketHistoryLostRows'))
  test('a receiver of webhooks that is away', () => fires('MarketWebhookFailing'))
  test('Redis is nearly full', () => fires('MarketRedisFilling'))

  test('all of them rest once they are over', async () => {
    throttled.abort()
    await throttling
    await watched.stack.redis.admin.config('SET', 'maxmemory', '0')
    await watched.market('rebuild', 'views')
    watched.resetClock()
    watched.scraper.forget('projector-2')
    await Promise.all([watched.remove('actors-2'), watched.remove('gateway-2')])
    await watched.scraper.until(ALERTS, false, REST_MS)
  })
})

test('a relay that was away since then is half an hour late', async () => {
  await watched.scraper.until(['MarketFeedAway'], true, FIRE_MS)
  await watched.relay.start()
})

test('no role runs, and a normal stop writes no error', async () => {
  const mark = watched.mark()
  const absent = [
    'MarketActorsAbsent',
    'MarketGatewayAbsent',
    'MarketIngestAbsent',
    'MarketProjectorAbsent',
    'MarketWebhooksAbsent',
  ]
  expect(absent.map((name) => /^Market(.+)Absent$/.exec(name)?.[1]?.toLowerCase())).toEqual(
    WATCHED.toSorted(),
  )
  await raises(absent, {
    produce: () => watched.removeAll(),
    meanwhile: () => {
      for (const [role, lines] of watched.troubleSince(mark)) expect(lines, role).toEqual([])
    },
    undo: () => Promise.all(WATCHED.map((role) => watched.startRole(role))),
  })
})

/** Over a long range, or of a relay that is tried again after minutes, or by another ingest at once. */
const LATE = [
  'MarketDeadLetters',
  'MarketFaults',
  'MarketFeedAway',
  'MarketHistoryLostRows',
  'MarketRestarting',
]

test('at the end every alert rests', () => watched.scraper.until(LATE, false, 300_000))
