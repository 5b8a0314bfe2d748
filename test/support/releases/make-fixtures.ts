import { createHash, randomBytes } from 'node:crypto'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { gzipSync } from 'node:zlib'
import releases from '../../../releases.json' with { type: 'json' }
import { FINAL_CONFIRMATIONS } from '../../../src/domain/order/due.ts'
import { TOPICS, type Topic } from '../../../src/schemas/log.ts'
import type { OrderSummary } from '../../../src/schemas/order.ts'
import { bundleService, type Program } from '../bundle.ts'
import { temporaryDirectory } from '../embedded.ts'
import { lastRelease } from '../last-release.ts'
import { type ApiClient, openApiClient } from '../market/api-client.ts'
import { waitUntil } from '../services/programs.ts'
import type { RedisServer } from '../services/redis.ts'
import { runMarket, ServiceProcess } from '../services/service-process.ts'
import { Stack } from '../services/stack.ts'
import { StackLoad } from '../services/stack-load.ts'
import {
  answersTo,
  fixtureOf,
  pack,
  pathsOf,
  type RedisKey,
  type ReleaseAnswers,
} from './fixtures.ts'

// Makes the fixture of the last release with its own program: `npx tsx test/support/releases/make-fixtures.ts`.
// It is made once, when a release is named in releases.json: every later build must read it.

const TOKEN = randomBytes(32).toString('hex')
const VARIABLES = {
  OPERATOR_TOKENS: `mia:${createHash('sha256').update(TOKEN).digest('hex')}`,
  CURSOR_KEY: '00'.repeat(32),
  WEBHOOK_KEY: '00'.repeat(32),
  BUNDLE_KEY: '07'.repeat(32),
  LOG_LEVEL: 'warn',
}
const SIGNED = { PAIRING_KEY_ID: 'a-1', PAIRING_PRIVATE_KEY: '11'.repeat(32) }
const ORDERS = 16
/** A version that lasts this long is the last one. */
const SETTLED_MS = 3_000

const [release] = releases
const program = lastRelease()
if (!release || !program) throw new Error('no release, or a clone without its commit')
const fixture = fixtureOf(release.version)
rmSync(dirname(fixture.log), { recursive: true, force: true })
mkdirSync(dirname(fixture.log), { recursive: true })
await makeDataDir()
await makeLog()

/** The devnet as it plays for a newcomer, with each topic's records. */
async function makeDataDir(): Promise<void> {
  const directory = temporaryDirectory()
  const service = new ServiceProcess(program as Program, ['start'], {
    ...VARIABLES,
    DATA_DIR: directory.path,
    PORT: '0',
    METRICS_PORT: '0',
  })
  try {
    const address = await service.ready()
    const market = openApiClient(address)
    await waitUntil('an order was sold', async () => (await listed(market, 'SETTLED')).length > 0)
    await actAsOperator(address, await firstLive(market))
    await market.post('/devnet/mine', { blocks: FINAL_CONFIRMATIONS })
    await waitUntil('nothing changes it any more', async () => {
      const [sold] = await listed(market, 'SETTLED')
      return (sold?.settlement?.confirmations ?? 0) >= FINAL_CONFIRMATIONS
    })
    const answers = await answersFrom(market, address, 'SETTLED')
    writeJson(fixture.dataDirAnswers, answers)
    await service.end()
    pack(directory.path, fixture.dataDir)
  } finally {
    await service.end('SIGKILL')
    directory.drop()
  }
}

/** The roles on Kafka, Redis, Core and ord; some orders are sold. */
async function makeLog(): Promise<void> {
  const bundle = await bundleService()
  const stack = await Stack.start({ program: program as Program, variables: VARIABLES })
  try {
    await stack.startAll()
    await signCheckpoints(stack)
    const load = await StackLoad.open(stack, 2 * ORDERS)
    load.start()
    await waitUntil('orders were answered', () => load.answered >= ORDERS)
    await load.rest()
    const { address } = stack.role('gateway')
    const market = openApiClient(address)
    await actAsOperator(address, await firstLive(market))
    await setAside(stack)
    await stack.chain.mine(FINAL_CONFIRMATIONS)
    await stack.chain.syncIndex()
    await waitUntil('nothing changes a spent one any more', async () => {
      const [before] = await listed(market, 'SPENT')
      await delay(SETTLED_MS)
      const [after] = await listed(market, 'SPENT')
      return before !== undefined && isDeepStrictEqual(before, after)
    })
    writeJson(fixture.logAnswers, await answersFrom(market, address, 'SPENT'))
    await Promise.all([...stack.roles.values()].map((role) => role.end()))
    const made = await runMarket(bundle, ['backup', fixture.log], {
      ...stack.variables,
      DATA_DIR: join(bundle.market, 'no data'),
    })
    if (made.code !== 0) throw new Error(made.stderr)
    const keys = JSON.stringify(await keysOf(stack.redis))
    writeFileSync(fixture.redis, gzipSync(keys))
  } finally {
    await stack.end()
    bundle.drop()
  }
}

