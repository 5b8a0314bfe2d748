import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { HealthReport } from '../../src/schemas/api/health.ts'
import type { OrderSummary } from '../../src/schemas/order.ts'
import type { OrderState } from '../../src/schemas/scalars.ts'
import { CORE_LOGIN, prepareCore } from '../support/services/core.ts'
import { waitUntil } from '../support/services/programs.ts'
import {
  type LiveAsk,
  openServiceBook,
  type ServiceBook,
} from '../support/services/service-book.ts'

const MAX_AGE_SECONDS = 5

let book: ServiceBook
beforeAll(async () => {
  book = await openServiceBook({
    payments: 120,
    variables: {
      // By password: another node at the same address accepts it too.
      BITCOIN_RPC_USER: CORE_LOGIN.user,
      BITCOIN_RPC_PASSWORD: CORE_LOGIN.password,
      MAX_VERIFICATION_AGE_SECONDS: String(MAX_AGE_SECONDS),
    },
  })
})
afterAll(() => book?.close())

const standing = ({ state, validation }: OrderSummary) => [state, ...validation.reasons]
const becomes = (id: string, wanted: OrderState) =>
  book.market.orderUntil(id, ({ state }) => state === wanted)
const isReady = ({ actionability }: OrderSummary) => actionability === 'HANDOFF_READY'
const isStale = ({ state, actionability }: OrderSummary) =>
  state === 'LIVE' && actionability === 'REVIEW_ONLY'

/** Why a requested recheck was refused. */
async function recheckRefusal({ id }: LiveAsk): Promise<string> {
  const { status, headers, body } = await book.market.post(`orders/${id}/revalidate`)
  const { code, message } = body as { code: string; message: string }
  expect([status, code, headers.get('retry-after')]).toEqual([
    503,
    'NODE_UNAVAILABLE',
    expect.stringMatching(/^[0-9]+$/),
  ])
  return message
}

/** A purchase that the service has seen in the mempool. */
async function conflicted(): Promise<LiveAsk & { txid: string }> {
  const ask = await book.live()
  const txid = await book.chain.submit(await book.purchase(ask))
  await becomes(ask.id, 'MEMPOOL_CONFLICTED')
  return { ...ask, txid }
}

