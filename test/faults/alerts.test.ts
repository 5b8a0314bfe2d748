import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { TOPICS } from '../../src/schemas/log.ts'
import { rules } from '../support/alerts/rules.ts'
import { WATCHED, WatchedStack } from '../support/alerts/watched-stack.ts'
import { type Bundle, bundleService } from '../support/bundle.ts'
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

test('everything stands still: ingest hangs', () =>
  raises(['MarketStandstill', 'MarketDown'], {
    produce: async () => watched.stack.role('ingest').signal('SIGSTOP'),
    undo: async () => watched.stack.role('ingest').signal('SIGCONT'),
  }))

describe('four faults at once, each with an alert of its own', () => {
  const ALERTS = [
    'MarketDown',
    'MarketWebhookFailing',
    'MarketRedisFilling',
    ...(canMount ? ['MarketDiskFilling'] : []),
  ]
  let disk: SmallDisk | null = null
  let exitCode: number | null = null

  const fillRedis = async () => {
    const info = await watched.stack.redis.admin.info('memory')
    const used = Number(/^used_memory:(\d+)/m.exec(info)?.[1])
    await watched.stack.redis.admin.config('SET', 'maxmemory', String(Math.ceil(used * 1.1)))
  }
  const startOnSmallDisk = async () => {
    disk = new SmallDisk('256m')
    disk.leaveFree(30 * MIB)
    await watched.startRole('actors', 'actors-2', { DATA_DIR: disk.path })
  }

  beforeAll(async () => {
    await watched.scraper.until(ALERTS, false, REST_MS)
    exitCode = await watched.refused('projector', 'projector-2', { ORDER_PARTITIONS: '5' })
    if (canMount) await startOnSmallDisk()
    await watched.failWebhooksFor(1.2 * HOUR_MS)
    // Last: a process that starts needs room in it.
    await fillRedis()
  }, FIRE_MS + REST_MS)
  afterAll(() => disk?.[Symbol.dispose]())

  const fires = (alert: string) => watched.scraper.until([alert], true, FIRE_MS)

  test('a start that is refused', async () => {
    expect(exitCode).toBe(1)
    await fires('MarketDown')
  })
  test.skipIf(!canMount)('the disk of a worker is nearly full', () => fires('MarketDiskFilling'))
  test('a receiver of webhooks that is away', () => fires('MarketWebhookFailing'))
  test('Redis is nearly full', () => fires('MarketRedisFilling'))

  test('all four rest once they are over', async () => {
    await watched.stack.redis.admin.config('SET', 'maxmemory', '0')
    watched.resetClock()
    watched.scraper.forget('projector-2')
    if (disk) await watched.remove('actors-2')
    await watched.scraper.until(ALERTS, false, REST_MS)
  })
})

test('no role runs, and a normal stop writes no error', async () => {
  const mark = watched.mark()
  const absent = WATCHED.map((role) => `Market${role[0]?.toUpperCase()}${role.slice(1)}Absent`)
  expect(absent.sort()).toEqual([
    'MarketActorsAbsent',
    'MarketGatewayAbsent',
    'MarketIngestAbsent',
    'MarketProjectorAbsent',
    'MarketWebhooksAbsent',
  ])
  await raises(absent, {
    produce: () => watched.removeAll(),
    meanwhile: () => {
      for (const [role, lines] of watched.troubleSince(mark)) expect(lines, role).toEqual([])
    },
    undo: () => Promise.all(WATCHED.map((role) => watched.startRole(role))),
  })
})

test('at the end every alert rests', () =>
  watched.scraper.until(['MarketDeadLetters', 'MarketFaults', 'MarketRestarting'], false, 300_000))
