import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { CrashPoint } from '../../src/ports/log/crash-points.ts'
import { type Bundle, bundleService } from '../support/bundle.ts'
import { type Faulted, faultTable } from '../support/faults/fault-table.ts'
import { isWriting, untilItCovers } from '../support/faults/turns.ts'
import { FORGETFUL } from '../support/services/kafka.ts'
import { waitUntil } from '../support/services/programs.ts'
import { runMarket } from '../support/services/service-process.ts'
import { type RoleProcess, Stack, type StackRole } from '../support/services/stack.ts'
import { type LifecycleCount, StackLoad } from '../support/services/stack-load.ts'

// Faults of the real parts under the whole service, one after another, while sellers list and coins
// are spent. STACK_RUNS repeats each; AWAY_MS is how long a part is unavailable.
const RUNS = Number(process.env['STACK_RUNS'] ?? 1)
const { AWAY_MS } = process.env
/** What reads and writes the log is restarted at the longest interval by then. */
const BROKERS_AWAY_MS = Number(AWAY_MS ?? 60_000)
/** Two looks at the history, which are 10 s apart. */
const HISTORY_AWAY_MS = Number(AWAY_MS ?? 20_000)
/** How long a worker stays frozen after the other one has its partitions. */
const FROZEN_ON_MS = 1_000
const INGEST_FROZEN_MS = 60_000
/** A waiting ingest has taken over by then: a session of 6 s, and what follows. */
const COVERED_WITHIN_MS = 15_000
const COINS = 1_200
const SETTLE_MS = 1_000

const rows: Faulted[] = []
let bundle: Bundle
let stack: Stack
let load: StackLoad
let before: LifecycleCount = { transitions: 0, duplicated: 0, outOfOrder: 0 }

beforeAll(async () => {
  bundle = await bundleService()
  stack = await Stack.start({
    program: bundle,
    variables: { RATE_LIMIT_IMPORT: '100000', RATE_LIMIT_READ: '100000', LOG_LEVEL: 'warn' },
  })
  await stack.startAll()
  await stack.startRole('actors', 'actors-2')
  load = await StackLoad.open(stack, COINS)
  await load.recovery()
})
afterAll(async () => {
  const size = `${load?.answered} orders in ${stack?.variables['ORDER_PARTITIONS']} partitions`
  process.stdout.write(`\n${faultTable(rows)}\n${size}\n`)
  await stack?.end()
  bundle?.drop()
})

/** The fault under load; then each answer must be true, and the lifecycle complete. */
async function survives(fault: string, play: () => Promise<unknown>, runs = RUNS): Promise<void> {
  const recoveriesMs: number[] = []
  for (let run = 0; run < runs; run += 1) {
    load.start()
    await delay(SETTLE_MS)
    const recoveryMs = await play()
    recoveriesMs.push(typeof recoveryMs === 'number' ? recoveryMs : await load.recovery())
    await delay(SETTLE_MS)
    await load.rest()
  }
  const lies = await load.lies()
  const { transitions, duplicated, outOfOrder } = await load.lifecycle()
  rows.push({
    fault,
    runs,
    transitions: transitions - before.transitions,
    lost: lies.length,
    duplicated,
    outOfOrder,
    recoveriesMs,
  })
  before = { transitions, duplicated, outOfOrder }
  expect({ lies, duplicated, outOfOrder }).toEqual({ lies: [], duplicated: 0, outOfOrder: 0 })
}

/** From the kill, including the start of the new process. */
const killAndStart = async (role: StackRole, name: string = role): Promise<number> => {
  const begun = performance.now()
  await stack.role(name).end('SIGKILL')
  await stack.startRole(role, name)
  await load.recovery()
  return performance.now() - begun
}

test.each<[StackRole, string]>([
  ['actors', 'actors'],
  ['ingest', 'ingest'],
  ['projector', 'projector'],
])('SIGKILL of %s, and a new one', (role, name) =>
  survives(`SIGKILL of ${role}, new process`, () => killAndStart(role, name)),
)

test.each<CrashPoint>(['before view', 'after view', 'before history', 'after history'])(
  'SIGKILL of the projector %s',
  (point) =>
    survives(`SIGKILL of projector ${point}`, async () => {
      await stack.role('projector').end()
      const signal = await stack.doomed('projector', bundle.roleChild, { point, passing: 3 })
      expect(signal).toBe('SIGKILL')
      const begun = performance.now()
      await stack.startRole('projector')
      await load.recovery()
      return performance.now() - begun
    }),
)

test('SIGKILL of one of two actors workers: the other takes its partitions', () =>
  survives('SIGKILL of one actors worker of two', async () => {
    await stack.role('actors-2').end('SIGKILL')
    const recoveryMs = await load.recovery()
    await stack.startRole('actors', 'actors-2')
    return recoveryMs
  }))

