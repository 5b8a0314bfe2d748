import { describe, expect, test } from 'vitest'
import { offerJudge } from '../../../src/actors/judge-unproved.ts'
import { marketRules } from '../../../src/domain/catalog/market-rules.ts'
import { parseOutpoint } from '../../../src/domain/chain/outpoint.ts'
import { revalidateOrder } from '../../../src/gateway/commands/revalidate-order.ts'
import type { Gateway } from '../../../src/gateway/gateway.ts'
import { keepPool } from '../../../src/gateway/intake/keep-pool.ts'
import { inLog, recheckPooled, submitOrPool } from '../../../src/gateway/intake/take-claim.ts'
import { RefusalError } from '../../../src/gateway/refusal.ts'
import { openStoredBudget } from '../../../src/gateway/stored-budget.ts'
import type { NodeEvidence } from '../../../src/schemas/evidence.ts'
import type { ImportCommand } from '../../../src/schemas/log.ts'
import type { OfferClaim, OrderRecord } from '../../../src/schemas/order-record.ts'
import type { OrderId, Txid } from '../../../src/schemas/scalars.ts'
import type { UnprovedOrder } from '../../../src/schemas/unproved.ts'
import { toOrderId } from '../../support/ids.ts'
import { MemoryLog } from '../../support/log/memory-log.ts'
import { ManualClock } from '../../support/manual-clock.ts'
import {
  askClaim,
  assetClaim,
  evidenceOf,
  indexAway,
  MISSING,
  nodeAway,
  nodeSays,
  PAYOUT,
  signatureOf,
  unspent,
} from '../../support/orders/evidence.ts'
import { liveOrder, orderOf } from '../../support/orders/orders.ts'

const SIGNED = 'signed'
const NEVER = new AbortController().signal
const MINUTE_MS = 60_000

/** A wrapper that its owner signed, or not. */
const wrapper = (name: string, isSigned: boolean, changes: Parameters<typeof askClaim>[0] = {}) =>
  askClaim({ wrapper: `${name} ${isSigned ? SIGNED : 'forged'}`, ...changes })
const isSigned = ({ artifact }: OfferClaim): boolean =>
  Buffer.from(artifact, 'base64').toString().endsWith(SIGNED)

