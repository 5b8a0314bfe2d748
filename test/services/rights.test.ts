import { join } from 'node:path'
import PQueue from 'p-queue'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { partitionOf } from '../../src/domain/order/partition.ts'
import { clickHouseGrantLines, clickHouseGrants } from '../../src/operator/acl/clickhouse-grants.ts'
import { kafkaAcl, kafkaAclLines } from '../../src/operator/acl/kafka-acls.ts'
import { redisAcl, redisAclLines } from '../../src/operator/acl/redis-acl.ts'
import { makeOperatorToken } from '../../src/operator/operator-token.ts'
import { SERVER_COMMANDS, type ServerCommand } from '../../src/roles/rights/command-needs.ts'
import { needsOfCommand } from '../../src/roles/rights/needs-of.ts'
import { needsOfRole } from '../../src/roles/rights/role-needs.ts'
import { Config, ROLES, type Role } from '../../src/schemas/config/config.ts'
import { LOG_SCHEMA, TOPICS } from '../../src/schemas/log.ts'
import type { OrderSummary } from '../../src/schemas/order.ts'
import { QUICK, Scraper } from '../support/alerts/scraper.ts'
import { type Bundle, bundleService } from '../support/bundle.ts'
import { askFor, fundSellers, type SellerCoin } from '../support/chain/seller-coins.ts'
import { openWallet } from '../support/chain/wallet.ts'
import { temporaryDirectory } from '../support/embedded.ts'
import { toOutpointText, toTxid } from '../support/ids.ts'
import { fetchUnlessShed } from '../support/market/fetch-unless-shed.ts'
import { addressOf } from '../support/market/listing.ts'
import { makeAsk } from '../support/orders/psbt-orders.ts'
import { type GrantedUser, grantUsers } from '../support/rights/granted-users.ts'
import { historyUsers } from '../support/rights/history-users.ts'
import { commandUser, LACKING, userOf } from '../support/rights/lacking-users.ts'
import { QUICK_GROUPS } from '../support/services/kafka.ts'
import { freePort, waitUntil } from '../support/services/programs.ts'
import { runMarket, ServiceProcess } from '../support/services/service-process.ts'
import { Stack } from '../support/services/stack.ts'
import { openWebhookReceiver, type WebhookReceiver } from '../support/webhooks/webhook-receiver.ts'

// Every role and every command on servers that check rights, each with exactly the rights that
// `market acl` prints for it, and some without one of them.

const PARTITIONS = 4
const ALERT_MS = 60_000
const PASSWORD = 'a-password-of-the-test'
const { token, entry } = makeOperatorToken('mia')
const config = Config.parse({
  KAFKA_BROKERS: 'kafka:9092',
  REDIS_URL: 'redis://redis',
  CURSOR_KEY: 'k'.repeat(32),
})

type Part = Exclude<Role, 'all'>
const PARTS = ROLES.filter((role): role is Part => role !== 'all')
let bundle: Bundle
let stack: Stack
let receiver: WebhookReceiver
let gateway: string
let coins: SellerCoin[]
let sold: OrderSummary
const directory = temporaryDirectory()
const backup = join(directory.path, 'of the log')
/** Where the topics are that a backup is restored into. */
const RESTORED = 'restored.'
const pairing: ServiceProcess[] = []
const USERS: readonly GrantedUser[] = [
  ...PARTS.map((role) => ({ name: role, needs: needsOfRole(role) })),
  ...SERVER_COMMANDS.map(commandUser),
  ...LACKING,
]

beforeAll(async () => {
  ;[bundle, receiver] = await Promise.all([bundleService(), openWebhookReceiver()])
  const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
  stack = await Stack.start({
    program: bundle,
    broker: QUICK_GROUPS,
    users: Object.fromEntries(USERS.map(({ name }) => [name, PASSWORD])),
    historyUsers: historyUsers(config, USERS, PASSWORD),
    variables: {
      ORDER_PARTITIONS: String(PARTITIONS),
      OPERATOR_TOKENS: entry,
      WEBHOOK_KEY: 'k'.repeat(32),
      WEBHOOK_LOOPBACK: 'true',
      WEBHOOK_ENDPOINTS: JSON.stringify([
        { name: 'shop', url: receiver.url('/shop'), secrets: [secret] },
      ]),
    },
  })
  await grantUsers(stack, config, USERS, PASSWORD)
  const [database = ''] = clickHouseGrantLines(clickHouseGrants(config, needsOfRole('all')))
  await stack.clickhouse.query('default', database.replace(/;$/, ''))
  const elsewhere = { ...config, KAFKA_PREFIX: RESTORED }
  await grantUsers(stack, elsewhere, [commandUser('restore')], PASSWORD)
  coins = await fundSellers(stack.chain, await openWallet(stack.chain, 4), 3)
})
afterAll(async () => {
  await Promise.all(pairing.map((one) => one.end()))
  await stack?.end()
  await receiver?.close()
  bundle?.drop()
  directory.drop()
})

