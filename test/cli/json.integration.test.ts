import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { p2wpkh, Transaction } from '@scure/btc-signer'
import { pubECDSA } from '@scure/btc-signer/utils.js'
import type { Command } from 'commander'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { LmdbStore } from '../../src/adapters/embedded/lmdb/lmdb-store.ts'
import { EmbeddedLog } from '../../src/adapters/embedded/log/log.ts'
import { systemClock } from '../../src/adapters/embedded/system-clock.ts'
import { program } from '../../src/cli/program.ts'
import { outpointText } from '../../src/domain/chain/outpoint.ts'
import { LOG_SCHEMA, TOPICS } from '../../src/schemas/log.ts'
import { type Bundle, bundleService } from '../support/bundle.ts'
import { temporaryDirectory } from '../support/embedded.ts'
import { openApiClient } from '../support/market/api-client.ts'
import { moderate } from '../support/market/moderate.ts'
import { importAsk } from '../support/orders/devnet-asks.ts'
import { freePort } from '../support/services/programs.ts'
import { runMarket, ServiceProcess } from '../support/services/service-process.ts'

// Every command that takes --json prints JSON, a line each, and nothing else.

const TOKEN = '0defaced'.repeat(8)
const PARTITIONS = 4
const SLOW_MS = 180_000

interface Row {
  /** The command as it is typed. */
  command: string
  args?: () => readonly string[]
  /** Another DATA_DIR than the service's. */
  dataDir?: () => string
  code?: number
  /** The lines as they must be; the first ones. */
  lines: readonly unknown[]
}

let bundle: Bundle
let here: Record<string, string>
let id = ''
const directory = temporaryDirectory()
const file = (name: string) => join(directory.path, name)
const any = (kind: unknown): unknown => expect.any(kind)

const marketOn = (DATA_DIR: string, args: readonly string[]) =>
  runMarket(bundle, args, { ...here, DATA_DIR, OPERATOR_TOKEN: TOKEN, API_KEY: 'mkc_x' })
const market = (...args: readonly string[]) => marketOn(file('data'), args)
const url = 'http://127.0.0.1:9/'
const shop = { name: 'shop', url }
const acme = { name: 'acme', tier: 'maker' }

/** That of the secret key 1, as BIP173 has it. */
const ADDRESS = 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080'
const SECRET = Uint8Array.from({ length: 32 }, (_, at) => Number(at === 31))
const OUTPOINT = expect.stringMatching(/^[0-9a-f]{64}:\d+$/)
/** The outputs that each move made, by its command. */
const made = new Map<string, string[]>()
const of = (move: string, at = 0) => made.get(move)?.[at] ?? 'unmade'
/** A final transaction that spends what a move made for ADDRESS; hex. */
function spendOf(move: string): string {
  const [txid = '', vout] = of(move).split(':')
  const { script } = p2wpkh(pubECDSA(SECRET))
  const transaction = new Transaction()
  transaction.addInput({ txid, index: Number(vout), witnessUtxo: { script, amount: 10_000n } })
  transaction.addOutput({ script, amount: 9_000n })
  transaction.sign(SECRET)
  transaction.finalize()
  return transaction.hex
}
const moved = { txid: any(String), outpoints: [OUTPOINT] }

