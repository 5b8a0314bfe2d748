import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { NEWEST_LOG_SCHEMA } from '../../src/schemas/log.ts'
import { type Bundle, bundleService, type Program } from '../support/bundle.ts'
import { lastRelease } from '../support/last-release.ts'
import { fetchUnlessShed } from '../support/market/fetch-unless-shed.ts'
import { QUICK_GROUPS } from '../support/services/kafka.ts'
import { runMarket } from '../support/services/service-process.ts'
import { STACK_ROLES, Stack, type StackRole } from '../support/services/stack.ts'
import { StackLoad } from '../support/services/stack-load.ts'
import { SteadyReader } from '../support/services/steady-reader.ts'
import { ROOT } from '../support/tree.ts'

// The last release and this tree on one Kafka, Redis and history (ADR 111), while sellers list, coins
// are spent and a client reads: role by role to this tree, back, and here again. Before, between and
// after, an ask in each partition becomes LIVE. The first projector of this tree applies its migration of
// the history, which roles of the release then have beside them.
const released = lastRelease()
const [{ version }] = JSON.parse(readFileSync(join(ROOT, 'releases.json'), 'utf8')) as [
  { version: string },
]
const COINS = 700

let here: Bundle
let stack: Stack
let load: StackLoad
let reader: SteadyReader

