import { describe, expect, test } from 'vitest'
import { offerJudge } from '../../../src/actors/judge-unproved.ts'
import { marketRules } from '../../../src/domain/catalog/market-rules.ts'
import type { Gateway } from '../../../src/gateway/gateway.ts'
import { keepPool } from '../../../src/gateway/intake/keep-pool.ts'
import { recheckPooled, submitOrPool } from '../../../src/gateway/intake/take-claim.ts'
import type { NodeEvidence } from '../../../src/schemas/evidence.ts'
import type { ImportCommand } from '../../../src/schemas/log.ts'
import type { OfferClaim, OrderRecord } from '../../../src/schemas/order-record.ts'
import type { UnprovedOrder } from '../../../src/schemas/unproved.ts'
import { MemoryLog } from '../../support/log/memory-log.ts'
import { ManualClock } from '../../support/manual-clock.ts'
import {
  askClaim,
  assetClaim,
  evidenceOf,
  indexAway,
  MISSING,
  nodeSays,
  signatureOf,
  unspent,
} from '../../support/orders/evidence.ts'
import { liveOrder, orderOf } from '../../support/orders/orders.ts'

const SIGNED = 'signed'
const NEVER = new AbortController().signal

/** A wrapper that its owner signed, or not. */
const wrapper = (name: string, isSigned: boolean, changes: Parameters<typeof askClaim>[0] = {}) =>
  askClaim({ wrapper: `${name} ${isSigned ? SIGNED : 'forged'}`, ...changes })
const isSigned = ({ artifact }: OfferClaim): boolean =>
  Buffer.from(artifact, 'base64').toString().endsWith(SIGNED)

function opened() {
  const log = new MemoryLog()
  const clock = new ManualClock()
  const entries = new Map<string, UnprovedOrder>()
  const world: { output: 'missing' | 'unspent'; logged: OrderRecord | null } = {
    output: 'missing',
    logged: null,
  }
  const node = (claims: readonly OfferClaim[]): NodeEvidence =>
    nodeSays(
      world.output === 'missing'
        ? { output: MISSING, signatures: [] }
        : {
            output: unspent({ block: null }),
            signatures: claims.map((claim) =>
              signatureOf(claim, isSigned(claim) ? 'VALID' : 'INVALID'),
            ),
          },
    )
  const examiner = {
    examineProof: async (_outpoint: string, claims: readonly OfferClaim[]) =>
      evidenceOf({ node: node(claims), index: indexAway('asset_index_not_asked') }),
    examineOrder: () => Promise.reject(new Error('no watermark is known')),
  }
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
      order: async () => {
        const order = world.logged ?? (log.records.length > 0 ? orderOf() : null)
        return order && { order, partition: 0, freshness: null }
      },
      waitForOutcome: async () => ({ outcome: { status: 'done', seq: 1 }, seq: 1 }),
    },
    pool: {
      find: async (id: string) => entries.get(id) ?? null,
      put: async (entry: UnprovedOrder) => !!entries.set(entry.order.id, entry),
      remove: async (id: string) => void entries.delete(id),
      takeDue: async () => [...entries.values()],
      tidy: async () => ({ orders: entries.size, bytes: 0 }),
    },
    stored: { spend: () => {} },
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
  /** Until the first pause. */
  const keep = async () => {
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
    recheck: () => recheckPooled(gateway, pooled(), NEVER),
    isPooled: () => entries.size > 0,
    imports: () => log.records.map(({ value }) => value as ImportCommand),
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