test('SIGSTOP of an actors worker beyond its session', () =>
  survives('SIGSTOP of an actors worker beyond its session', async () => {
    stack.role('actors').signal('SIGSTOP')
    const recoveryMs = await load.recovery()
    await delay(FROZEN_ON_MS)
    stack.role('actors').signal('SIGCONT')
    return recoveryMs
  }))

/** From then until this ingest covers the chain. */
async function takenOver(ingest: RoleProcess, begun: number): Promise<number> {
  await untilItCovers(ingest)
  const tookMs = performance.now() - begun
  expect(tookMs).toBeLessThan(COVERED_WITHIN_MS)
  return tookMs
}

test('SIGKILL of ingest while another one waits', () =>
  survives(
    'SIGKILL of ingest, another one waits',
    async () => {
      const waiting = await stack.startRole('ingest', 'ingest-2')
      expect(await isWriting(waiting)).toBe(false)
      const begun = performance.now()
      await stack.role('ingest').end('SIGKILL')
      return await takenOver(waiting, begun)
    },
    1,
  ))

let frozenSince = 0
test('SIGSTOP of ingest while another one waits', () =>
  survives(
    'SIGSTOP of ingest, another one waits',
    async () => {
      const waiting = await stack.startRole('ingest')
      frozenSince = performance.now()
      stack.role('ingest-2').signal('SIGSTOP')
      return await takenOver(waiting, frozenSince)
    },
    1,
  ))

test('the broker restarts', () => survives('restart of the broker', () => stack.kafka.restart()))

test('the broker forgets every producer', () =>
  survives('the broker forgets transactional ids', async () => {
    const writers = ['actors', 'actors-2', 'ingest'].map((name) => stack.role(name))
    const saidBy = ({ name, log }: RoleProcess) => {
      const before = log().length
      return waitUntil(`${name} says so`, () =>
        /no longer know this producer/.test(JSON.stringify(log().slice(before))),
      )
    }
    const said = Promise.all(writers.map(saidBy))
    await stack.kafka.halt()
    await stack.kafka.resume(FORGETFUL)
    await said
    await stack.kafka.restart()
  }))

test('the broker is unavailable', () =>
  survives(`broker away for ${BROKERS_AWAY_MS / 1_000} s`, async () => {
    await stack.kafka.halt()
    await delay(BROKERS_AWAY_MS)
    await stack.kafka.resume()
  }))

test('SIGCONT of the frozen ingest, whose turn is over: it waits', () =>
  survives(
    'SIGCONT of that ingest, a minute later',
    async () => {
      const [writing, frozen] = [stack.role('ingest'), stack.role('ingest-2')]
      await delay(Math.max(0, frozenSince + INGEST_FROZEN_MS - performance.now()))
      frozen.signal('SIGCONT')
      await waitUntil('it waits', async () => !(await isWriting(frozen)))
      expect(await isWriting(writing)).toBe(true)
      const recoveryMs = await load.recovery()
      expect(recoveryMs).toBeLessThan(COVERED_WITHIN_MS)
      expect([await isWriting(writing), await isWriting(frozen)]).toEqual([true, false])
      await frozen.end()
      return recoveryMs
    },
    1,
  ))

test('Redis forgets everything', () =>
  survives('FLUSHALL of Redis', async () => {
    await stack.redis.admin.flushall()
  }))

test('Redis restarts', () => survives('restart of Redis', () => stack.redis.restart()))

test('the history is unavailable', () =>
  survives(`ClickHouse killed, away for ${HISTORY_AWAY_MS / 1_000} s`, async () => {
    await stack.clickhouse.kill()
    await delay(HISTORY_AWAY_MS)
    await stack.clickhouse.resume()
  }))

test('the node restarts', () =>
  survives('restart of the node', async () => {
    await stack.chain.restartNode()
  }))

test('the index restarts', () =>
  survives('restart of the index', async () => {
    await stack.chain.ord.stop()
    await stack.chain.ord.start()
  }))

test('at the end every role stops within 10 s, and the audit is clean', async () => {
  const roles = [...stack.roles.values()].filter(({ hasEnded }) => !hasEnded)
  const ends = await Promise.all(roles.map((role) => role.end()))
  for (const { code, ms } of ends) expect([code, ms < 10_000]).toEqual([0, true])
  const audit = await runMarket(bundle, ['audit'], {
    ...stack.variables,
    LOG_LEVEL: 'silent',
    DATA_DIR: `${bundle.market}.audit`,
  })
  expect(audit.stdout + audit.stderr).toMatch(/\nclean: every invariant holds\n$/)
})
