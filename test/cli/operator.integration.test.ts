import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { LmdbStore } from '../../src/adapters/embedded/lmdb/lmdb-store.ts'
import { EmbeddedLog } from '../../src/adapters/embedded/log/log.ts'
import { systemClock } from '../../src/adapters/embedded/system-clock.ts'
import { partitionOf } from '../../src/domain/order/partition.ts'
import { LOG_SCHEMA, TOPICS } from '../../src/schemas/log.ts'
import { type Bundle, bundleService } from '../support/bundle.ts'
import { temporaryDirectory } from '../support/embedded.ts'
import { toOutpointText } from '../support/ids.ts'
import { ask, importAsk } from '../support/orders/devnet-asks.ts'
import { runMarket, ServiceProcess } from '../support/services/service-process.ts'

const PARTITIONS = 4
/** Each command is a process of its own, on a machine shared with others. */
const SLOW_MS = 180_000

vi.setConfig({ testTimeout: SLOW_MS })

let bundle: Bundle
let orderId: string
const directory = temporaryDirectory()
const here = {
  DATA_DIR: directory.path,
  PORT: '0',
  METRICS_PORT: '0',
  ORDER_PARTITIONS: String(PARTITIONS),
}
const market = (args: readonly string[], variables: Record<string, string> = {}) =>
  runMarket(bundle, args, { ...here, ...variables })
const linesOf = ({ stdout }: { stdout: string }) => stdout.trimEnd().split('\n')

// One service runs for a while, and is stopped: the commands examine what it leaves.
beforeAll(async () => {
  bundle = await bundleService()
  await using service = new ServiceProcess(bundle, ['start'], here)
  const address = await service.ready()
  const order = await importAsk(address, 'of the operator')
  expect(order.state).toBe('LIVE')
  orderId = order.id
  // It is answered once the history has the order's last change.
  const { status } = await ask(address, `activity?orderId=${orderId}`)
  expect(status).toBe(200)
  const divergences = await market(['pairing', 'divergence'])
  expect(divergences).toMatchObject({ code: 0, stdout: 'no divergences\n', stderr: '' })
  const diagnosis = await market(['doctor'])
  expect(diagnosis.stdout).toContain(`is in use by process ${service.pid}: the service is running`)
  expect(diagnosis.code).toBe(0)
  await service.end()
}, SLOW_MS)
afterAll(() => {
  bundle.drop()
  directory.drop()
})

/** Writes to the log of the service in a way that is forbidden. */
async function withLog<T>(work: (log: EmbeddedLog) => Promise<T>): Promise<T> {
  const store = await LmdbStore.open(join(directory.path, 'store'))
  try {
    return await work(await EmbeddedLog.open({ store, clock: systemClock, partitions: PARTITIONS }))
  } finally {
    await store.close()
  }
}

test('tail prints the life of one order, a line a record, in order', async () => {
  const told = linesOf(await market(['tail', '--no-follow', '--order', orderId.toUpperCase()]))
  const [first = ''] = told
  expect(first).toMatch(
    /^orders\.lifecycle [0-3]\/\d+ {2}20\S+Z {2}transition {2}[0-9a-f]{64} seq 1 \(new\) → \S+: \S+, by \S+$/,
  )
  // A verdict ahead of the chain is requested again: that moves no state, and is recorded too.
  const steps = told.filter((line) => / {2}(transition|verified|noted) {2}/.test(line))
  expect(steps.map((line) => /seq (\d+)/.exec(line)?.[1])).toEqual(
    steps.map((_, at) => String(at + 1)),
  )
  expect(told.every((line) => line.includes(orderId))).toBe(true)
})

test('tail ends at its limit, and JSON has topic, place and value', async () => {
  const { code, stdout } = await market(
    [
      'tail',
      '--topic',
      'orders.inbox',
      'chain.blocks',
      '--from',
      'beginning',
      '--limit',
      '3',
    ].concat('--json'),
  )
  const records = linesOf({ stdout }).map((line) => JSON.parse(line))
  expect([code, records.length]).toEqual([0, 3])
  for (const record of records) {
    expect(Object.keys(record)).toEqual(['topic', 'partition', 'offset', 'value'])
    expect(record.value.schema).toBe(LOG_SCHEMA)
  }
})