describe('an unavailable node', () => {
  test('makes imports PENDING_NODE, which are judged without a request when it is back', async () => {
    const good = await book.ask()
    const sold = await book.ask()
    const broken = await book.ask({ omitSighashByte: true })
    const unsigned = await book.ask({ unsigned: true })
    await book.chain.submit(await book.purchase(sold))
    await book.mine()
    await book.chain.core.stop()

    const away = ['PENDING_NODE', 'node_unavailable']
    const ids: string[] = []
    for (const { psbt } of [good, sold, broken]) {
      const order = await book.imported(psbt)
      expect(standing(order)).toEqual(away)
      expect(order.validation.nodeStatus).toBe('UNAVAILABLE')
      expect(order.actionability).toBe('REVIEW_ONLY')
      ids.push(order.id)
    }
    expect((await book.imported(unsigned.psbt)).state).toBe('REJECTED')
    await book.chain.core.start()
    for (const [at, state] of (['LIVE', 'SETTLED', 'REJECTED'] as const).entries()) {
      await becomes(ids[at] ?? '', state)
    }
  })

  test('displaces no LIVE order: it becomes stale, and is fresh again afterwards', async () => {
    const ask = await book.live()
    await book.market.orderUntil(ask.id, isReady)
    await book.chain.core.stop()
    expect(await recheckRefusal(ask)).toContain('node_unavailable')
    const stale = await book.market.orderUntil(ask.id, isStale)
    expect(standing(stale)).toEqual(['LIVE'])
    expect((await book.market.get(`orders/${ask.id}/artifact`)).status).toBe(503)
    const health = (await book.market.get('health')).body as HealthReport
    expect(health).toMatchObject({
      status: 'degraded',
      listingReadiness: { ready: false, reason: 'core_unavailable_or_syncing' },
    })
    await book.chain.core.start()
    await book.market.orderUntil(ask.id, isReady)
    expect((await book.market.get(`orders/${ask.id}/artifact`)).status).toBe(200)
    await book.hasPassed(ask.id, ['PENDING_NODE', 'LIVE'])
  })

  test('because it hangs: no answer is not an absence', async () => {
    const ask = await book.live()
    const fresh = await book.ask()
    let imported: OrderSummary
    book.chain.core.kill('SIGSTOP')
    try {
      const { status, body } = await book.market.post('orders/import', { psbt: fresh.psbt })
      imported = body as OrderSummary
      expect([status, imported.state]).toEqual([201, 'PENDING_NODE'])
      const begun = performance.now()
      expect((await book.market.order(ask.id)).state).toBe('LIVE')
      // A call to the node would take 15 s.
      expect(performance.now() - begun).toBeLessThan(10_000)
    } finally {
      // Every later test needs a node that answers.
      book.chain.core.kill('SIGCONT')
    }
    await becomes(imported.id, 'LIVE')
    await book.market.orderUntil(ask.id, isReady)
    await book.hasPassed(ask.id, ['PENDING_NODE', 'LIVE'])
  })

  test('while it warms up says so, and nothing is missing', async () => {
    const ask = await book.live()
    const fresh = await book.ask()
    await book.chain.core.stop()
    const finishWarmUp = await book.chain.core.startWarmingUp()
    const held = await recheckRefusal(ask)
    const up = finishWarmUp()
    expect(held).toContain('node_warming_up')
    const seen = new Set<string>()
    await waitUntil('the node is asked', async () => {
      const { status, body } = await book.market.post(`orders/${ask.id}/revalidate`)
      const { message = '' } = body as { message?: string }
      seen.add(/node_[a-z_]+/.exec(message)?.[0] ?? String(status))
      return status === 201
    })
    await up
    expect([...seen].filter((said) => !said.startsWith('node_'))).toEqual(['201'])
    expect((await book.imported(fresh.psbt)).state).toBe('LIVE')
    await book.hasPassed(ask.id, ['PENDING_NODE', 'LIVE'])
  })

  test('and another network in its place: none of its answers count', async () => {
    const ask = await book.live()
    const fresh = await book.ask()
    const { core } = book.chain
    await core.stop()
    const signet = await prepareCore({ chain: 'signet', port: core.port })
    await signet.start()
    expect(await recheckRefusal(ask)).toContain('node_wrong_network')
    const order = await book.imported(fresh.psbt)
    expect(standing(order)).toEqual(['PENDING_NODE', 'node_wrong_network'])
    await book.market.orderUntil(ask.id, isStale)
    await signet.close()
    await core.start()
    await becomes(order.id, 'LIVE')
    await book.market.orderUntil(ask.id, isReady)
    await book.hasPassed(ask.id, ['PENDING_NODE', 'LIVE'])
  })
})

describe('a node that starts again', () => {
  test('with its mempool: the conflict stands', async () => {
    const { id, txid } = await conflicted()
    await book.chain.restartNode()
    await book.followed()
    await book.mine()
    expect((await becomes(id, 'SETTLED')).settlement?.txid).toBe(txid)
    await book.hasPassed(id, ['PENDING_NODE', 'LIVE', 'MEMPOOL_CONFLICTED', 'SETTLED'])
  })

  test('without its mempool: LIVE again', async () => {
    const { id } = await conflicted()
    await book.chain.core.stop()
    await book.chain.core.start(['-persistmempool=0'])
    await becomes(id, 'LIVE')
    await book.hasPassed(id, ['PENDING_NODE', 'LIVE', 'MEMPOOL_CONFLICTED', 'LIVE'])
  })

  test('killed, with what it had written: LIVE again, a settlement stays', async () => {
    const { id: settledId } = await conflicted()
    await book.mine()
    await becomes(settledId, 'SETTLED')
    const { id } = await conflicted()
    // Makes the node write its state to disk.
    await book.chain.core.rpc('gettxoutsetinfo', 'none')
    await killNode()
    await book.chain.core.start()
    await becomes(id, 'LIVE')
    expect((await book.market.order(settledId)).state).toBe('SETTLED')
    await book.hasPassed(settledId, ['PENDING_NODE', 'LIVE', 'MEMPOOL_CONFLICTED', 'SETTLED'])
  })

  async function killNode(): Promise<void> {
    book.chain.core.kill('SIGKILL')
    await book.chain.core.stop()
  }
})

test('every invariant holds on what was stored', async () => {
  expect(await book.audit()).toEqual([])
})
