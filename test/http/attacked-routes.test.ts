import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { FLOODS } from '../support/abuse/attacks/floods.ts'
import { PURCHASE_ATTACKS } from '../support/abuse/attacks/purchases.ts'
import { READ_ATTACKS } from '../support/abuse/attacks/reads.ts'
import { ROUTE_ATTACKS } from '../support/abuse/attacks/routes.ts'
import type { StrangersWorld } from '../support/abuse/attacks.ts'
import type { RogueFeeds } from '../support/abuse/rogue-feeds.ts'
import { type Sending, Stranger } from '../support/abuse/stranger.ts'
import { walletOf } from '../support/chain/keys.ts'
import { askFor, type SellerCoin } from '../support/chain/seller-coins.ts'
import { txOut } from '../support/chain/wallet.ts'
import { outpointOf } from '../support/orders/psbt-orders.ts'

// What the attacks of the abuse suite send, against the description of the API.

/** Those of requests: the others are of connections and of feeds. */
const ATTACKS = [...FLOODS, ...PURCHASE_ATTACKS, ...READ_ATTACKS, ...ROUTE_ATTACKS]
/** As many requests of each as the longest family has. */
const SHORT = { requests: 28, ms: 0, atOnce: 1 }
const NOWHERE = 'http://127.0.0.1:1'

/** Notes what it would send, as `GET /path`. */
class NotingStranger extends Stranger {
  readonly noted: string[] = []

  override async often(act: (n: number) => Promise<unknown>): Promise<void> {
    for (let n = 0; n < this.limit.requests; n += 1) await act(n)
  }

  override async send(path: string, _from: string, sending: Sending = {}): Promise<void> {
    const method = sending.method ?? (sending.body === undefined ? 'GET' : 'POST')
    this.noted.push(`${method} ${path.split('?')[0]}`)
  }

  override async glimpse(path: string): Promise<void> {
    this.noted.push(`GET ${path.split('?')[0]}`)
  }

  override async drip(pieces: readonly (string | Buffer)[]): Promise<void> {
    const [method, target = ''] = pieces.join('').split(' ', 2)
    this.noted.push(`${method} ${target.split('?')[0]}`)
  }
}

function coin(seed: string): SellerCoin {
  const wallet = walletOf('p2wpkh', seed)
  return { seed, wallet, outpoint: outpointOf(seed), output: txOut(wallet.scriptHex, 10_000n) }
}

function worldAt(address: string): StrangersWorld {
  const listed = [coin('listed')].map((one) => ({
    id: '1'.repeat(64),
    psbt: askFor(one),
    coin: one,
  }))
  const own = ['own 1', 'own 2', 'own 3'].map(coin)
  const [victim, crowded] = [coin('victim'), coin('crowded')]
  return { address, listed, victim, own, crowded, legacy: [outpointOf('legacy')] }
}

/** What reads the feeds is no route. */
const noFeeds = new Proxy({} as RogueFeeds, {
  get: () => {
    throw new Error('an attack on routes needs no feed')
  },
})

interface Described {
  id: string
  method: string
  path: string
  matches: RegExp
}

function describedRoutes(): Described[] {
  const { paths } = JSON.parse(readFileSync('docs/openapi.json', 'utf8')) as {
    paths: Record<string, Record<string, { operationId: string }>>
  }
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId }]) => ({
      id: operationId,
      method: method.toUpperCase(),
      path,
      matches: new RegExp(`^${path.replaceAll('.', '\\.').replace(/\{\w+\}/g, '[^/]+')}$`),
    })),
  )
}

const parametersOf = ({ path }: Described): number => path.split('{').length

/** As a router finds it: a path that is written out before one with parameters. */
const routeOf = (routes: readonly Described[], [method, path = '']: readonly string[]) =>
  routes
    .filter((route) => route.method === method && route.matches.test(path))
    .sort((a, b) => parametersOf(a) - parametersOf(b))[0]

test('each route of the description is in at least one attack', async () => {
  const world = worldAt(NOWHERE)
  const noted = new Set<string>()
  for (const { name, run } of ATTACKS) {
    const stranger = new NotingStranger(NOWHERE, SHORT)
    await run(stranger, world, noFeeds)
    await stranger.close()
    expect(stranger.noted, name).toHaveLength(SHORT.requests)
    for (const one of stranger.noted) noted.add(one)
  }
  const routes = describedRoutes()
  const attacked = new Set([...noted].map((one) => routeOf(routes, one.split(' '))?.id))
  expect(routes.length).toBeGreaterThan(70)
  expect(routes.map(({ id }) => id).filter((id) => !attacked.has(id))).toEqual([])
})
