import { describe, expect, test } from 'vitest'
import { offerJudge } from '../../../src/actors/judge-unproved.ts'
import { offerExaminer } from '../../../src/authorities/gather-evidence.ts'
import { marketRules } from '../../../src/domain/catalog/market-rules.ts'
import type { Gateway } from '../../../src/gateway/gateway.ts'
import { submitOrPool } from '../../../src/gateway/intake/take-claim.ts'
import type { AssetIndex } from '../../../src/ports/authorities/asset-index.ts'
import { IndexUnavailableError } from '../../../src/ports/authorities/authority-errors.ts'
import type { FullNode } from '../../../src/ports/authorities/full-node.ts'
import type { SignatureAnswer } from '../../../src/ports/authorities/signature-checker.ts'
import type { Begun } from '../../../src/schemas/evidence.ts'
import type { ImportCommand } from '../../../src/schemas/log.ts'
import type { OfferClaim, OrderRecord } from '../../../src/schemas/order-record.ts'
import type { OrderId } from '../../../src/schemas/scalars.ts'
import type { UnprovedOrder } from '../../../src/schemas/unproved.ts'
import {
  assetsOf,
  checkerWith,
  indexWith,
  nodeWith,
  unspentAnswer,
} from '../../support/chain/scripted-authorities.ts'
import { MemoryLog } from '../../support/log/memory-log.ts'
import { ManualClock } from '../../support/manual-clock.ts'
import { askClaim, bidClaim, FUNDING, inscriptionAt } from '../../support/orders/evidence.ts'
import { orderOf } from '../../support/orders/orders.ts'

// The questions, the judgement and the command are the real ones; node and index are scripted.

const NEVER = new AbortController().signal
const VALID: SignatureAnswer = { status: 'valid' }
const watermarkAt = (n: number): Begun => ({ begunAt: { epoch: 1, n }, mempoolSequence: n })

interface Scripted {
  node?: Partial<FullNode>
  index?: AssetIndex | null
  signature?: SignatureAnswer
  /** What the views show of the partition; null: they are away. */
  shown?: Begun | null
  /** In the log. */
  known?: OrderRecord
}

function opened(scripted: Scripted = {}) {
  const { node = {}, index = indexWith(), signature = VALID, known } = scripted
  const world = { shown: scripted.shown === undefined ? watermarkAt(3) : scripted.shown }
  const log = new MemoryLog()
  const clock = new ManualClock()
  const entries = new Map<string, UnprovedOrder>()
  const signatures = checkerWith(() => signature)
  const examiner = offerExaminer({
    node: nodeWith({ output: async () => unspentAnswer(), ...node }),
    index,
    signatures,
    clock,
  })
  const imports = () => log.records.map(({ value }) => value as ImportCommand)
  const gateway = {
    log,
    clock,
    newRequestId: () => 'request',
    settings: { network: 'regtest', verdictWaitMs: 1_000 },
    judge: offerJudge({
      offers: { incoming: examiner, again: examiner },
      network: 'regtest',
      marketOf: marketRules,
    }),
    lastWatermark: async () => world.shown,
    views: {
      order: async (id: OrderId) => {
        const order = known ? { ...known, id } : imports().length > 0 ? orderOf({ id }) : null
        return order && { order, partition: 0, freshness: null }
      },
      waitForOutcome: async () => ({ outcome: { status: 'done', seq: 1 }, seq: 1 }),
    },
    pool: {
      find: async (id: string) => entries.get(id) ?? null,
      put: async (entry: UnprovedOrder) => void entries.set(entry.order.id, entry),
      remove: async (entry: UnprovedOrder) => entries.delete(entry.order.id),
    },
    stored: { spend: () => {} },
  } as unknown as Gateway
  const bring = async (claim: OfferClaim = askClaim()): Promise<ImportCommand[]> => {
    const { artifact, inspection, offer, claimedPrevout, ...saying } = claim
    const { digest } = inspection
    const inspected = { artifact, inspection, offer, claimedPrevout, digest }
    await submitOrPool(gateway, { inspected, saying }, 'client', NEVER)
    return imports()
  }
  return { world, bring, entries, signatures }
}

describe('an import of an ask that its owner signed', () => {
  test('carries all that a verdict needs, and each signature is checked once', async () => {
    const inscriptions = [inscriptionAt()]
    const index = indexWith({ output: async () => assetsOf({ inscriptions }) })
    const { bring, signatures } = opened({ index })
    const [command] = await bring()
    expect(command?.evidence).toMatchObject({
      ...watermarkAt(3),
      node: { status: 'ready', output: { status: 'unspent' }, signatures: [{ status: 'VALID' }] },
      index: { status: 'ready', inscriptions },
    })
    expect(signatures.asked).toHaveLength(1)
  })

  test('names the watermark that was shown before the first question, whatever is shown after it', async () => {
    const moving: { next: () => void } = { next: () => {} }
    const { world, bring } = opened({
      node: {
        output: async () => {
          moving.next()
          return unspentAnswer()
        },
      },
    })
    moving.next = () => {
      world.shown = watermarkAt(4)
    }
    const [command] = await bring()
    expect(command?.evidence?.begunAt).toEqual({ epoch: 1, n: 3 })
    expect(world.shown).toEqual(watermarkAt(4))
  })

  test('carries what there is where no index is configured', async () => {
    const [command] = await opened({ index: null }).bring()
    expect(command?.evidence?.index).toMatchObject({ reason: 'asset_index_unconfigured' })
  })

  const away = new IndexUnavailableError('asset_index_unreachable', 'no answer')
  test.each<[string, Scripted]>([
    ['no watermark is known', { shown: null }],
    ['the index is away', { index: indexWith({ status: () => Promise.reject(away) }) }],
    [
      'its output is not in a block yet',
      { node: { output: async () => unspentAnswer({ confirmations: 0 }) } },
    ],
  ])('goes to the log without, if %s', async (_, scripted) => {
    const commands = await opened(scripted).bring()
    expect(commands).toHaveLength(1)
    expect(commands[0]).not.toHaveProperty('evidence')
  })

  test('that the log has already carries none: its partition asks about all wrappers', async () => {
    const known = orderOf({ state: 'PENDING_NODE' })
    const commands = await opened({ known }).bring(askClaim({ wrapper: 'another' }))
    expect(commands).toHaveLength(1)
    expect(commands[0]).not.toHaveProperty('evidence')
  })
})

test('a bid carries none', async () => {
  const node = {
    output: async () => unspentAnswer(),
    outputs: async () => [unspentAnswer({ output: FUNDING })],
  }
  const commands = await opened({ node }).bring(bidClaim())
  expect(commands).toHaveLength(1)
  expect(commands[0]).not.toHaveProperty('evidence')
})

test('the index is asked nothing about what its owner did not sign, and nothing goes to the log', async () => {
  const asked: string[] = []
  const index = new Proxy(indexWith(), {
    get: (target, name) => {
      asked.push(String(name))
      return Reflect.get(target, name)
    },
  })
  const signature = { status: 'invalid', reason: 'signature_invalid' } as const
  const { bring, entries } = opened({ index, signature })
  expect(await bring()).toEqual([])
  expect(asked).toEqual([])
  expect([...entries.values()].map(({ order }) => order.state)).toEqual(['REJECTED'])
})
