import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Command } from 'commander'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Door } from '../../src/adapters/door/door.ts'
import { readDoorFile } from '../../src/adapters/door/door-file.ts'
import { doorLog } from '../../src/adapters/door/door-parts.ts'
import { program } from '../../src/cli/program.ts'
import { grouped } from '../../src/domain/grouped.ts'
import { LANES, openLanes } from '../../src/runtime/lanes.ts'
import { LOG_SCHEMA, TOPICS } from '../../src/schemas/log.ts'
import { type Bundle, bundleService } from '../support/bundle.ts'
import { temporaryDirectory } from '../support/embedded.ts'
import { openApiClient } from '../support/market/api-client.ts'
import { moderate } from '../support/market/moderate.ts'
import { importAsk } from '../support/orders/devnet-asks.ts'
import { freePort } from '../support/services/programs.ts'
import { type Ran, runMarket, ServiceProcess } from '../support/services/service-process.ts'

// Every command works beside the default installation while that runs, and those that read its stores
// say the same once it has stopped.

const THREE = { atOnce: 3, waiting: 1_000 }
const TOKEN = '0defaced'.repeat(8)
const SLOW_MS = 180_000

interface Row {
  command: string
  args?: () => readonly string[]
  code?: number
  /** On stdout, or on stderr if the code is not 0. */
  says?: RegExp
  /** Another DATA_DIR than the service's. */
  dataDir?: () => string
  /** Its answer is the same on the stopped stores: the lines that this keeps. */
  same?: (line: string) => boolean
}

let bundle: Bundle
let here: Record<string, string>
let id = ''
let service: ServiceProcess
const directory = temporaryDirectory()
const file = (name: string) => join(directory.path, name)
const made: Record<string, Ran> = {}
const every = () => true
/** The outpoints that a move on the devnet printed. */
const outpointsOf = (command: string): string[] =>
  [...(made[command]?.stdout ?? '').matchAll(/[0-9a-f]{64}:\d+/g)].map(([outpoint]) => outpoint)

/** Commands of one first word are in order, and run beside those of others. */
const CLIENTS: readonly Row[] = [
  { command: 'status', says: /ready/ },
  { command: 'config', says: /^DATA_DIR=/m },
  { command: 'watch', args: () => [id], says: /WITHDRAWN/ },
  { command: 'doctor', says: /ok/ },
  { command: 'import', args: () => [file('empty')], says: /0 taken|nothing|0/ },
  { command: 'webhooks create', args: () => ['shop', 'http://127.0.0.1:9/'], says: /secret/ },
  { command: 'webhooks list', says: /shop/ },
  { command: 'webhooks deliveries', args: () => ['shop'] },
  { command: 'webhooks rotate', args: () => ['shop'], says: /secret/ },
  { command: 'webhooks disable', args: () => ['shop'] },
  { command: 'webhooks enable', args: () => ['shop'] },
  { command: 'webhooks retry', args: () => ['shop'] },
  { command: 'webhooks delete', args: () => ['shop'] },
  { command: 'keys create', args: () => ['acme', 'maker'], says: /mkc_/ },
  { command: 'keys list', says: /acme/ },
  { command: 'keys rotate', args: () => ['acme'], says: /mkc_/ },
  { command: 'keys revoke', args: () => ['acme'], says: /revoked/ },
  { command: 'devnet fund', args: () => ['bcrt1qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqdku202', '9000'] },
  { command: 'devnet inscribe', args: () => ['bcrt1qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqdku202', 'a'] },
  { command: 'devnet send', args: () => ['00'], code: 1, says: /^market: / },
  { command: 'devnet mine' },
  { command: 'devnet reorg' },
  { command: 'devnet objects create' },
  { command: 'devnet objects move', args: () => outpointsOf('devnet objects create') },
  { command: 'devnet objects pair', args: () => ['0'], code: 1, says: /^market: / },
  { command: 'devnet objects unpair', args: () => ['0'], code: 1, says: /^market: / },
  { command: 'devnet objects release', args: () => outpointsOf('devnet objects move') },
  { command: 'devnet circle', says: /[0-9a-f]{64}/ },
  { command: 'devnet close', args: () => outpointsOf('devnet circle').slice(0, 1) },
  { command: 'completion', args: () => ['bash'], says: /market/ },
  { command: 'complete', args: () => ['--', 'ta'], says: /tail/ },
  { command: 'acl kafka', args: () => ['--role', 'ingest'] },
  { command: 'acl redis', args: () => ['--command', 'dlq retry'] },
  { command: 'acl clickhouse', args: () => ['--command', 'query'] },
  { command: 'operator token', args: () => ['mia'] },
  { command: 'pairing keygen', args: () => [file('key')] },
  { command: 'pairing sign', args: () => [file('empty')], code: 1, says: /^market: / },
  { command: 'pairing verify', args: () => [file('empty')], code: 1 },
  { command: 'pairing verify-proof', args: () => [file('empty')], code: 1 },
  { command: 'pairing divergence', says: /no divergences/ },
  { command: 'pairing plan' },
  { command: 'circles plan' },
  { command: 'circles snapshot', args: () => ['--out', file('a.json')] },
  { command: 'circles verify', args: () => [file('a.json')], says: /^[0-9a-f]{64}$/m },
  { command: 'circles diff', args: () => [file('a.json'), file('a.json')] },
  { command: 'start', code: 1, says: /in use by process \d+/ },
]