const login = (user: string): Record<string, string> => ({
  KAFKA_BROKERS: stack.kafka.loginBroker,
  KAFKA_SASL_MECHANISM: 'plain',
  KAFKA_SASL_USERNAME: user,
  KAFKA_SASL_PASSWORD: PASSWORD,
  REDIS_USER: user,
  REDIS_PASSWORD: PASSWORD,
  CLICKHOUSE_USER: user,
  CLICKHOUSE_PASSWORD: PASSWORD,
})
const variablesOf = (user: string, more: Record<string, string> = {}) => ({
  ...{ ...stack.variables, PORT: '0', METRICS_PORT: '0', DATA_DIR: join(directory.path, user) },
  ...{ ...login(user), ...more },
})
const market = (args: readonly string[], user: string, more: Record<string, string> = {}) =>
  runMarket(bundle, args, variablesOf(user, more))

async function api<T>(path: string, body?: object, headers: Record<string, string> = {}) {
  const answer = await fetchUnlessShed(`${gateway}/api/market/${path}`, {
    ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
    headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
  })
  const text = await answer.text()
  return { status: answer.status, body: (text === '' ? null : JSON.parse(text)) as T }
}

/** Offsets in a topic, over all its partitions. */
async function endOf(topic: string): Promise<number> {
  const admin = stack.kafka.client().admin()
  await admin.connect()
  const places = await admin.fetchTopicOffsets(topic)
  await admin.disconnect()
  return places.reduce((sum, { high }) => sum + Number(high), 0)
}

describe('every role, started with exactly its rights', () => {
  test('is ready, and creates what was missing', async () => {
    const own = (role: Part) => login(userOf(role))
    const absent = ['MarketCirclesAbsent', 'MarketPairingAbsent']
    await using scraper = Scraper.of([], QUICK)
    await scraper.until(absent, true, ALERT_MS)
    const METRICS_PORT = String(await freePort())
    pairing.push(
      new ServiceProcess(
        bundle,
        ['start'],
        variablesOf('pairing', { ROLE: 'pairing', METRICS_PORT }),
      ),
    )
    await Promise.all(
      PARTS.filter((role) => role !== 'pairing').map((role) =>
        stack.startRole(role, role, own(role)),
      ),
    )
    gateway = stack.role('gateway').address
    expect((await api('health')).status).toBe(200)
    scraper.scrape(stack.role('circles'))
    scraper.scrape({
      ...{ name: 'pairing', role: 'pairing' },
      metricsAddress: `http://127.0.0.1:${METRICS_PORT}`,
    })
    await scraper.until(absent, false, ALERT_MS)
  })

  test('does its work: an order is judged, shown, sent on and proved', async () => {
    const [coin, other] = coins
    if (!coin || !other) throw new Error('there are no coins')
    const psbt = askFor(coin)
    const key = { 'idempotency-key': 'of-the-test' }
    const imported = await api<OrderSummary>('orders/import', { psbt }, key)
    expect([imported.status, imported.body.state]).toEqual([201, 'LIVE'])
    sold = imported.body
    expect((await api('orders/import', { psbt }, key)).status).toBe(201)
    const built = await api('orders/build', {
      ...{ protocolId: 'rare-sats', token: 'SAT', quotedPriceSats: '50000' },
      sellerPaymentAddress: addressOf(other.wallet),
      outpoint: other.outpoint,
    })
    expect([built.status, built.body]).toEqual([201, expect.anything()])
    const unknown = { txid: toTxid('ab'.repeat(32)), vout: 0 }
    const unproved = makeAsk({
      ...{ script: 'p2wpkh', seed: 'seller 2' },
      prevout: { ...unknown, valueSats: '10000' },
    })
    const pooled = await api<OrderSummary>('orders/import', { psbt: unproved.psbt })
    expect([pooled.status, pooled.body]).toEqual([201, expect.anything()])
    await waitUntil('the list has it', async () => {
      const { body } = await api<{ total: number }>('orders?state=LIVE')
      return body.total === 1
    })
    for (const path of [
      'orders/facets',
      'orders',
      `orders/${sold.id}/history`,
      `orders/${sold.id}/bundle`,
    ])
      expect([path, (await api(path)).status]).toEqual([path, 200])
    const admin = { authorization: `Bearer ${token}` }
    expect((await api('admin/operations', undefined, admin)).status).toBe(200)
    for (const topic of Object.values(TOPICS)) {
      const { status } = await api(`admin/topics/${topic}/records?limit=1`, undefined, admin)
      expect([topic, status]).toEqual([topic, 200])
    }
    const webhook = { name: 'other', url: receiver.url('/other') }
    expect((await api('admin/webhooks', webhook, admin)).status).toBe(201)
    expect((await api('admin/webhooks', undefined, admin)).status).toBe(200)
    await waitUntil('the change was sent', () => receiver.accepted('/shop').length > 0)
    // No circle is made here, so that feed stays empty: its row differs from this one's by its topic.
    await waitUntil('checkpoints are published', async () => (await endOf(TOPICS.checkpoints)) > 0)
  })
})

