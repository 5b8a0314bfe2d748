import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { runSingleRole } from '../../src/roles/single-role.ts'
import { Config } from '../../src/schemas/config/config.ts'
import { fetchUnlessShed } from '../support/market/fetch-unless-shed.ts'
import { ORDERS_ONLY, openMarket } from '../support/market/market.ts'

const PATIENCE_MS = 15_000

vi.setConfig({ testTimeout: 60_000 })

const closing: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

async function market(variables: Record<string, string> = {}) {
  const opened = await openMarket(variables)
  closing.push(() => opened.end())
  return opened
}

async function role(name: 'pairing' | 'circles', variables: Record<string, string> = {}) {
  const directory = mkdtempSync(join(tmpdir(), 'market-role-'))
  const config = Config.parse({
    PORT: '0',
    METRICS_PORT: '0',
    LOG_LEVEL: 'silent',
    DATA_DIR: directory,
    ...variables,
  })
  const running = await runSingleRole({ ...config, ROLE: name })
  closing.push(async () => {
    await running.close()
    rmSync(directory, { recursive: true, force: true })
  })
  return running
}

const body = async (asked: Promise<Response>) => {
  const answer = await asked
  return [answer.status, JSON.parse(await answer.text())] as const
}

const cannot = (method: string, path: string) => [
  404,
  { message: `Cannot ${method} ${path}`, error: 'Not Found', statusCode: 404 },
]

describe('beside the order book', () => {
  test('both indexes answer in their own shapes, and a market that is off does not close them', async () => {
    const { address } = await market({ MARKET_ENABLED: 'false' })
    expect((await fetchUnlessShed(`${address}/api/market/orders`)).status).toBe(503)
    await vi.waitFor(
      async () => expect((await fetchUnlessShed(`${address}/ready`)).status).toBe(200),
      PATIENCE_MS,
    )
    expect(await body(fetchUnlessShed(`${address}/pairing/objects`))).toEqual([200, { items: [] }])
    expect((await fetchUnlessShed(`${address}/circles/state`)).status).toBe(200)
    for (const path of ['/pairing/objects', '/circles/state', '/ready'])
      expect(await body(fetchUnlessShed(`${address}${path}`, { method: 'POST' }))).toEqual(
        cannot('POST', path),
      )
    expect(await body(fetchUnlessShed(`${address}/pairing/objects/${'a'.repeat(3_000)}`))).toEqual([
      400,
      { message: 'object key must be 32-byte hex', error: 'Bad Request', statusCode: 400 },
    ])
  })

  test('an object is made, verified and released; a circle is made and closed', async () => {
    const { address, get, post } = await market()
    const play = async (what: string, move: object) =>
      (await post(`/devnet/${what}`, move)).body as { txid: string; outpoints: string[] }
    const made = await play('objects', { move: 'create', label: 'one' })
    await vi.waitFor(async () => {
      const found = await get('/pairing/verified/search?q=ON')
      expect(found.status).toBe(200)
      expect(found.body).toMatchObject({ data: { results: [{ kind: 'object', label: 'one' }] } })
    }, PATIENCE_MS)
    await play('objects', { move: 'release', carriers: made.outpoints })
    await vi.waitFor(async () => {
      const { body: listed } = await get('/pairing/objects')
      expect(listed).toMatchObject({ items: [{ label: 'one', status: 'released' }] })
    }, PATIENCE_MS)
    const circle = await play('circles', { move: 'circle', members: 2 })
    await play('circles', { move: 'close', shards: [circle.outpoints[1]] })
    await vi.waitFor(
      async () => expect((await get('/circles/state')).body).toMatchObject({ revision: 2 }),
      PATIENCE_MS,
    )
    const snapshot = await fetchUnlessShed(`${address}/circles/snapshot`)
    expect(snapshot.headers.get('etag')).toMatch(/^"[0-9a-f]{64}"$/)
  })

  test('a move that is not possible is refused, in its words', async () => {
    const { post } = await market()
    const refusals: [what: string, move: object, words: string][] = [
      ['objects', { move: 'move', carriers: [`${'0'.repeat(64)}:0`] }, 'is not an unspent output'],
      ['objects', { move: 'create', label: 'a b' }, 'label'],
      ['circles', { move: 'circle', members: 17 }, 'members'],
      ['circles', { move: 'close', shards: [`${'0'.repeat(64)}:0`] }, 'is not an unspent output'],
    ]
    for (const [what, move, words] of refusals) {
      const { status, body: refused } = await post(`/devnet/${what}`, move)
      expect([what, move, status]).toEqual([what, move, 400])
      expect(JSON.stringify(refused)).toContain(words)
    }
  })

  test('switched off, their paths are unknown', async () => {
    const { get } = await market(ORDERS_ONLY)
    for (const path of ['/ready', '/pairing/objects', '/circles/state']) {
      const { status, body: refused } = await get(path)
      expect([status, refused]).toMatchObject([404, { code: 'NOT_FOUND' }])
    }
  })
})

describe('alone', () => {
  test('a pipeline without a node names its gates, and every failure is a message', async () => {
    const { address } = await role('pairing')
    const [status, snapshot] = await body(fetchUnlessShed(`${address}/ready`))
    expect([status, snapshot.reasons]).toEqual([
      503,
      [
        'bitcoin_core_unavailable',
        'bitcoin_network_mismatch',
        'bitcoin_core_initial_block_download',
        'node_height_unknown',
        'canonical_tip_missing',
        'checkpoint_incomplete',
        'agreement_signer_unavailable',
      ],
    ])
    expect((await fetchUnlessShed(`${address}/livez`)).status).toBe(200)
    expect((await fetchUnlessShed(`${address}/readyz`)).status).toBe(503)
    expect(await body(fetchUnlessShed(`${address}/api/market/health`))).toEqual(
      cannot('GET', '/api/market/health'),
    )
    expect(await body(fetchUnlessShed(`${address}/pairing/agreement/1`))).toEqual([
      500,
      { statusCode: 500, message: 'Internal server error' },
    ])
  })

  test.each(['pairing', 'circles'] as const)(
    '%s watches the node, and no index that the roles share',
    async (name) => {
      const nowhere = 'http://127.0.0.1:1'
      const { metricsAddress } = await role(name, {
        BITCOIN_RPC_URL: nowhere,
        BITCOIN_RPC_USER: 'market',
        BITCOIN_RPC_PASSWORD: 'p',
        ASSET_INDEX_URL: nowhere,
      })
      const metrics = async () => await (await fetch(`${metricsAddress}/metrics`)).text()
      const node = 'market_dependency_up{dependency="node"} 0'
      await vi.waitFor(async () => expect(await metrics()).toContain(node), PATIENCE_MS)
      expect(await metrics()).not.toContain('dependency="index"')
    },
  )

  test('circles without a node are empty, and not ready', async () => {
    const { address } = await role('circles')
    const [status, state] = await body(fetchUnlessShed(`${address}/circles/state`))
    expect([status, state.revision, state.height]).toEqual([200, 0, null])
    expect((await fetchUnlessShed(`${address}/readyz`)).status).toBe(503)
  })
})
