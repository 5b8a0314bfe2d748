import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { offerJudge } from '../../src/actors/judge-unproved.ts'
import { offerExaminer } from '../../src/authorities/gather-evidence.ts'
import type { AssetIndex } from '../../src/ports/authorities/asset-index.ts'
import { IndexUnavailableError } from '../../src/ports/authorities/authority-errors.ts'
import type { FullNode } from '../../src/ports/authorities/full-node.ts'
import type { SignatureAnswer } from '../../src/ports/authorities/signature-checker.ts'
import type { Evidence } from '../../src/schemas/evidence.ts'
import type { OrderRecord } from '../../src/schemas/order-record.ts'
import {
  assetsOf,
  chainStatus,
  checkerWith,
  indexStatus,
  indexWith,
  inTurn,
  nodeWith,
  unspentAnswer,
} from '../support/chain/scripted-authorities.ts'
import { ManualClock } from '../support/manual-clock.ts'
import { AT, askClaim, blockAt, hash, INSCRIPTION, TIP_HEIGHT } from '../support/orders/evidence.ts'
import { marketOf } from '../support/orders/life.ts'
import { ORDER_ID } from '../support/orders/orders.ts'

/** Turns of the event loop after which everything that needs no answer has finished. */
const TURNS = 20

/** Answers all open requests at once, and counts how often it had to. */
class RoundTrips {
  readonly rounds: string[][] = []
  #waiting: { name: string; answer(): void }[] = []

  through<T extends object>(of: T, prefix: string): T {
    return new Proxy(of, {
      get: (target, name) => {
        const method: unknown = Reflect.get(target, name)
        if (typeof method !== 'function') return method
        return async (...args: unknown[]): Promise<unknown> => {
          await new Promise<void>((answer) =>
            this.#waiting.push({ name: `${prefix}.${String(name)}`, answer }),
          )
          return Reflect.apply(method, target, args)
        }
      },
    })
  }

  async until<T>(work: Promise<T>): Promise<T> {
    const done = work.then(() => 'done' as const)
    for (;;) {
      for (let turn = 0; turn < TURNS; turn += 1) await setImmediate()
      if ((await Promise.race([done, setImmediate('more')])) === 'done') return work
      if (this.#waiting.length === 0) throw new Error('nothing was asked, and it is not done')
      const round = this.#waiting.splice(0)
      this.rounds.push(round.map(({ name }) => name).sort())
      for (const { answer } of round) answer()
    }
  }
}

const inscriptions = [{ id: INSCRIPTION, number: 7, offset: '0' }]

const BEGUN = { begunAt: { epoch: 1, n: 7 }, mempoolSequence: 40 }

/** One import by the route: once the gateway sees that it is signed, it asks the rest as well. */
async function importOne(
  node: Partial<FullNode> = {},
  index: Partial<AssetIndex> = {},
  signature: SignatureAnswer = { status: 'valid' },
  known: OrderRecord | null = null,
) {
  const trips = new RoundTrips()
  let checks = 0
  // One request: the node's answers about tip and output are of one moment.
  const outputAtTip = async () => ({ chain: chainStatus(), output: unspentAnswer() })
  const authorities = {
    node: trips.through(nodeWith({ outputAtTip, ...node }), 'node'),
    index: trips.through(
      indexWith({ output: async () => assetsOf({ inscriptions }), ...index }),
      'index',
    ),
    signatures: checkerWith(() => {
      checks += 1
      return signature
    }),
    clock: new ManualClock(),
  }
  const offers = offerExaminer(authorities)
  const judge = offerJudge({
    offers: { incoming: offers, again: offers },
    network: 'regtest',
    marketOf,
  })
  const offered = { orderId: ORDER_ID, at: AT, claim: askClaim() }
  const judged = await trips.until(
    judge.judge(known ? { ...offered, known, begun: null } : { ...offered, known, begun: BEGUN }),
  )
  return { judged, rounds: trips.rounds, evidence: judged.evidence ?? null, checks }
}

const expectReady = (evidence: Evidence | null): void =>
  expect(evidence).toMatchObject({
    ...BEGUN,
    node: { status: 'ready', output: { status: 'unspent', block: blockAt(900) } },
    index: { status: 'ready', indexed: true, inscriptions },
  })

test('an import is four round trips to node and index, and one check of its signature', async () => {
  const { rounds, evidence, checks } = await importOne()
  expectReady(evidence)
  expect(rounds).toEqual([
    ['node.outputAtTip'],
    ['index.status', 'node.blockHash'],
    ['index.output'],
    ['index.status', 'node.chain'],
  ])
  expect(checks).toBe(1)
})

test('an index that is away leaves the rest to the order', async () => {
  const away = async () => {
    throw new IndexUnavailableError('asset_index_unreachable', 'away')
  }
  const { judged, evidence } = await importOne({}, { status: away })
  expect(judged.isProved).toBe(true)
  expect(evidence).toBeNull()
})

test('an import is four round trips while the index lags', async () => {
  const behind = indexStatus({ tip: blockAt(TIP_HEIGHT - 1) })
  const { rounds, evidence } = await importOne({}, { status: async () => behind })
  expectReady(evidence)
  expect(rounds).toHaveLength(4)
})

test('an index that advances to the tip in between costs none', async () => {
  const behind = indexStatus({ tip: blockAt(TIP_HEIGHT - 1) })
  const { rounds, evidence } = await importOne({}, { status: inTurn(behind, indexStatus()) })
  expectReady(evidence)
  expect(rounds).toHaveLength(4)
})

test('an import that is not signed is three round trips, and the index is not asked', async () => {
  const wrong = { status: 'invalid', reason: 'signature_invalid' } as const
  const { judged, rounds } = await importOne({}, {}, wrong)
  expect(judged.isProved).toBe(false)
  expect(judged.order).toMatchObject({ state: 'REJECTED', outputBlock: blockAt(900) })
  expect(rounds).toEqual([['node.outputAtTip'], ['node.blockHash'], ['node.chain']])
})

test('an import that is signed for all inputs and outputs is none, until its ask is signed', async () => {
  const whole = { status: 'no-ask', isValid: true } as const
  const { judged } = await importOne({}, {}, whole)
  expect(judged.isProved).toBe(false)
  expect(judged.order).toMatchObject({
    state: 'REJECTED',
    reason: 'sighash_not_single_anyonecanpay',
    kept: { inspection: { orderClass: 'UNSUPPORTED' } },
  })
  const { kept } = judged.order
  const other = { ...kept, inspection: { ...kept.inspection, digest: hash('another wrapper') } }
  const again = await importOne({}, {}, { status: 'valid' }, { ...judged.order, kept: other })
  expect(again.judged.isProved).toBe(true)
})

test('a tip that moves in between makes it ask everything again', async () => {
  const next = chainStatus({ tip: { ...blockAt(TIP_HEIGHT + 1), medianTime: 1, time: 1 } })
  const { rounds, evidence } = await importOne({ chain: inTurn(next, chainStatus()) })
  expectReady(evidence)
  expect(rounds).toHaveLength(1 + 3 + 3)
})