function opened(bytesAnHour = Number.MAX_SAFE_INTEGER, inAll = bytesAnHour * 100) {
  const log = new MemoryLog()
  const clock = new ManualClock()
  const entries = new Map<string, UnprovedOrder>()
  const woken = new Set<string>()
  const world: { output: 'missing' | 'unspent' | 'away'; logged: OrderRecord | null } = {
    output: 'missing',
    logged: null,
  }
  const node = (claims: readonly OfferClaim[]): NodeEvidence => {
    if (world.output === 'away') return nodeAway()
    if (world.output === 'missing') return nodeSays({ output: MISSING, signatures: [] })
    const signatures = claims.map((claim) =>
      signatureOf(claim, isSigned(claim) ? 'VALID' : 'INVALID'),
    )
    return nodeSays({ output: unspent({ block: null }), signatures })
  }
  const examiner = {
    examineProof: async (_outpoint: string, claims: readonly OfferClaim[]) =>
      evidenceOf({ node: node(claims), index: indexAway('asset_index_not_asked') }),
    examineOrder: () => Promise.reject(new Error('no watermark is known')),
  }
  const imports = () => log.records.map(({ value }) => value as ImportCommand)
  let requests = 0
  const faults: unknown[] = []
  const gateway = {
    log,
    clock,
    newRequestId: () => `request ${++requests}`,
    settings: { network: 'regtest', verdictWaitMs: 1_000 },
    judge: offerJudge({
      offers: { incoming: examiner, again: examiner },
      network: 'regtest',
      marketOf: marketRules,
    }),
    lastWatermark: async () => null,
    views: {
      order: async (id: OrderId) => {
        const isLogged = imports().some(({ orderId }) => orderId === id)
        const order = world.logged ?? (isLogged ? orderOf({ id }) : null)
        return order && { order, partition: 0, freshness: null }
      },
      waitForOutcome: async () => ({ outcome: { status: 'done', seq: 1 }, seq: 1 }),
    },
    pool: {
      find: async (id: string) => entries.get(id) ?? null,
      put: async (entry: UnprovedOrder, before: UnprovedOrder | null) => {
        if ((entries.get(entry.order.id) ?? null) !== before) return 'changed'
        entries.set(entry.order.id, entry)
        return 'kept'
      },
      remove: async (entry: UnprovedOrder) => {
        if (entries.get(entry.order.id) !== entry) return false
        return entries.delete(entry.order.id)
      },
      wake: async (txids: readonly Txid[]) => {
        for (const { order } of entries.values())
          if (txids.includes(parseOutpoint(order.outpoint).txid)) woken.add(order.id)
      },
      takeDue: async (now: number) =>
        [...entries.values()].filter(
          ({ order, lookAt }) => woken.delete(order.id) || (lookAt !== null && lookAt <= now),
        ),
      tidy: async () => ({ orders: entries.size, bytes: 0 }),
    },
    stored: openStoredBudget(bytesAnHour, clock, {
      strangers: { inAll, networkOf: (client) => client },
    }),
  } as unknown as Gateway
  const bring = (claim: OfferClaim) => {
    const { artifact, inspection, offer, claimedPrevout, ...saying } = claim
    const { digest } = inspection
    const inspected = { artifact, inspection, offer, claimedPrevout, digest }
    return submitOrPool(gateway, { inspected, saying }, 'client', NEVER)
  }
  const pooled = (): UnprovedOrder => {
    const [entry] = entries.values()
    if (!entry) throw new Error('the pool is empty')
    return entry
  }
  /** One round, ten minutes later. */
  const keep = async () => {
    clock.advance(10 * MINUTE_MS)
    const stop = new AbortController()
    const keeping = { gateway, onSize: () => {}, onFault: (fault: unknown) => faults.push(fault) }
    const kept = keepPool(keeping, stop.signal)
    for (let turn = 0; turn < 20; turn += 1) await clock.turn()
    stop.abort()
    await kept
  }
  return {
    world,
    bring,
    keep,
    pooled,
    faults,
    recheck: (client = 'client') =>
      recheckPooled(gateway, pooled(), { client, isNewOrder: true }, NEVER),
    isPooled: () => entries.size > 0,
    imports,
    gateway,
    clock,
  }
}

const digestOf = ({ inspection }: OfferClaim): string => inspection.digest
const imported = (imports: readonly ImportCommand[]) => imports.map(({ claim }) => digestOf(claim))

describe('an order of the pool that is proved', () => {
  test('enters the log in the wrapper that its owner signed, whoever brings another', async () => {
    const { world, bring, imports, isPooled } = opened()
    const [owners, strangers] = [wrapper('owner', true), wrapper('stranger', false)]
    await bring(owners)
    world.output = 'unspent'
    await bring(strangers)
    expect(imported(imports())).toEqual([digestOf(owners)])
    expect(imports()[0]?.story?.sources).toEqual([owners.source, strangers.source])
    expect(isPooled()).toBe(false)
  })

  test.each(['a recheck', 'another import'] as const)(
    'enters it by %s with every wrapper that only the index can decide',
    async (by) => {
      const { world, bring, recheck, pooled, imports, isPooled } = opened()
      const lie = wrapper('owner', true, { source: { claimedAsset: assetClaim() } })
      const owners = wrapper('owner', true)
      const forged = wrapper('stranger', false)
      await bring(lie)
      await bring(forged)
      if (by === 'a recheck') await bring(owners)
      const { id } = pooled().order
      world.output = 'unspent'
      await (by === 'a recheck' ? recheck() : bring(owners))
      const commands = imports()
      expect(commands.map(({ claim }) => claim.source)).toEqual([lie.source, owners.source])
      expect(commands.map(({ orderId }) => orderId)).toEqual([id, id])
      for (const { story } of commands)
        expect(story?.changes.map(({ toState }) => toState)).toEqual(['PENDING_NODE', 'REJECTED'])
      expect(isPooled()).toBe(false)
    },
  )
})