test('tail follows until it is interrupted', async () => {
  await using tailing = new ServiceProcess(bundle, ['tail', '--from', 'beginning'], here)
  await tailing.saying(new RegExp(orderId))
  // No more records come, and it keeps waiting.
  const isOver = await Promise.race([tailing.ended().then(() => true), delay(1_000, false)])
  expect([isOver, tailing.stderr]).toEqual([false, ''])
  const { code, signal } = await tailing.end('SIGINT')
  expect([code, signal]).toEqual([0, null])
})

test('tail refuses what it does not know', async () => {
  const topic = await market(['tail', '--topic', 'orders'])
  expect(topic.stderr).toContain("option '--topic <topic...>' argument 'orders' is invalid")
  const partition = await market(['tail', '--no-follow', '--partition', '4'])
  expect([partition.code, partition.stderr]).toEqual([
    1,
    'market: no partition 4: the log has partitions 0 to 3\n',
  ])
})

test('lag is zero in the end, and later records are counted', async () => {
  const rows = linesOf(await market(['lag'])).map((line) => line.trim().split(/ {2,}/))
  expect(rows[0]).toEqual(['partition', 'actors', 'views', 'history'])
  expect(rows.slice(1, -1).map(([partition]) => partition)).toEqual(['0', '1', '2', '3'])
  expect(rows.at(-1)?.slice(2)).toEqual(['0', '0'])
  const lags = JSON.parse((await market(['lag', '--json'])).stdout)
  expect(lags).toHaveLength(PARTITIONS)
  const before = lags[2].actors.left
  await withLog((log) =>
    log.append([{ topic: TOPICS.inbox, partition: 2, key: 'poison', value: 'poison' }]),
  )
  expect(JSON.parse((await market(['lag', '--json'])).stdout)[2].actors.left).toBe(before + 1)
})

test('dispute writes the bundle of an order, which verify-bundle accepts, and nothing else', async () => {
  const file = join(directory.path, 'bundle.json')
  const written = await market(['dispute', orderId, '--output', file])
  expect([written.code, written.stderr]).toEqual([0, ''])
  const text = readFileSync(file, 'utf8')
  expect(written.stdout).toBe(`${file}: ${Buffer.byteLength(text)} bytes\n`)
  expect((await market(['dispute', orderId])).stdout).toBe(`${text}\n`)

  // Without any configuration or folder.
  const nowhere = { DATA_DIR: join(directory.path, 'nowhere') }
  const key = JSON.parse(text).signature.publicKey
  const sound = await market(['verify-bundle', file, '--key', key], nowhere)
  expect([sound.code, sound.stderr]).toEqual([0, ''])
  const lines = linesOf(sound)
  expect(lines).toContain('proved   the order id names what the artifact authorises')
  expect(lines.at(-1)).toMatch(/^sound: 1[0-9] facts proved, [0-9] only claimed$/)
  const forged = join(directory.path, 'forged.json')
  writeFileSync(forged, text.replace('"reason":"verified"', '"reason":"verifies"'))
  const found = await market(['verify-bundle', forged, '--json'], nowhere)
  expect(found.code).toBe(1)
  expect(JSON.parse(found.stdout)).toMatchObject({ isSound: false, failed: expect.any(Array) })

  const stranger = await market(['verify-bundle', file, '--key', 'ab'.repeat(32)], nowhere)
  expect([stranger.code, linesOf(stranger).at(-1)]).toEqual([1, 'not sound: 1 facts do not hold'])

  for (const [path, why] of [
    ['/nowhere/at-all', 'there is no file /nowhere/at-all'],
    [directory.path, `${directory.path} is a folder`],
  ] as const) {
    const unread = await market(['verify-bundle', path], nowhere)
    expect([unread.code, unread.stderr]).toEqual([1, `market: the bundle cannot be read: ${why}\n`])
  }

  const unknown = await market(['dispute', '0'.repeat(64)])
  expect([unknown.code, unknown.stderr]).toEqual([1, 'market: there is no order with this id\n'])
})