/** On the devnet, each after those before. */
const PLAYED: readonly Row[] = [
  {
    command: 'devnet fund',
    args: () => [ADDRESS, '10000'],
    lines: [{ outpoint: { vout: any(Number) } }],
  },
  {
    command: 'devnet inscribe',
    args: () => [ADDRESS, 'a text'],
    lines: [{ inscriptionId: any(String) }],
  },
  { command: 'devnet send', args: () => ['00'], code: 1, lines: [] },
  { command: 'devnet send', args: () => [spendOf('devnet fund')], lines: [{ txid: any(String) }] },
  { command: 'devnet mine', lines: [{ blocks: [any(String)] }] },
  { command: 'devnet reorg', lines: [{ forkHeight: any(Number), disconnected: [any(String)] }] },
  { command: 'devnet objects create', args: () => ['a'], lines: [moved] },
  { command: 'devnet objects create', args: () => ['b'], lines: [moved] },
  {
    command: 'devnet objects pair',
    args: () => [of('devnet objects create'), of('devnet objects create', 1)],
    lines: [{ txid: any(String) }],
  },
  {
    command: 'devnet objects unpair',
    args: () => [of('devnet objects pair')],
    lines: [{ txid: any(String) }],
  },
  {
    command: 'devnet objects move',
    args: () => [of('devnet objects unpair')],
    lines: [moved],
  },
  {
    command: 'devnet objects release',
    args: () => [of('devnet objects move')],
    lines: [{ txid: any(String) }],
  },
  { command: 'devnet circle', lines: [{ outpoints: [OUTPOINT, OUTPOINT, OUTPOINT] }] },
  { command: 'devnet close', args: () => [of('devnet circle')], lines: [{ txid: any(String) }] },
]

/** Asked of the service while it runs, in this order. */
const RUNNING: readonly Row[] = [
  ...PLAYED,
  { command: 'status', lines: [{ service: 'ready', hasStore: true }] },
  { command: 'watch', args: () => [id], lines: [{ state: 'WITHDRAWN' }] },
  { command: 'pairing divergence', lines: [] },
  { command: 'backup', args: () => [file('backup')], lines: [{ format: 1, network: 'regtest' }] },
  {
    command: 'verify-backup',
    args: () => [file('backup')],
    lines: [{ manifest: { format: 1 }, problems: [] }],
  },
  {
    command: 'webhooks create',
    args: () => ['shop', url],
    lines: [{ ...shop, secret: any(String) }],
  },
  { command: 'webhooks list', lines: [[shop]] },
  { command: 'webhooks rotate', args: () => ['shop'], lines: [{ ...shop, secret: any(String) }] },
  { command: 'webhooks disable', args: () => ['shop'], lines: [{ ...shop, paused: 'operator' }] },
  { command: 'webhooks enable', args: () => ['shop'], lines: [{ ...shop, paused: null }] },
  { command: 'webhooks retry', args: () => ['shop'], lines: [shop] },
  {
    command: 'webhooks deliveries',
    args: () => ['shop'],
    lines: [{ webhook: shop, deadLetters: [] }],
  },
  { command: 'webhooks delete', args: () => ['shop'], lines: [shop] },
  {
    command: 'keys create',
    args: () => ['acme', 'maker'],
    lines: [{ ...acme, key: any(String) }],
  },
  { command: 'keys list', lines: [[acme]] },
  {
    command: 'keys rotate',
    args: () => ['acme', '--previous-for', '0'],
    lines: [{ ...acme, key: any(String), secrets: 1 }],
  },
  { command: 'keys revoke', args: () => ['acme'], lines: [acme] },
]

/** What only reads a file, or nothing. */
const ANYWHERE: readonly Row[] = [
  { command: 'config', lines: [{ BITCOIN_NETWORK: 'regtest' }] },
  {
    // Without a line nothing is sent: test/operator/service/import-lines.test.ts sends some.
    command: 'import',
    args: () => [file('empty.ndjson')],
    lines: [{ before: 0, refusedBefore: 0, taken: 0, refused: 0, isWhole: true }],
  },
  {
    command: 'acl kafka',
    args: () => ['--role', 'ingest'],
    lines: [{ user: 'market', rights: any(Array) }],
  },
  {
    command: 'acl redis',
    args: () => ['--command', 'dlq retry'],
    lines: [{ user: 'market', rules: ['resetchannels'] }],
  },
  {
    command: 'acl clickhouse',
    args: () => ['--role', 'gateway'],
    lines: [
      { user: 'market', database: 'market', rights: [{ privileges: ['SELECT'], table: '*' }] },
    ],
  },
  {
    command: 'operator token',
    args: () => ['mia'],
    lines: [{ token: any(String), entry: any(String) }],
  },
  {
    command: 'pairing keygen',
    args: () => [file('key')],
    lines: [{ keyId: any(String), publicKey: any(String), file: any(String) }],
  },
  {
    command: 'pairing sign',
    args: () => [file('empty.json')],
    code: 1,
    lines: [],
  },
  {
    command: 'pairing verify',
    args: () => [file('empty.json')],
    code: 1,
    lines: [{ problem: any(String), envelope: null }],
  },
  {
    command: 'pairing verify-proof',
    args: () => [file('empty.json')],
    code: 1,
    lines: [{ problem: any(String), proof: null }],
  },
]

