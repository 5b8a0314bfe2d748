import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readExposure } from '../../../src/gateway/exposure/read-exposure.ts'
import type { Evidence, OutputEvidence } from '../../../src/schemas/evidence.ts'
import type { OrderRecord } from '../../../src/schemas/order-record.ts'
import type { OutpointText } from '../../../src/schemas/scalars.ts'
import { headerOf, nodeWith } from '../../support/chain/scripted-authorities.ts'
import { openTestApp, type TestApp } from '../../support/http/http.ts'
import { toOrderId, toOutpointText } from '../../support/ids.ts'
import {
  askClaim,
  blockAt,
  evidenceOf,
  hash,
  MEDIAN_TIME,
  nodeSays,
  PREVOUT,
  TIP_HEIGHT,
} from '../../support/orders/evidence.ts'
import { type Dice, dice, STATES } from '../../support/orders/order-book.ts'
import { orderOf } from '../../support/orders/orders.ts'
import { viewsOf } from '../../support/orders/view-orders.ts'
import { lowestNaively } from './naive-lowest.ts'

const RUNS = Number(process.env['FUZZ_RUNS'] ?? 40)
const TIP = { height: TIP_HEIGHT, medianTime: MEDIAN_TIME }

let it: TestApp
let evidence: Evidence
beforeAll(async () => {
  const examineProof = async () => evidence
  it = await openTestApp({
    ports: { node: nodeWith(), inspections: { examine: examineProof, examineProof } },
  })
})
afterAll(() => it.close())

/** Around what the next block will have, so that both sides of every limit are frequent. */
const near = (roll: Dice, middle: number, spread: number) =>
  middle - spread + roll.below(2 * spread)

function someLocks(roll: Dice, made: number) {
  const blocks = Math.max(0, near(roll, TIP_HEIGHT + 1 - made, 3))
  const units = Math.max(0, near(roll, Math.ceil((TIP_HEIGHT - made + 3_600) / 512), 4))
  return {
    version: roll.of([1, 2, 2, 3]),
    locktime: roll.of([0, 0, near(roll, TIP_HEIGHT, 3), near(roll, MEDIAN_TIME, 3)]),
    sequence: roll.of([0xffffffff, 0xfffffffd, 0xfffffffd, 0, blocks, 0x400000 + units]),
  }
}

function someAsk(roll: Dice, outpoint: OutpointText, made: number): OrderRecord {
  const { version, locktime, sequence } = someLocks(roll, made)
  const valueSats = String(roll.chance(0.7) ? 1_000 + roll.below(6) : roll.below(2 ** 31))
  const side = roll.chance(0.9) ? 'ASK' : 'BID'
  const payouts = [{ valueSats, scriptHex: PREVOUT.scriptHex }]
  const sequences = [sequence]
  const offer = { outpoint, side, version, locktime, sequences, payouts } as const
  const claim = askClaim({ offer, wrapper: roll.hex(8), inspection: { signatureStatus: 'NONE' } })
  const { proved: _never, ...order } = orderOf(
    { id: toOrderId(roll.hex(32)), state: roll.of(STATES) },
    claim,
  )
  return {
    ...order,
    ...(roll.chance(0.8) ? { proved: true as const } : {}),
    ...(roll.chance(0.2) ? { hidden: { hiddenAt: order.createdAt } } : {}),
    closedAt: roll.chance(0.3) ? order.createdAt : null,
  }
}

function someOutput(roll: Dice): { output: OutputEvidence; made: number } {
  const made = TIP_HEIGHT - roll.of([0, 1, 50, 98, 99, 100, 101, 500])
  const block = blockAt(made)
  const unspent = {
    status: 'unspent',
    output: PREVOUT,
    coinbase: roll.chance(0.3),
    block,
    priorMedianTime: null,
  } as const
  const spent = { status: 'spent', output: PREVOUT, block, by: null } as const
  const outputs: OutputEvidence[] = [
    unspent,
    unspent,
    unspent,
    { ...unspent, coinbase: false, block: null },
    { ...spent, confirmed: false },
    { ...spent, confirmed: true },
    { status: 'missing' },
  ]
  return { output: roll.of(outputs), made }
}

test('the lowest price is that of a naive recomputation, for any asks, locks and output', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer(), async (seed) => {
      const roll = dice(seed)
      const outpoint = toOutpointText(`${hash(`exposed ${seed} ${roll.hex(8)}`)}:${roll.below(3)}`)
      const { output, made } = someOutput(roll)
      // Now and then more than are read at once.
      const count = roll.of([0, 1, 3, 12, 60])
      const orders = Array.from({ length: count }, () => someAsk(roll, outpoint, made))
      await viewsOf(it.gateway.views).put(...orders)
      evidence = evidenceOf({ node: nodeSays({ output }) })
      const signal = AbortSignal.timeout(10_000)
      const { lowest, total } = await readExposure(
        it.gateway,
        it.gateway.views,
        outpoint,
        { limit: 1 },
        signal,
      )
      const prior = headerOf(blockAt(made - 1).hash)?.medianTime ?? 0
      const naive = lowestNaively(orders, output, prior, TIP)
      const pair = (one: typeof lowest.now) => one && [one.orderId, one.signedPriceSats]
      expect(lowest.complete).toBe(true)
      expect({ now: pair(lowest.now), ever: pair(lowest.ever) }).toEqual(naive)
      expect(total).toBe(orders.filter(({ kept }) => kept.offer.side === 'ASK').length)
    }),
    { numRuns: RUNS },
  )
})