describe('what is asked for at once of one order of the pool', () => {
  const sources = ({ order }: UnprovedOrder) => order.sources.map(({ sourceId }) => sourceId).sort()
  const from = (sourceId: string) => wrapper(sourceId, true, { source: { sourceId } })

  test('two imports: both wrappers are kept', async () => {
    const { bring, pooled } = opened()
    await Promise.all([bring(from('one')), bring(from('other'))])
    expect(sources(pooled())).toEqual(['one', 'other'])
    await Promise.all([bring(from('third')), bring(from('fourth'))])
    expect(sources(pooled())).toEqual(['fourth', 'one', 'other', 'third'])
  })

  test.each(['one that is asked for', 'one of the pool'] as const)(
    'an import during a check, %s: its wrapper is kept',
    async (by) => {
      const { bring, pooled, gateway, keep, faults } = opened()
      await bring(from('one'))
      const { id } = pooled().order
      const checked =
        by === 'one of the pool' ? keep() : revalidateOrder(gateway, id, 'client', NEVER)
      await Promise.all([checked, bring(from('other'))])
      expect(sources(pooled())).toEqual(['one', 'other'])
      expect(faults).toEqual([])
    },
  )

  test('an import during a look: another look follows, since it may have asked before the news', async () => {
    const { bring, keep, pooled, gateway, clock } = opened()
    await bring(from('one'))
    const { judge } = gateway.judge
    let isFirst = true
    Object.assign(gateway, {
      judge: {
        ...gateway.judge,
        judge: async (...[offer, signal]: Parameters<typeof judge>) => {
          if (offer.claim === null && isFirst) {
            isFirst = false
            await bring(from('other'))
          }
          return judge(offer, signal)
        },
      },
    })
    await keep()
    expect(sources(pooled())).toEqual(['one', 'other'])
    expect(await gateway.pool.takeDue(clock.now(), 1, 9)).toEqual([pooled()])
  })

  test('an import while the order goes to the log: its wrapper stays, and follows', async () => {
    const { world, bring, pooled, gateway, keep, imports, isPooled, clock } = opened()
    const lie = wrapper('owner', true, { source: { claimedAsset: assetClaim() } })
    await bring(from('one'))
    const entry = pooled()
    await bring(lie)
    world.output = 'unspent'
    await inLog(gateway, { entry }, null, NEVER)
    expect(sources(pooled())).toHaveLength(2)
    expect(await gateway.pool.takeDue(clock.now(), 1, 9)).toEqual([pooled()])
    world.logged = orderOf({ state: 'REJECTED', reason: 'asset_mismatch', proved: true })
    await keep()
    expect(imported(imports())).toContain(digestOf(lie))
    expect(isPooled()).toBe(false)
  })

  test('imports without an end: a bounded number of attempts', async () => {
    const { bring, gateway, pooled } = opened()
    await bring(from('one'))
    const { put } = gateway.pool
    let attempts = 0
    const busy = async () => {
      attempts += 1
      return 'changed'
    }
    Object.assign(gateway.pool, { put: busy })
    const asked = bring(from('other'))
    await expect(asked).rejects.toMatchObject({ code: 'STILL_BEING_VERIFIED' })
    const { id } = pooled().order
    const checked = revalidateOrder(gateway, id, 'client', NEVER)
    await expect(checked).rejects.toMatchObject({ code: 'STILL_BEING_VERIFIED' })
    expect(attempts).toBe(8)
    Object.assign(gateway.pool, { put })
    await bring(from('other'))
    expect(sources(pooled())).toEqual(['one', 'other'])
  })
})

describe('an order of the pool that the log has from elsewhere', () => {
  test('brings it its signed wrappers, unless it was LIVE there', async () => {
    const { world, bring, keep, imports, isPooled, faults } = opened()
    const owners = wrapper('owner', true)
    await bring(owners)
    world.output = 'unspent'
    world.logged = orderOf({ state: 'REJECTED', reason: 'asset_mismatch', proved: true })
    await keep()
    expect(imported(imports())).toEqual([digestOf(owners)])
    expect(isPooled()).toBe(false)
    expect(faults).toEqual([])
  })

  test.each([
    ['is LIVE', liveOrder()],
    ['is withdrawn', orderOf({ state: 'WITHDRAWN', proved: true })],
  ])('is forgotten once that %s', async (_what, logged) => {
    const { world, bring, keep, imports, isPooled } = opened()
    await bring(wrapper('owner', true))
    world.output = 'unspent'
    world.logged = logged
    await keep()
    expect(imports()).toEqual([])
    expect(isPooled()).toBe(false)
  })
})