describe('without one right', () => {
  beforeAll(async () => {
    // What a retry is for: records in another partition than their output's, for a command and a gateway.
    const outpoint = `${'ab'.repeat(32)}:0`
    const partition = (partitionOf(toOutpointText(outpoint), PARTITIONS) + 1) % PARTITIONS
    const misplaced = (requestId: string) => ({
      ...{ partition, key: outpoint },
      value: JSON.stringify({
        ...{ schema: LOG_SCHEMA, kind: 'command', command: 'revalidate', requestId },
        ...{ orderId: '0'.repeat(64), outpoint, at: new Date().toISOString() },
      }),
    })
    const messages = ['of the command', 'of the gateway'].map(misplaced)
    const producer = stack.kafka.client().producer()
    await producer.connect()
    await producer.send({ topic: TOPICS.inbox, messages })
    await producer.disconnect()
    await waitUntil('both are set aside', async () => (await endOf(TOPICS.dead)) > 1)
    // One that waits for its turn needs less.
    await stack.role('ingest').end()
  })
  afterAll(async () => {
    await stack.startRole('ingest', 'ingest', login(userOf('ingest')))
  })

  test('it is refused by a message that names the right, and what grants it', async () => {
    const queue = new PQueue({ concurrency: 3 })
    const said = await Promise.all(
      LACKING.map(({ name, args, variables = {}, says }) =>
        queue.add(async () => {
          await using process = new ServiceProcess(bundle, args, variablesOf(name, variables))
          let isOver = false
          void process.ended().then(() => {
            isOver = true
          })
          await waitUntil(`${name} says why`, () => {
            const text = process.stdout + process.stderr
            return isOver || (typeof says === 'string' ? text.includes(says) : says.test(text))
          })
          return [name, process.stdout + process.stderr] as const
        }),
      ),
    )
    for (const [at, [name, text] = ['', '']] of said.entries()) {
      const says = LACKING[at]?.says ?? ''
      if (typeof says === 'string') expect(text, name).toContain(says)
      else expect(text, name).toMatch(says)
      expect(text, name).not.toMatch(/start the brokers|^ +at /m)
    }
  })

  test('or with another password, it says that the login is wrong', async () => {
    const wrong = { KAFKA_SASL_PASSWORD: 'another' }
    const { code, stdout } = await market(['doctor'], 'doctor', wrong)
    expect(code).toBe(1)
    expect(stdout).toMatch(
      /^fail {2}kafka {7}Kafka rejected the user or password\n +fix: set KAFKA_SASL_USERNAME and KAFKA_SASL_PASSWORD/m,
    )
  })
})