test.each([
  ['query', 'volume', '--output'],
  ['dispute', '0'.repeat(64), '--output'],
  ['circles', 'snapshot', '--out'],
])('%s %s replaces no file, and asks nothing before it says so', async (...args) => {
  const file = join(directory.path, 'kept.txt')
  writeFileSync(file, 'kept')
  const nowhere = { DATA_DIR: join(directory.path, 'nowhere') }
  const { code, stdout, stderr } = await market([...args, file], nowhere)
  const cure = `market: ${file} exists already: name a new file\n`
  expect([code, stdout, stderr]).toEqual([1, '', cure])
  expect(readFileSync(file, 'utf8')).toBe('kept')
})

test('a bundle that no known key signed is never code 0, unless that is asked for', async () => {
  const file = 'test/vectors/dispute-settled.json'
  const said = /^consistent, but signed by no known key: \d+ facts proved, \d+ only claimed$/
  const plain = await market(['verify-bundle', file])
  expect([plain.code, linesOf(plain).at(-1)]).toEqual([1, expect.stringMatching(said)])
  expect(plain.stderr).toContain('--key (safety.bundleKey of its /api/market/protocol)')
  const unsigned = await market(['verify-bundle', file, '--unsigned'])
  expect([unsigned.code, unsigned.stderr]).toEqual([0, ''])
  expect(linesOf(unsigned).at(-1)).toMatch(said)
  const both = await market(['verify-bundle', file, '--unsigned', '--key', 'ab'.repeat(32)])
  expect([both.code, both.stdout]).toEqual([1, ''])
})

test('usage counts topics, tables and rows, and gives no rate for a log that is minutes old', async () => {
  const { code, stdout } = await market(['usage', '--json'])
  expect(code).toBe(0)
  const { at, topics, stores, history, notes } = JSON.parse(stdout)
  const byTopic = new Map(topics.map((one: { topic: string }) => [one.topic, one]))
  expect([...byTopic.keys()]).toEqual(Object.values(TOPICS))
  const counted = await withLog(async (log) => {
    const counts: number[] = []
    for (let partition = 0; partition < PARTITIONS; partition += 1) {
      counts.push(0)
      for await (const batch of log.stored(TOPICS.inbox, partition, 0)) {
        counts[partition] = (counts[partition] ?? 0) + batch.length
      }
    }
    return counts
  })
  const inbox = byTopic.get(TOPICS.inbox) as {
    records: number
    bytes: number
    since: string
    partitions: { records: number; bytes: number }[]
  }
  expect(inbox.partitions.map(({ records }) => records)).toEqual(counted)
  expect(inbox.records).toBe(counted.reduce((sum, count) => sum + count, 0))
  const shared = inbox.partitions.reduce((sum, { bytes }) => sum + bytes, 0)
  expect(inbox.bytes).toBe(shared)
  // Topics share the pages of the newest records.
  const whole = topics.reduce((sum: number, { bytes }: { bytes: number }) => sum + bytes, 0)
  expect(whole % 4_096).toBe(0)
  expect(Date.parse(inbox.since)).toBeLessThan(Date.parse(at))
  expect(topics.every(({ growth }: { growth: unknown }) => growth === null)).toBe(true)

  const [lmdb] = stores
  expect(lmdb.name).toBe(`lmdb in ${join(directory.path, 'store')}`)
  const names = lmdb.tables.map(({ name }: { name: string }) => name)
  expect(names).toContain('view documents')
  expect(names.filter((name: string) => name.startsWith('log orders'))).toEqual([])
  const rows = history.tables.find(({ name }: { name: string }) => name === 'order_transition_rows')
  expect(rows.entries).toBeGreaterThan(0)
  expect(rows.bytes).toBeGreaterThan(0)
  expect(notes).toEqual([])

  const lines = linesOf(await market(['usage']))
  expect(lines[0]?.split(/ {2,}/)).toEqual([
    ...['topic', 'records', 'bytes', 'each', 'time span', 'per day', 'per month'],
  ])
  expect(lines).toContainEqual(
    expect.stringMatching(
      new RegExp(`^orders\\.inbox +${inbox.records} +.* h of 7 days +too short +unknown$`),
    ),
  )
})