/** What reads or writes the stores, in this order. */
const STORES: readonly Row[] = [
  { command: 'dispute', args: () => [id, '--output', file('bundle.json')], says: /bytes/ },
  { command: 'verify-bundle', args: () => [file('bundle.json'), '--unsigned'] },
  { command: 'backup', args: () => [file('backup')], says: /store/ },
  { command: 'verify-backup', args: () => [file('backup')], says: /as it was written/ },
  { command: 'restore', args: () => [file('backup')], dataDir: () => file('restored') },
  { command: 'tail', args: () => ['--no-follow'], says: /WITHDRAWN/, same: isOfBefore },
  { command: 'lag', says: /^all +0 +0 +0$/m, same: every },
  { command: 'usage', says: /^orders\.lifecycle/m },
  { command: 'query', args: () => ['verdicts'], says: /LIVE/, same: every },
  { command: 'export', args: () => [file('exported')], says: /--today writes it now/, same: every },
  { command: 'upgrade status' },
  { command: 'upgrade finish' },
  { command: 'replay history', args: () => ['--from', 'beginning'], same: every },
  { command: 'replay inbox', says: /^no differences$/m },
  { command: 'rebuild views', says: /the views are rebuilt/ },
  { command: 'audit', says: /^clean: every invariant holds$/m },
  { command: 'dlq list', says: /^0\/1000000 +dead/m },
  { command: 'dlq show', args: () => ['0/1000000'], says: /"reasons"/ },
  { command: 'dlq retry', args: () => ['--all'], says: /appended to inbox partition/ },
]

const ROWS = [...CLIENTS, ...STORES]
const chains = grouped(CLIENTS, ({ command }) => command.split(' ')[0] ?? '')

/** The retry of the dead letter, of an order that there is not, came later. */
function isOfBefore(line: string): boolean {
  return !line.includes('refused, ORDER_NOT_FOUND')
}

const leaves = (command: Command, path: readonly string[] = []): string[] =>
  command.commands.length === 0
    ? [path.join(' ')]
    : command.commands.flatMap((one) => leaves(one, [...path, one.name()]))

const { run: lane } = openLanes({ rules: [THREE, THREE, THREE] })
const atMost3 = <T>(work: () => Promise<T>) => lane(LANES.first, work)

const run = ({ command, args = () => [], dataDir }: Row): Promise<Ran> =>
  runMarket(bundle, [...command.split(' '), ...args()], {
    ...here,
    DATA_DIR: dataDir?.() ?? file('data'),
  })