/** On the stores of a service that has stopped, in this order. */
const STOPPED: readonly Row[] = [
  {
    command: 'restore',
    args: () => [file('backup')],
    dataDir: () => file('restored'),
    lines: [{ format: 1, network: 'regtest' }],
  },
  { command: 'doctor', lines: [{ isWell: true, findings: any(Array) }] },
  {
    command: 'tail',
    args: () => ['--no-follow', '--limit', '1'],
    lines: [{ topic: TOPICS.lifecycle, partition: any(Number), offset: any(Number) }],
  },
  { command: 'lag', lines: [any(Array)] },
  { command: 'usage', lines: [{ topics: any(Array), stores: any(Array), notes: [] }] },
  { command: 'export', args: () => [file('exported')], lines: [{ written: 0, whole: true }] },
  {
    command: 'verify-bundle',
    args: () => [file('bundle.json'), '--unsigned'],
    lines: [{ result: 'consistent', isSound: false, failed: [] }],
  },
  {
    command: 'dispute',
    args: () => [id, '--output', file('again.json')],
    lines: [{ file: any(String), bytes: any(Number) }],
  },
  { command: 'query', args: () => ['volume'], lines: [any(Object)] },
  {
    command: 'circles snapshot',
    args: () => ['--out', file('snapshot.json')],
    lines: [{ file: any(String), bytes: any(Number) }],
  },
  {
    command: 'replay history',
    args: () => ['--from', 'beginning', '--dry-run'],
    lines: [{ whole: true, lacking: 0, foreign: [] }],
  },
  { command: 'replay inbox', lines: [{ isClean: true, lines: any(Array) }] },
  { command: 'rebuild views', lines: [{ isRebuilt: true }] },
  { command: 'upgrade status', lines: [{ isFinished: true }] },
  { command: 'upgrade finish', lines: [{ isFinished: true }] },
  { command: 'audit', lines: [{ isClean: true }] },
  { command: 'pairing plan', lines: [{ fold: 'pairing' }] },
  { command: 'circles plan', lines: [{ fold: 'circles' }] },
  {
    command: 'circles verify',
    args: () => [file('circles.json')],
    lines: [{ ok: true, stateHash: any(String) }],
  },
  {
    command: 'circles diff',
    args: () => [file('circles.json'), file('other.json')],
    code: 1,
    lines: [{ pointer: '/revision', b: '0' }],
  },
  { command: 'dlq list', lines: [{ place: { partition: 0, offset: 1_000_000 } }] },
  {
    command: 'dlq show',
    args: () => ['0/1000000'],
    lines: [{ letter: { reasons: ['unreadable'] } }],
  },
  { command: 'dlq retry', args: () => ['--all'], lines: [{ toPartition: any(Number) }] },
]

async function holds({ command, args = () => [], dataDir, code = 0, lines }: Row): Promise<void> {
  const words = [...command.split(' '), ...args(), '--json']
  const ran = await marketOn(dataDir?.() ?? file('data'), words)
  const printed = ran.stdout === '' ? [] : ran.stdout.trimEnd().split('\n')
  const parsed = printed.map((line) => JSON.parse(line))
  const outpoints = parsed[0]?.outpoints ?? [parsed[0]?.outpoint].filter(Boolean).map(outpointText)
  made.set(command, [...(made.get(command) ?? []), ...outpoints])
  expect([command, ran.code, parsed.slice(0, lines.length)]).toMatchObject([command, code, lines])
  if (lines.length === 0) expect(printed).toEqual([])
}