test('replay history compares, writes, and finds what is missing or too much', async () => {
  const dry = await market(['replay', 'history', '--from', 'beginning', '--dry-run'])
  expect([dry.code, dry.stdout]).toEqual([
    0,
    expect.stringMatching(
      /^from the beginning: \d+ changes of \d+ orders would be rewritten\nthe history has every change of the log\n$/,
    ),
  ])
  const place = await market(['replay', 'history', '--from', '1/0'])
  expect([place.code, place.stdout]).toEqual([
    0,
    expect.stringMatching(/^from orders\.lifecycle 1\/0: \d+ changes of \d+ orders rewritten\n/),
  ])
  const late = await market(['replay', 'history', '--from', '2999-01-01T00:00:00Z', '--dry-run'])
  expect(late.stdout).toMatch(/: 0 changes of 0 orders would be rewritten\n/)
  const nowhere = await market(['replay', 'history', '--from', 'yesterday'])
  expect([nowhere.code, nowhere.stderr]).toEqual([
    1,
    expect.stringMatching(/^market: yesterday is not a position: use "beginning"/),
  ])
})

test('a history that lost its rows lacks them, and has them again after a replay', async () => {
  rmSync(join(directory.path, 'history'), { recursive: true })
  const lost = await market(['replay', 'history', '--from', 'beginning', '--dry-run'])
  expect([lost.code, lost.stdout]).toEqual([
    1,
    expect.stringMatching(/\nthe history is missing \d+ changes of \d+ orders\n$/),
  ])
  const written = await market(['replay', 'history', '--from', 'beginning'])
  expect([written.code, linesOf(written).at(-1)]).toEqual([
    0,
    'the history has every change of the log',
  ])
  expect(written.stderr).toMatch(/^replay: write \d+\/\d+$/m)
})

test('replay inbox gives what is in the lifecycle', async () => {
  const { code, stdout } = await market(['replay', 'inbox'])
  expect(stdout).toMatch(/^partition 0 {4}\d+ inbox records replayed: matches the lifecycle$/m)
  expect([code, linesOf({ stdout }).at(-1)]).toEqual([0, 'no differences'])
})

test('rebuild views says how far it is, a line at a time', async () => {
  const { code, stdout, stderr } = await market(['rebuild', 'views'])
  expect([code, stdout]).toEqual([0, 'the views are rebuilt\n'])
  expect(stderr).toMatch(/^rebuild views: fold \d+\/\d+$/m)
  expect(stderr).toMatch(/^rebuild views: remove \d+$/m)
})

test('the audit says where it read from, and the rebuilt views hold', async () => {
  const { code, stdout } = await market(['audit'])
  expect(stdout).toContain(`event log    lmdb in ${join(directory.path, 'store')}, 4 partitions\n`)
  expect(stdout).toContain(`history      chDB in ${join(directory.path, 'history')}\n`)
  expect([code, linesOf({ stdout }).at(-1)]).toEqual([0, 'clean: every invariant holds'])
})