/** An order is hidden, a customer has a key, and a webhook is told of changes. */
async function actAsOperator(address: string, id: string): Promise<void> {
  const act = async (path: string, body: unknown) => {
    const answer = await fetch(`${address}/api/market/admin/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${TOKEN}` },
      body: JSON.stringify(body),
    })
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
  }
  await act(`orders/${id}/hide`, { reason: 'a test' })
  await act('keys', { name: 'maker', tier: 'maker' })
  await act('webhooks', { name: 'ledger', url: 'https://hooks.example.org/market' })
}

/** Pairing is not ready, since it has no second pipeline, and signs. */
async function signCheckpoints(stack: Stack): Promise<void> {
  const directory = temporaryDirectory()
  await using _ = new ServiceProcess(program as Program, ['start'], {
    ...stack.variables,
    ...SIGNED,
    ROLE: 'pairing',
    PORT: '0',
    METRICS_PORT: '0',
    DATA_DIR: directory.path,
  })
  await hasRecords(stack, TOPICS.checkpoints)
  directory.drop()
}

async function hasRecords(stack: Stack, topic: Topic): Promise<void> {
  const admin = stack.kafka.client().admin()
  await admin.connect()
  await waitUntil(`${topic} has records`, async () =>
    (await admin.fetchTopicOffsets(topic)).some(({ offset }) => offset !== '0'),
  )
  await admin.disconnect()
}

/** A command that no release reads becomes a dead letter. */
async function setAside(stack: Stack): Promise<void> {
  const producer = stack.kafka.client().producer()
  await producer.connect()
  await producer.send({ topic: TOPICS.inbox, messages: [{ key: 'k', value: 'no record' }] })
  await producer.disconnect()
  await hasRecords(stack, TOPICS.dead)
}

async function listed(market: ApiClient, state?: string): Promise<OrderSummary[]> {
  const filter = state === undefined ? 'includeWithdrawn=true' : `state=${state}`
  const { body } = await market.get(`orders?limit=100&${filter}`)
  return (body as { orders: OrderSummary[] }).orders
}

async function firstLive(market: ApiClient): Promise<string> {
  let id: string | undefined
  await waitUntil('an order is live and ready', async () => {
    const live = await listed(market, 'LIVE')
    id = live.find(({ actionability }) => actionability === 'HANDOFF_READY')?.id
    return id !== undefined
  })
  return id as string
}

async function answersFrom(
  market: ApiClient,
  address: string,
  state: string,
): Promise<ReleaseAnswers> {
  const [closed] = await listed(market, state)
  if (!closed) throw new Error(`no order is ${state}`)
  const hidden = await fetch(`${address}/api/market/admin/hidden-orders`, {
    headers: { authorization: `Bearer ${TOKEN}` },
  })
  const { orders } = (await hidden.json()) as { orders: { id: string }[] }
  const [first] = orders
  if (!first) throw new Error('no order is hidden')
  const live = await firstLive(market)
  const all = await listed(market)
  return {
    closed: closed.id,
    live,
    hidden: first.id,
    listed: all.map(({ id }) => id).toSorted(),
    answers: await answersTo(market, pathsOf(closed.id)),
  }
}

/** Keys that expire are left out: limits of clients, outcomes of commands. */
async function keysOf({ admin }: RedisServer): Promise<RedisKey[]> {
  const names = await admin.keysBuffer('*')
  const kept = await Promise.all(
    names.map(async (name) => ((await admin.pttl(name)) < 0 ? [name] : [])),
  )
  const keys = await Promise.all(
    kept.flat().map(async (name) => ({
      key: name.toString('base64'),
      dump: (await admin.dumpBuffer(name)).toString('base64'),
    })),
  )
  return keys.toSorted((one, other) => (one.key < other.key ? -1 : 1))
}

function writeJson(path: string, value: unknown): void {
  writeFileSync(path, `${JSON.stringify(value, null, 2)}\n`)
}