describe('an import of an order that the log has', () => {
  const kept = wrapper('owner', true)
  const states: [what: string, logged: OrderRecord][] = [
    ['LIVE', liveOrder({}, kept)],
    ['of an output in the mempool', orderOf({ state: 'PENDING_ASSET', proved: true }, kept)],
    [
      'refused for good',
      orderOf({ state: 'REJECTED', reason: 'asset_mismatch', proved: true }, kept),
    ],
    ['withdrawn', orderOf({ state: 'WITHDRAWN', proved: true }, kept)],
    ['settled', liveOrder({ state: 'SETTLED' }, kept)],
  ]

  test.each(states)(
    'and that is %s leaves nothing there, asks nothing and is not charged',
    async (_what, logged) => {
      const { world, gateway, bring, imports } = opened()
      world.output = 'unspent'
      world.logged = logged
      const refuse = () => {
        throw new Error('nothing is asked or charged')
      }
      Object.assign(gateway, { judge: { ...gateway.judge, judge: refuse } })
      Object.assign(gateway, { stored: { spend: refuse } })
      for (let n = 0; n < 3; n += 1) expect((await bring(kept)).order).toEqual(logged)
      expect(imports()).toEqual([])
    },
  )

  test.each(states)(
    'and that is %s adds a source that is not known there',
    async (_what, logged) => {
      const { world, bring, imports } = opened()
      world.output = 'unspent'
      world.logged = logged
      await bring(wrapper('owner', true, { source: { sourceId: 'another' } }))
      expect(imports()).toHaveLength(1)
    },
  )

  const stranger = wrapper('stranger', true)
  const labelled = { ...kept, protocolId: 'inscriptions', token: 'PUNK' }
  const published: OfferClaim = { ...kept, published: true }
  const proved = { state: 'REJECTED', reason: 'asset_mismatch', proved: true } as const
  test.each<[string, OrderRecord, OfferClaim]>([
    ['a label that a LIVE order lacks', liveOrder({}, kept), labelled],
    ['another claim', orderOf(proved, kept), labelled],
    ['another wrapper of an order never LIVE', orderOf(proved, kept), stranger],
    [
      'a wrapper that waits to be judged',
      orderOf({ ...proved, claims: [stranger], sources: [stranger.source] }, kept),
      stranger,
    ],
    ['an order that the node was not asked about', orderOf({ proved: true }, kept), kept],
    [
      'an order whose reason may pass',
      orderOf({ ...proved, reason: 'outpoint_missing' }, kept),
      kept,
    ],
    ['the first publish of a LIVE order', liveOrder({}, kept), published],
    [
      'that publish again, while it waits to be judged',
      liveOrder({ claims: [published], sources: [published.source] }, kept),
      published,
    ],
  ])('goes to the log with %s', async (_what, logged, claim) => {
    const { world, bring, imports } = opened()
    world.output = 'unspent'
    world.logged = logged
    await bring(claim)
    expect(imports()).toHaveLength(1)
  })

  test('and that has as many sources as are counted leaves nothing there, whatever its source', async () => {
    const { world, bring, imports } = opened()
    world.output = 'unspent'
    const sources = Array.from({ length: 32 }, (_, n) => ({ ...kept.source, sourceId: `${n}` }))
    world.logged = liveOrder({ sources, sourcesDropped: 100 }, kept)
    for (let n = 0; n < 3; n += 1)
      await bring(wrapper('owner', true, { source: { sourceId: `new ${n}` } }))
    expect(imports()).toEqual([])
  })
})

