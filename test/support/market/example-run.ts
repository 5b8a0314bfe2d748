import { createHash } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { importOrder } from '../../../src/gateway/intake/import-order.ts'
import { WATERMARK_USED_MS } from '../../../src/gateway/last-watermark.ts'
import { EXAMPLE_REQUESTS } from '../../../src/http/openapi/examples.ts'
import type { PartitionFreshness } from '../../../src/ports/views/order-views.ts'
import { playOn } from '../../../src/roles/devnet/devnet-control.ts'
import { seedBook, seedProtocols } from '../../../src/roles/devnet/devnet-seed.ts'
import { type Described, describedIn } from '../http/openapi.ts'
import { systemClock } from '../system-clock.ts'
import { fetchUnlessShed } from './fetch-unless-shed.ts'
import { type Market, openMarket } from './market.ts'
import { devnetOf } from './trader.ts'

/**
 * The service on a devnet like that of `npm start`, on which the examples of the API are recorded.
 * Wall time stands still, the cursors have a fixed key, and each order is imported only after all
 * earlier blocks were followed: the same requests, in the same order, get the same answers.
 */
export interface ExampleRun {
  /** Its address. */
  address: string
  /** By their ids. */
  operations: ReadonlyMap<string, Described>
  /** Sends an operation's example request, as an operator. */
  sendExample(operationId: string): Promise<Response>
  /** Sends any other request, as an operator; retries what a busy service sheds. */
  send(path: string, init: RequestInit): Promise<Response>
  end(): Promise<void>
}

/** Request ids are random, and hashes of changes cover them. */
const RANDOM: ReadonlySet<string> = new Set([
  'requestId',
  'hash',
  'prevHash',
  'sha256',
  'signature',
])
const HASHED: ReadonlySet<string> = new Set(['seq', 'changes', 'fromState'])

/** Watermarks come with time, and have offsets too. */
const isPlace = (name: string, body: object): boolean => name === 'offset' && 'partition' in body

/**
 * An answer that includes changes of orders, without what differs between runs; any other as it is.
 */
export function withoutRandom(body: unknown): unknown {
  if (Array.isArray(body)) return body.map(withoutRandom)
  if (typeof body !== 'object' || body === null) return body
  const names = Object.keys(body)
  const coversIds = names.some((name) => HASHED.has(name)) || 'requestId' in body
  const isRandom = (name: string) =>
    (coversIds && RANDOM.has(name)) || ('epoch' in body && name === 'n') || isPlace(name, body)
  return Object.fromEntries(
    Object.entries(body).map(([name, value]) => [
      name,
      isRandom(name) && value !== null ? 'random' : withoutRandom(value),
    ]),
  )
}

/** In the window of the challenge that the body of `withdrawOrder` answers. */
const NOW = Date.UTC(2026, 10, 21, 14, 26, 50)
/** Of an operator of the run. */
export const EXAMPLE_TOKEN = '0defaced'.repeat(8)
const PATIENCE_MS = 30_000
const POLL_MS = 50

export async function openExampleRun(): Promise<ExampleRun> {
  const service = await openMarket(
    {
      OPERATOR_TOKENS: `mia:${createHash('sha256').update(EXAMPLE_TOKEN).digest('hex')}`,
      CURSOR_KEY: '00'.repeat(32),
      WEBHOOK_KEY: '00'.repeat(32),
      BUNDLE_KEY: '07'.repeat(32),
      RATE_LIMIT_OPERATOR: '1000',
    },
    { clock: { ...systemClock, now: () => NOW } },
  )
  const send: ExampleRun['send'] = (path, { headers, ...init }) =>
    fetchUnlessShed(`${service.address}${path}`, {
      ...init,
      headers: { authorization: `Bearer ${EXAMPLE_TOKEN}`, ...headers },
    })
  try {
    await seed(service)
    await until('all that was played is read', () => isRead(service, send))
    const { body: document } = await service.get('/openapi.json')
    const operations = new Map(
      describedIn(document).map((one) => [one.operation.operationId ?? '', one] as const),
    )
    const sendExample = (id: string) => send(...requestOf(id, operations.get(id)))
    const { address, end } = service
    return { address, operations, sendExample, send, end }
  } catch (error) {
    await service.end()
    throw error
  }
}

function requestOf(id: string, described: Described | undefined): [string, RequestInit] {
  const request = EXAMPLE_REQUESTS[id]
  if (!described || !request) throw new Error(`${id} is not described, or has no example`)
  const { params = {}, query = {}, body } = request
  const path = described.path.replace(/\{(\w+)\}/g, (_, name: string) => params[name] ?? '')
  const { method } = described
  const json = { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
  return [`${path}?${new URLSearchParams(query)}`, { method, ...(body && json) }]
}

async function seed(service: Market): Promise<void> {
  const devnet = devnetOf(service)
  await seedBook(devnet, async (request) => {
    await until('the blocks are followed', () => isFollowed(service))
    // By then no import counts as begun before the last block.
    await delay(WATERMARK_USED_MS)
    return importOrder(service.gateway, request, 'devnet', AbortSignal.timeout(PATIENCE_MS))
  })
  await seedProtocols(playOn(devnet, service.config.PAIRING_MAGIC))
}

/** Whether the views show of each partition a watermark that covers the tip. */
async function isFollowed({ gateway, stores }: Market): Promise<boolean> {
  const tip = await gateway.node?.chain().then((chain) => chain.tip)
  const freshness = await gateway.views.freshness()
  const covers = ({ watermark }: PartitionFreshness): boolean =>
    watermark.covers && watermark.tip.hash === tip?.hash && watermark.index?.hash === tip.hash
  return freshness.size === stores.log.partitions && [...freshness.values()].every(covers)
}

/**
 * Whether pairing and circles are at the tip, both sold orders are settled, and the history has
 * them.
 */
async function isRead(service: Market, send: ExampleRun['send']): Promise<boolean> {
  const { tip } = await devnetOf(service).node.chain()
  const bodyOf = async (path: string) => (await send(path, {})).json() as Promise<never>
  const { agreement }: { agreement?: { height: number } } = await bodyOf(
    '/pairing/verified/search?q=oak',
  )
  const { height }: { height: number } = await bodyOf('/circles/state')
  const { entries }: { entries?: { toState: string }[] } = await bodyOf(
    '/api/market/activity?limit=100',
  )
  const { total }: { total?: number } = await bodyOf('/api/market/orders?state=SETTLED')
  const settled = entries?.filter(({ toState }) => toState === 'SETTLED').length
  const { orders = [] }: { orders?: { id: string }[] } = await bodyOf(
    '/api/market/orders?includeWithdrawn=true&limit=100',
  )
  // Waits until the history has the order's last change.
  for (const { id } of orders) await bodyOf(`/api/market/activity?orderId=${id}`)
  return agreement?.height === tip.height && height === tip.height && total === 2 && settled === 2
}

async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
  const end = performance.now() + PATIENCE_MS
  while (!(await holds())) {
    if (performance.now() > end) throw new Error(`not within ${PATIENCE_MS} ms: ${what}`)
    await delay(POLL_MS)
  }
}