describe('every command, started with exactly its rights', () => {
  const RUNS: Record<
    Exclude<ServerCommand, 'audit' | 'dlq show' | 'dlq retry' | 'restore'>,
    { args?: () => readonly string[]; says: RegExp }
  > = {
    doctor: { says: /^ok {4}kafka {7}topics: 4 partitions, settings correct$/m },
    tail: {
      args: () => ['--no-follow', ...Object.values(TOPICS).flatMap((topic) => ['--topic', topic])],
      says: /^orders\.lifecycle .* PENDING_NODE → LIVE/m,
    },
    lag: { says: /^all +\d+/m },
    usage: { says: /^\s*orders\.lifecycle /m },
    dispute: { args: () => [sold.id], says: /^\{/ },
    'replay history': {
      args: () => ['--from', 'beginning'],
      says: /changes of \d+ orders rewritten\nthe history has every change of the log$/m,
    },
    'replay inbox': { says: /no differences$/m },
    'dlq list': { says: /^\d\/\d+ +dead +misplaced/m },
    'upgrade status': { says: /no upgrade is open$/m },
    'upgrade finish': { says: /no upgrade is open$/m },
    backup: { args: () => [backup], says: /^orders\.lifecycle {2}[1-9]\d* records/m },
    'rebuild views': { says: /^the views are rebuilt$/m },
    query: { args: () => ['verdicts'], says: /LIVE/ },
    export: {
      args: () => [join(directory.path, 'exported'), '--today'],
      says: /order_transitions.*\.parquet: \d+ rows$/m,
    },
  }

  test('does its work', async () => {
    const queue = new PQueue({ concurrency: 3 })
    await Promise.all(
      Object.entries(RUNS).map(([name, { args = () => [], says }]) =>
        queue.add(async () => {
          const typed = [...name.split(' '), ...args()]
          const { stdout, stderr } = await market(typed, userOf(name))
          expect(stderr, name).not.toMatch(/^market:|lacks/m)
          expect(stdout, name).toMatch(says)
          expect(stdout, name).not.toMatch(
            /^fail {2}(?:kafka|redis|clickhouse)|unavailable|not counted/m,
          )
        }),
      ),
    )
  })

  test('on empty topics, into which it restores', async () => {
    const restored = await market(['restore', backup], 'restore', { KAFKA_PREFIX: RESTORED })
    expect([restored.code, restored.stderr]).toEqual([0, ''])
    expect(await endOf(RESTORED + TOPICS.lifecycle)).toBeGreaterThan(0)
  })

  test('on dead letters, which it retries', async () => {
    const [line = ''] = (await market(['dlq', 'list'], 'dlq-list')).stdout.split('\n')
    const place = line.split(' ')[0] ?? ''
    const shown = await market(['dlq', 'show', place], 'dlq-show')
    expect([shown.code, shown.stderr]).toEqual([0, ''])
    const retried = await market(['dlq', 'retry', place], 'dlq-retry')
    expect([retried.code, retried.stderr]).toEqual([0, ''])
    const admin = { authorization: `Bearer ${token}` }
    const byGateway = await api('admin/dead-letters/retry', { places: 'all' }, admin)
    expect(byGateway).toMatchObject({ status: 201, body: { retries: [{ why: null }], next: null } })
  })

  test('on what stopped roles left, which is audited; none was refused anything meanwhile', async () => {
    await Promise.all([...stack.roles.values()].map((role) => role.end()))
    const audit = await market(['audit'], 'audit')
    expect([audit.code, audit.stderr, audit.stdout]).toEqual([
      0,
      expect.any(String),
      expect.stringMatching(/clean: every invariant holds\n$/),
    ])
    const refusals = (await stack.redis.admin.acl('LOG')) as unknown[][]
    const fieldOf = (one: unknown[], field: string) => String(one[one.indexOf(field) + 1])
    const refused = refusals
      // What the driver says about itself is not needed.
      .filter((one) => fieldOf(one, 'object') !== 'client|setinfo')
      .map((one) => fieldOf(one, 'username'))
    const lacking = LACKING.map(({ name }) => name)
    expect(refused.filter((user) => !lacking.includes(user))).toEqual([])
    for (const role of stack.roles.values())
      expect(role.log().filter((line) => /user lacks/.test(JSON.stringify(line)))).toEqual([])
  })
})

describe('market acl', () => {
  test('prints these rights', async () => {
    const kafka = await market(['acl', 'kafka', '--role', 'gateway', '--user', 'me'], 'nobody', {
      KAFKA_BROKERS: 'kafka:9092',
    })
    const needs = needsOfRole('gateway')
    expect(kafka.stdout.trimEnd().split('\n')).toEqual(
      kafkaAclLines(config, kafkaAcl(config, needs, 'me')),
    )
    const redis = await market(['acl', 'redis', '--command', 'dlq retry', '--user', 'me'], 'nobody')
    const none = redisAclLines(redisAcl(config, needsOfCommand('dlq retry', 'all'), 'me'))
    expect(redis.stdout.trimEnd().split('\n')).toEqual(none)
  })

  test('prints lines that the tool of Kafka takes', () => {
    const lines = kafkaAclLines(config, kafkaAcl(config, needsOfRole('pairing'), 'of-the-tool'))
    const line = lines.at(-1) ?? ''
    const [, args = ''] = /--command-config admin\.properties (.*)$/.exec(line) ?? []
    expect(stack.kafka.manageAcls(...args.split(' '))).toMatch(
      /resourceType=TRANSACTIONAL_ID, name=market-append-, patternType=PREFIXED.*principal=User:of-the-tool, host=\*, operation=WRITE, permissionType=ALLOW/s,
    )
  })
})