beforeAll(async () => {
  bundle = await bundleService()
  here = {
    DATA_DIR: file('data'),
    PORT: String(await freePort()),
    METRICS_PORT: '0',
    OPERATOR_TOKENS: `mia:${createHash('sha256').update(TOKEN).digest('hex')}`,
    OPERATOR_TOKEN: TOKEN,
    API_KEY: 'mkc_x',
    WEBHOOK_LOOPBACK: 'true',
    RATE_LIMIT_OPERATOR: '100',
  }
  mkdirSync(file('restored'))
  writeFileSync(file('empty'), '')
  const { OPERATOR_TOKEN: _, API_KEY: __, ...own } = here
  service = new ServiceProcess(bundle, ['start'], own)
  const address = await service.ready()
  id = (await importAsk(address, 'beside')).id
  const withdrawn = await moderate(openApiClient(address), id, { reason: 'a test' }, TOKEN)
  expect(withdrawn.status).toBe(201)
}, SLOW_MS)
afterAll(async () => {
  await service?.end()
  bundle?.drop()
  directory.drop()
})

/** A dead letter whose record can be read by now. */
async function bury(): Promise<void> {
  const at = new Date().toISOString()
  const asked = { command: 'revalidate', requestId: 'r', orderId: id, outpoint: `${id}:0`, at }
  const value = { schema: LOG_SCHEMA, kind: 'command', ...asked }
  const letter = { kind: 'dead', offset: 1_000_000, reason: 'unreadable', value }
  const { release = '' } = readDoorFile(file('data')) ?? {}
  const door = await Door.find(file('data'), release)
  if (!door) throw new Error('there is no service')
  await doorLog(door).append([
    { topic: TOPICS.dead, partition: 0, key: 'd', value: { schema: LOG_SCHEMA, ...letter } },
  ])
  await door.close()
}

test('the table has every command', () => {
  expect(ROWS.map(({ command }) => command).sort()).toEqual(leaves(program).sort())
})

describe('beside the running service', { timeout: SLOW_MS }, () => {
  let auditedWithRedis: Ran
  beforeAll(async () => {
    await bury()
    await Promise.all(
      [...chains.values()].map(async (rows) => {
        for (const row of rows) made[row.command] = await atMost3(() => run(row))
      }),
    )
    auditedWithRedis = await runMarket(bundle, ['audit'], {
      ...here,
      // Nothing answers there.
      ...{ REDIS_URL: 'redis://127.0.0.1:1', CURSOR_KEY: 'k'.repeat(32) },
    })
    for (const row of STORES) made[row.command] = await run(row)
  }, SLOW_MS)

  test.each(ROWS)('market $command', async (row) => {
    const ran = made[row.command]
    if (!ran) throw new Error('it did not run')
    const said = row.code ? ran.stderr + ran.stdout : ran.stdout
    expect([ran.code, row.says ? row.says.exec(said)?.[0] : '', ran.stderr, said]).toEqual([
      row.code ?? 0,
      expect.any(String),
      // Neither the engine of the history nor a trace.
      expect.not.stringMatching(/Code: \d|DB::|\n {4}at /),
      expect.any(String),
    ])
  })

  test('market audit compares no views that the service writes in Redis meanwhile', () => {
    const { code, stdout, stderr } = auditedWithRedis
    const skipped = /^I5 .* 0 checked {2}skipped: .*^clean as far as checked; skipped: I5, I12$/ms
    expect([code, stdout, stderr]).toEqual([0, expect.stringMatching(skipped), expect.any(String)])
  })

  test('it is as ready as before, and all that it lost is nothing', async () => {
    expect((await fetch(`http://127.0.0.1:${here['PORT']}/readyz`)).status).toBe(200)
    expect(service.log().filter(({ level }) => level === 'error' || level === 'fatal')).toEqual([])
  })
})

describe('once it has stopped', { timeout: SLOW_MS }, () => {
  beforeAll(async () => {
    expect((await service.end()).code).toBe(0)
    expect(existsSync(file('data/operator.door'))).toBe(false)
  }, SLOW_MS)

  test.each(ROWS.filter(({ same }) => same))('market $command says the same', async (row) => {
    const [before, now] = [made[row.command], await run(row)]
    // Partitions are read side by side: between two of them there is no order.
    const linesOf = (ran: Ran | undefined) =>
      ran?.stdout
        .split('\n')
        .filter(row.same ?? every)
        .sort()
    expect([now.code, linesOf(now)]).toEqual([before?.code, linesOf(before)])
  })
})