describe.skipIf(released === null)('the last release and this tree', () => {
  const programs = (): Record<'released' | 'here', Program> => ({
    released: released ?? here,
    here,
  })

  beforeAll(async () => {
    here = await bundleService()
    stack = await Stack.start({
      program: programs().released,
      broker: QUICK_GROUPS,
      variables: {
        RATE_LIMIT_IMPORT: '100000',
        RATE_LIMIT_STATISTICS: '100000',
        LOG_LEVEL: 'warn',
      },
    })
    await stack.startAll()
    load = await StackLoad.open(stack, COINS)
    await load.recovery()
    reader = new SteadyReader([stack.role('gateway')], () => load.orders)
  })
  afterAll(async () => {
    await reader?.end()
    await stack?.end()
    here?.drop()
  })

  /** A role is replaced as its StatefulSet or Deployment does: gateways by one more, the others in place. */
  async function roll(role: StackRole, to: 'released' | 'here', step: number): Promise<void> {
    const program = programs()[to]
    if (role !== 'gateway') {
      const ended = await stack.role(role).end()
      expect(ended.code).toBe(0)
      await stack.startRole(role, role, {}, program)
      return
    }
    const before = [...stack.roles.values()].filter((one) => one.role === role && !one.hasEnded)
    const next = await stack.startRole(role, `gateway-${step}`, {}, program)
    load.use(next)
    await reader.use([next])
    for (const one of before) await one.end()
  }

  const run = (of: 'released' | 'here', ...args: string[]) =>
    runMarket(programs()[of], args, { ...stack.variables, LOG_LEVEL: 'silent' })
  /** Whether this tree has a form of records that the release does not read; 0.9.0 has the first alone. */
  const formIsNew = async () => {
    if (version === '0.9.0') return true
    const { stdout } = await run('released', 'upgrade', 'status', '--json')
    return JSON.parse(stdout).newest < NEWEST_LOG_SCHEMA
  }
  const noLetterIsDead = async () => {
    const { stdout, stderr } = await run('here', 'dlq', 'list')
    expect(stdout + stderr).toBe('no dead letters\n')
  }

  /** The projectors that followed the first one. */
  const projectors: { to: 'released' | 'here'; sinceMs: number }[] = []
  const inHistory = (sql: string) => stack.clickhouse.query('market', `${sql} FORMAT JSONEachRow`)
  const migrations = async () => {
    const rows = await inHistory('SELECT version FROM schema_migrations FINAL ORDER BY version')
    return rows.map((row) => (row as { version: number }).version)
  }

  const steps = (['here', 'released', 'here'] as const).flatMap((to) =>
    STACK_ROLES.map((role) => ({ role, to })),
  )

  test.each(
    steps.map(
      ({ role, to }, step) => [`${step}: ${role} becomes that of ${to}`, role, to, step] as const,
    ),
  )('%s, under load', async (_, role, to, step) => {
    load.start()
    await roll(role, to, step)
    if (role === 'projector') projectors.push({ to, sinceMs: Date.now() })
    expect(await migrations()).toEqual([1, 2, 3, 4])
    await load.recovery()
    await load.rest()
    expect(reader.failures).toEqual([])
  })

  test('every answer is true, nothing is twice or out of order, and no letter is dead', async () => {
    expect(await load.lies()).toEqual([])
    const { transitions, duplicated, outOfOrder } = await load.lifecycle()
    expect({ duplicated, outOfOrder }).toEqual({ duplicated: 0, outOfOrder: 0 })
    expect(transitions).toBeGreaterThan(load.answered)
    expect(reader.failures).toEqual([])
    expect(reader.served).toBeGreaterThan(100)
    await noLetterIsDead()
  })

  test('what projectors of both releases wrote is found by its transaction', async () => {
    const [, released, last] = projectors
    const [from, to] = [released?.sinceMs, last?.sinceMs]
    const found = await inHistory(
      `SELECT spend_txid AS txid, groupUniqArray(order_id) AS orders,
         countIf(toUnixTimestamp64Milli(observed_at) BETWEEN ${from} AND ${to}) AS beside
       FROM order_transitions WHERE isNotNull(spend_txid) GROUP BY txid`,
    )
    const spends = found as { txid: string; orders: string[]; beside: number }[]
    const besides = spends.filter(({ beside }) => beside > 0)
    expect(released?.to).toBe('released')
    const gateway = [...stack.roles.values()].findLast(({ role }) => role === 'gateway')
    expect([spends.length > besides.length, besides.length > 0]).toEqual([true, true])
    for (const { txid, orders } of spends) {
      const answer = await fetchUnlessShed(
        `${gateway?.address}/api/market/stats/transaction?txid=${txid}`,
      )
      const { rows } = (await answer.json()) as { rows: { order_id: string }[] }
      const named = new Set(rows.map((row) => row.order_id))
      expect([...named].toSorted(), txid).toEqual(orders.toSorted())
    }
  })

  test.each(['released', 'here'] as const)('the audit of %s is clean', async (of) => {
    const audit = await runMarket(programs()[of], ['audit'], {
      ...stack.variables,
      LOG_LEVEL: 'silent',
      DATA_DIR: `${here.market}.audit-${of}`,
    })
    expect(audit.stdout + audit.stderr).toMatch(/\nclean: every invariant holds\n$/)
  })

  test('the way back is open until an upgrade to a new form is finished, under load', async () => {
    const isNew = await formIsNew()
    const status = await run('here', 'upgrade', 'status')
    expect(status.stdout).toContain(
      isNew ? 'the release before this one can still be started' : 'no upgrade is open',
    )
    expect((await run('released', 'lag')).code).toBe(0)
    load.start()
    const finished = await run('here', 'upgrade', 'finish')
    expect([finished.code, finished.stdout]).toEqual([
      0,
      expect.stringContaining('no upgrade is open'),
    ])
    const back = await run('released', 'lag')
    const refused = [1, expect.stringContaining('start a newer release')]
    expect([back.code, back.stderr]).toEqual(isNew ? refused : [0, ''])
    expect((await run('here', 'lag')).code).toBe(0)
  })

  test('every role goes on while ingest begins to write the new form', async () => {
    await load.mineLarge()
    await load.recovery()
    expect((await load.entriesInPieces()) === 0).toBe(await formIsNew())
    await roll('ingest', 'here', steps.length)
    await load.mineLarge()
    await load.recovery()
    await load.rest()
    expect(await load.entriesInPieces()).toBeGreaterThan(0)
    expect(await load.lies()).toEqual([])
    expect(await load.lifecycle()).toMatchObject({ duplicated: 0, outOfOrder: 0 })
    expect(reader.failures).toEqual([])
    await noLetterIsDead()
  })
})