test('dlq retries what can be read, once, and says why it does not retry the rest', async () => {
  const txid = 'ab'.repeat(32)
  const outputIn = (partition: number) => {
    for (let vout = 0; ; vout += 1) {
      if (partitionOf(toOutpointText(`${txid}:${vout}`), PARTITIONS) === partition)
        return `${txid}:${vout}`
    }
  }
  const schema = LOG_SCHEMA
  const at = new Date().toISOString()
  const dead = (offset: number, value: unknown, reason = 'unreadable: an older release') => ({
    topic: TOPICS.dead,
    partition: 0,
    key: String(offset),
    value: { schema, kind: 'dead', offset, reason, value },
  })
  const readable = {
    ...{ schema, kind: 'command', command: 'revalidate', requestId: 'r', at },
    ...{ orderId: txid, outpoint: outputIn(3) },
  }
  const news = { schema, kind: 'output', change: 'seen', block: null, at }
  const BEYOND = 1_000_000
  await withLog(async (log) => {
    await log.append([
      dead(BEYOND, readable),
      dead(BEYOND + 1, { ...readable, schema: 2 }, 'unreadable: \u001b[2J'),
      dead(BEYOND + 2, { ...news, at: '2020-01-01T00:00:00.000Z', outpoint: outputIn(1) }),
      dead(BEYOND + 3, { ...news, outpoint: outputIn(2) }),
      {
        topic: TOPICS.inbox,
        partition: 2,
        key: 'k',
        value: { ...news, at: '2999-01-01T00:00:00.000Z', outpoint: outputIn(2) },
      },
      dead(BEYOND + 4, { ...news, outpoint: outputIn(0) }),
    ])
  })
  const place = (at: number) => `0/${BEYOND + at}`
  const listed = linesOf(await market(['dlq', 'list']))
  expect(listed[0]).toBe(`${place(0).padEnd(12)}dead  unreadable: an older release`)
  expect(listed[1]).toBe(`${place(1).padEnd(12)}dead  unreadable: \\u001b[2J`)
  const retried = await market(['dlq', 'retry', ...[0, 1, 2, 3, 4, 9].map(place)])
  expect(retried.code).toBe(1)
  expect(linesOf(retried).map((line) => line.slice(12))).toEqual([
    'retried: appended to inbox partition 3',
    'not retried: still unreadable: this release reads schema 1, and its schema is 2',
    expect.stringMatching(
      /^not retried: later inbox records may have expired: revalidate the orders of /,
    ),
    expect.stringMatching(
      /^not retried: a later record of its output is at 2\/\d+: revalidate the orders of /,
    ),
    'retried: appended to inbox partition 0',
    'not retried: no such dead letter',
  ])
  expect((await market(['dlq', 'retry', place(0)])).stdout).toMatch(
    /not retried: already retried at 20/,
  )
  const shown = JSON.parse((await market(['dlq', 'show', place(0)])).stdout)
  expect(shown.letter.retried).toMatchObject({ kind: 'retried', toPartition: 3 })
  expect(linesOf(await market(['dlq', 'list']))[0]).toMatch(/retried at 20\S+ to partition 3 {2}/)
  const [last] = linesOf(
    await market(['tail', '--topic', 'orders.inbox', '--no-follow', '--order', txid]),
  )
  expect(last).toMatch(new RegExp(`revalidate ${txid}, request [0-9a-f-]{36}`))
  const none = await market(['dlq', 'retry'])
  expect([none.code, none.stderr.split('\n')[0]]).toEqual([
    1,
    'error: give at least one place, or use --all',
  ])
  expect((await market(['dlq', 'show', '7'])).stderr).toBe(
    'market: 7 is not a place: use PARTITION/OFFSET, such as 3/120\n',
  )
})