describe('what the pool hands to the log', () => {
  const HOUR_BYTES = 300 * 2 ** 10
  /** An order whose wrapper takes nearly all that a client may have stored at once. */
  const fat = (sats: number): OfferClaim =>
    wrapper('x'.repeat(60_000), true, {
      offer: { payouts: [{ ...PAYOUT, valueSats: String(sats) }] },
    })
  const code = (promise: Promise<unknown>) =>
    promise.then(
      () => 'done',
      (error: unknown) => (error instanceof RefusalError ? error.code : error),
    )

  test('is charged to the client that imported it last, and waits until that is allowed', async () => {
    const { world, bring, keep, pooled, imports, clock, faults } = opened(HOUR_BYTES)
    for (const sats of [1_000, 2_000, 3_000]) await bring(fat(sats))
    world.output = 'unspent'
    await keep()
    expect(imports()).toHaveLength(1)
    expect(pooled().lookAt).toBeGreaterThanOrEqual(clock.now() + 10 * MINUTE_MS)
    expect(pooled().order.reason).toBe('outpoint_missing')
    for (let round = 2; round <= 6; round += 1) await keep()
    expect(imports()).toHaveLength(3)
    expect(faults).toEqual([])
  })

  test('waits as long where all clients together have as much as they may', async () => {
    const { world, bring, keep, pooled, imports, clock, faults } = opened(
      1_000 * HOUR_BYTES,
      HOUR_BYTES,
    )
    for (const sats of [1_000, 2_000]) await bring(fat(sats))
    world.output = 'unspent'
    await keep()
    expect(imports()).toHaveLength(1)
    expect(pooled().lookAt).toBeGreaterThanOrEqual(clock.now() + 10 * MINUTE_MS)
    await keep()
    await keep()
    expect(imports()).toHaveLength(2)
    expect(faults).toEqual([])
  })

  test('is charged to the client that asks for it, but to no operator', async () => {
    const { world, gateway, bring, recheck, pooled, imports, isPooled } = opened(HOUR_BYTES)
    await bring(fat(1_000))
    gateway.stored.spend({
      client: 'another',
      orderId: toOrderId('ab'.repeat(32)),
      claims: [fat(2_000)],
      isNewOrder: false,
    })
    world.output = 'unspent'
    const withdraw = (client: string | null) => inLog(gateway, { entry: pooled() }, client, NEVER)
    expect(await code(recheck('another'))).toBe('MARKET_RATE_LIMITED')
    expect(await code(withdraw('another'))).toBe('MARKET_RATE_LIMITED')
    expect(imports()).toHaveLength(0)
    expect(isPooled()).toBe(true)
    expect(await code(withdraw(null))).toBe('done')
    expect(imports()).toHaveLength(1)
  })
})

describe('while the node is away', () => {
  const HOUR_MS = 60 * MINUTE_MS

  test.each([
    ['was judged before', 'missing'],
    ['was never judged', 'away'],
  ] as const)(
    'an order that %s is asked about again after 5 s, at any age',
    async (_what, first) => {
      const { world, bring, keep, pooled, clock, faults, imports } = opened()
      world.output = first
      await bring(wrapper('owner', true))
      world.output = 'away'
      for (const hours of [0, 1, 8]) {
        clock.advance(hours * HOUR_MS)
        await keep()
        expect(pooled().lookAt).toBe(clock.now() + 5_000)
      }
      world.output = 'unspent'
      await keep()
      expect(imports()).toHaveLength(1)
      expect(faults).toEqual([])
    },
  )

  test('a requested recheck of an order that was judged says so', async () => {
    const { world, bring, gateway, pooled } = opened()
    await bring(wrapper('owner', true))
    const { id, validation } = pooled().order
    world.output = 'away'
    const asked = revalidateOrder(gateway, id, 'client', NEVER)
    await expect(asked).rejects.toMatchObject({ code: 'NODE_UNAVAILABLE' })
    expect(pooled().order.validation).toEqual(validation)
  })
})

describe('an order of the pool with as many waiting wrappers as may wait', () => {
  const filled = async () => {
    const market = opened()
    for (let n = 0; n < 9; n += 1) await market.bring(wrapper(String(n), false))
    expect(market.pooled().order.claims).toHaveLength(8)
    return market
  }

  test('refuses one more, as the log does', async () => {
    const { bring, pooled } = await filled()
    const before = pooled()
    const asked = bring(wrapper('owner', true))
    await expect(asked).rejects.toMatchObject({ code: 'TOO_MANY_CLAIMS' })
    expect(pooled()).toEqual(before)
  })

  test('takes one more once the node can judge those that wait', async () => {
    const { world, bring, imports, isPooled } = await filled()
    const owners = wrapper('owner', true)
    world.output = 'unspent'
    await bring(owners)
    expect(imported(imports())).toEqual([digestOf(owners)])
    expect(imports()[0]?.story?.changes).toHaveLength(2)
    expect(isPooled()).toBe(false)
  })
})