beforeAll(async () => {
  bundle = await bundleService()
  here = {
    DATA_DIR: file('data'),
    PORT: String(await freePort()),
    METRICS_PORT: '0',
    ORDER_PARTITIONS: String(PARTITIONS),
    OPERATOR_TOKENS: `mia:${createHash('sha256').update(TOKEN).digest('hex')}`,
    WEBHOOK_LOOPBACK: 'true',
    RATE_LIMIT_OPERATOR: '100',
  }
  writeFileSync(file('empty.ndjson'), '')
  writeFileSync(file('empty.json'), '{}')
}, SLOW_MS)
afterAll(() => {
  bundle?.drop()
  directory.drop()
})

/** A record that was dead before this release could read it. */
async function bury(): Promise<void> {
  const at = new Date().toISOString()
  const asked = { command: 'revalidate', requestId: 'r', orderId: id, outpoint: `${id}:0`, at }
  const value = { schema: LOG_SCHEMA, kind: 'command', ...asked }
  const letter = {
    schema: LOG_SCHEMA,
    kind: 'dead',
    offset: 1_000_000,
    reason: 'unreadable',
    value,
  }
  const store = await LmdbStore.open(join(file('data'), 'store'))
  const log = await EmbeddedLog.open({ store, clock: systemClock, partitions: PARTITIONS })
  await log.append([{ topic: TOPICS.dead, partition: 0, key: 'dead', value: letter }])
  await store.close()
}

describe('with --json', () => {
  test('every command of the terminal is in these tables', () => {
    const withJson = (command: Command): string[] => {
      const own = command.options.some(({ long }) => long === '--json') ? [command.name()] : []
      const below = command.commands.flatMap((one) =>
        withJson(one).map((name) => (command === program ? name : `${command.name()} ${name}`)),
      )
      return [...own, ...below]
    }
    const rows = [...RUNNING, ...ANYWHERE, ...STOPPED].map(({ command }) => command)
    expect([...new Set(rows)].sort()).toEqual(withJson(program).sort())
  })

  test('only start, completion and groups of commands have none', () => {
    const without = (command: Command): string[] =>
      command.commands.length > 0
        ? command.commands.flatMap(without)
        : command.options.some(({ long }) => long === '--json')
          ? []
          : [command.name()]
    // A shell asks `complete` for words, a line each.
    expect(without(program).sort()).toEqual(['complete', 'completion', 'start'])
  })

  describe('beside a running service', { timeout: SLOW_MS }, () => {
    let service: ServiceProcess
    beforeAll(async () => {
      service = new ServiceProcess(bundle, ['start'], here)
      const address = await service.ready()
      id = (await importAsk(address, 'of the commands')).id
      const withdrawn = await moderate(openApiClient(address), id, { reason: 'a test' }, TOKEN)
      expect(withdrawn.status).toBe(201)
    }, SLOW_MS)
    afterAll(async () => {
      await service.end()
    })

    test.each(RUNNING)('$command', holds)
    test.each(ANYWHERE)('$command', holds)
  })

  describe('on the stores of one that has stopped', { timeout: SLOW_MS }, () => {
    beforeAll(async () => {
      await market('dispute', id, '--output', file('bundle.json'))
      await market('circles', 'snapshot', '--out', file('circles.json'))
      const snapshot = readFileSync(file('circles.json'), 'utf8')
      writeFileSync(file('other.json'), snapshot.replace(/"revision":\d+/, '"revision":0'))
      await bury()
    }, SLOW_MS)

    test.each(STOPPED)('$command', holds)
  })
})