test.each(['pairing', 'circles'])('%s plan says what a start height costs', async (fold) => {
  const { code, stdout } = await market([fold, 'plan', '--json'])
  const whole = JSON.parse(stdout)
  expect(code).toBe(0)
  expect(whole).toMatchObject({ fold, network: 'regtest', from: 0, blocks: whole.tip + 1 })
  const { heights, bytesPerBlock, fetchMs, foldMs } = whole.sampled
  expect(heights).toHaveLength(20)
  expect(Math.max(...heights)).toBeLessThanOrEqual(whole.tip)
  // A header, a count and a coinbase at the least.
  expect(bytesPerBlock).toBeGreaterThan(150)
  expect(Math.abs(whole.bytes - bytesPerBlock * whole.blocks)).toBeLessThanOrEqual(whole.blocks)
  expect(whole.hours * 3_600_000).toBeCloseTo(whole.blocks * (fetchMs + foldMs), 3)
  expect(whole.leastHours).toBeLessThan(whole.hours)

  // From the tip it is one block, which is sampled.
  const last = linesOf(await market([fold, 'plan', '--from', String(whole.tip)]))
  expect(last[0]).toBe(`${fold} from height ${whole.tip} to the tip of regtest, ${whole.tip}`)
  expect(last[1]).toMatch(/^sampled {2}1 blocks /)
  expect(last[2]).toBe('blocks   1')

  const above = await market([fold, 'plan', '--from', String(whole.tip + 1)])
  const variable = `${fold.toUpperCase()}_START_HEIGHT`
  expect([above.code, above.stdout, above.stderr]).toEqual([
    1,
    '',
    `market: height ${whole.tip + 1} is above the node's tip ${whole.tip}: set ${variable} to an existing height, or use --from HEIGHT\n`,
  ])
})

test('a plan needs a node that answers, and a height', async () => {
  const away = await market(['pairing', 'plan'], {
    BITCOIN_RPC_URL: 'http://127.0.0.1:1',
    BITCOIN_RPC_USER: 'market',
    BITCOIN_RPC_PASSWORD: 'a-password-of-the-node',
  })
  expect([away.code, away.stderr]).toEqual([1, expect.stringMatching(/^market: [^\n]+\n$/)])
  expect(away.stderr).not.toContain('a-password-of-the-node')
  const none = await market(['circles', 'plan'], { DEVNET: 'off' })
  expect([none.code, none.stderr]).toEqual([
    1,
    'market: no node is configured: set BITCOIN_RPC_URL\n',
  ])
  const unnamed = await market(['circles', 'plan'], {
    BITCOIN_NETWORK: 'mainnet',
    PUBLIC_ORIGIN: 'https://market.example',
  })
  expect([unnamed.code, unnamed.stderr]).toEqual([
    1,
    'market: no start height for mainnet: use --from HEIGHT, or set CIRCLES_START_HEIGHT\n',
  ])
  const unread = await market(['circles', 'plan', '--from', '-1'])
  expect([unread.code, unread.stderr]).toEqual([
    1,
    expect.stringContaining('must be a block height'),
  ])
})

test('doctor reports what is wrong and the fix, checks everything else, and exits with 1', async () => {
  const { code, stdout } = await market(['doctor'], {
    ORDER_PARTITIONS: '5',
    REDIS_URL: 'redis://127.0.0.1:1',
    CURSOR_KEY: 'a-cursor-key-of-more-than-32-characters',
    BITCOIN_RPC_URL: 'http://127.0.0.1:1',
    BITCOIN_RPC_USER: 'market',
    BITCOIN_RPC_PASSWORD: 'a-password-of-the-node',
    NOSTR_RELAYS: 'ws://127.0.0.1:1',
    HOST: '192.0.2.1',
    PORT: '1234',
  })
  expect(code).toBe(1)
  for (const line of [
    /^ok {4}program {5}Node 2\d/m,
    /^fail {2}store {7}the log was created with 4 partitions, but 5 are configured\n +fix: set ORDER_PARTITIONS to 4/m,
    /^fail {2}redis {7}.*ECONNREFUSED.*\n +fix: start Redis at redis:\/\/127.0.0.1:1, or set REDIS_URL/m,
    /^fail {2}node {8}.*\n +fix: start the node at http:\/\/127.0.0.1:1/m,
    /^warn {2}index {7}no asset index is configured.*\n +fix: set ASSET_INDEX_URL/m,
    /^warn {2}relays {6}ws:\/\/127.0.0.1:1\/ is unreachable.*\n +fix: /m,
    /^fail {2}ports {7}192.0.2.1 port 1234 \(PORT\) cannot be opened: EADDRNOTAVAIL\n +fix: set HOST/m,
    /^\d+ ok, \d+ warnings, 4 failures$/m,
  ]) {
    expect(stdout).toMatch(line)
  }
  expect(stdout).not.toContain('a-password-of-the-node')
})

test('doctor names each fault of the configuration, and checks what does not need it', async () => {
  const { code, stdout, stderr } = await market(['doctor'], {
    BITCOIN_NETWORK: 'mainnet',
    BITCION_NETWORK: 'mainnet',
    BITCOIN_RPC_URL: 'http://127.0.0.1:1',
    ORDER_PARTITIONS: 'x',
    NOSTR_RELAYS: 'ws://127.0.0.1:1',
  })
  expect([code, stderr]).toEqual([1, ''])
  for (const line of [
    /^fail {2}config {6}ORDER_PARTITIONS must be a whole number\n +fix: set ORDER_PARTITIONS$/m,
    /^fail {2}config {6}BITCOIN_RPC_URL requires .*\n +fix: set BITCOIN_RPC_COOKIE_FILE, or /m,
    /^fail {2}config {6}PUBLIC_ORIGIN is required on mainnet.*\n +fix: set PUBLIC_ORIGIN$/m,
    /^fail {2}config {6}CIRCLES_START_HEIGHT is required on mainnet\n +fix: set it to the first/m,
    /^warn {2}config {6}BITCION_NETWORK is no variable of the service\n +fix: did you mean BITCOIN_NETWORK\?$/m,
    /^ok {4}data {8}DATA_DIR .* is writable$/m,
    /^warn {2}store {7}not checked: ORDER_PARTITIONS is wrong\n +fix: mend ORDER_PARTITIONS first$/m,
    /^warn {2}node {8}not checked: BITCOIN_RPC_URL is wrong/m,
    /^warn {2}relays {6}ws:\/\/127.0.0.1:1\/ is unreachable/m,
  ]) {
    expect(stdout).toMatch(line)
  }
})

test('a file .env is read, said in the first line of the log and by config, and yields', async () => {
  const file = join(directory.path, 'of-the-service.env')
  writeFileSync(file, 'PORT=1\nBITCION_NETWORK=x\n')
  const beside = { ENV_FILE: file, DATA_DIR: '/dev/null/none' }
  const shown = await market(['config'], beside)
  expect([shown.code, shown.stderr]).toEqual([0, ''])
  expect(linesOf(shown).slice(0, 2)).toEqual([
    `# from the environment, else from ${file}`,
    '# warning: BITCION_NETWORK is no variable of the service: did you mean BITCOIN_NETWORK?',
  ])
  // The environment of these commands has PORT=0.
  expect(shown.stdout).toContain('\nPORT=0\n')
  const { code, stdout } = await market(['start'], beside)
  const [first, second] = linesOf({ stdout }).map((line) => JSON.parse(line))
  expect([code, first]).toMatchObject([1, { msg: 'starting', environmentFile: file }])
  expect(second).toMatchObject({ level: 'warn', cure: 'did you mean BITCOIN_NETWORK?' })
})

test('config shows the settings of a configuration that no service starts with', async () => {
  const wrong = { BITCOIN_NETWORK: 'mainnet', PORT: 'x' }
  const { code, stdout } = await market(['config'], wrong)
  expect(code).toBe(1)
  expect(stdout).toContain('\nPORT=(not taken)  # wrong: PORT must be a whole number\n')
  expect(stdout).toContain('\nPUBLIC_ORIGIN=(not set)  # wrong: PUBLIC_ORIGIN is required')
  const { BITCOIN_NETWORK, problems } = JSON.parse(
    (await market(['config', '--json'], wrong)).stdout,
  )
  expect([BITCOIN_NETWORK, problems.length]).toEqual(['mainnet', 4])
})
