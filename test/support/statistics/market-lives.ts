import { sealChange } from '../../../src/domain/order/change-chain.ts'
import type { Evidence } from '../../../src/schemas/evidence.ts'
import type { ChangeRecord } from '../../../src/schemas/log.ts'
import type { OrderRecord } from '../../../src/schemas/order-record.ts'
import type { Source, Txid } from '../../../src/schemas/scalars.ts'
import { toOutpointText, toTxid } from '../ids.ts'
import { blockAt, hash } from '../orders/evidence.ts'
import { type Dice, dice, orderOf, SOURCES } from '../orders/order-book.ts'
import { changeBetween, settle } from '../orders/order-changes.ts'

const START = Date.parse('2026-01-01T00:00:00.000Z')
const TOKENS = ['ORDI', 'Rare Punk', '𝔘nicode']
const REFUSED = [
  'signature_invalid',
  'asset_mismatch',
  'outpoint_missing',
  'bid_funding_spent',
  'signature_beyond_bound',
  'made_room',
]
/** Outputs, and inscriptions, that two in five orders share; the others have their own. */
const SHARED_OUTPUTS = 12
const MAX_STEPS = 12
/** Fewer than an order really keeps, so that some are told of more often. */
const SOURCES_KEPT = 2

/** A version of an order, with the authorities' answers that it is based on, if any. */
interface Step {
  order: OrderRecord
  isVerdict: boolean
  /** The change is an import by it. */
  toldBy?: Source
}

/**
 * The changes of orders over time: proved, refused, replaced in the mempool, sold, spent elsewhere,
 * reverted by reorgs, sold again, hidden, withdrawn. Those of one order are in sequence.
 */
export const marketLives = (orders: number, seed: number): ChangeRecord[][] => [
  ...eachMarketLife(orders, seed),
]

/** The same, one at a time: a million changes need not be in memory. */
export function* eachMarketLife(orders: number, seed: number): Generator<ChangeRecord[]> {
  const roll = dice(seed)
  for (let index = 0; index < orders; index += 1) yield lifeInMarket(roll, index)
}

function lifeInMarket(roll: Dice, index: number): ChangeRecord[] {
  const changes: ChangeRecord[] = []
  let before: OrderRecord | null = null
  let step: Step = { order: newcomer(roll, index), isVerdict: false }
  for (let left = 1 + roll.below(MAX_STEPS); left > 0; left -= 1) {
    const { hash: _, ...bare } = changeBetween(before, step.order)
    const evidence = step.isVerdict ? evidenceOf(roll, step.order) : null
    const { toldBy } = step
    const change = sealChange({ ...bare, evidence, ...(toldBy && { actor: `import:${toldBy}` }) })
    changes.push(change)
    before = settle(step.order, change)
    step = nextStep(roll, before)
  }
  return changes
}

function newcomer(roll: Dice, index: number): OrderRecord {
  const { protocolId: _, token: __, hidden: ___, ...order } = orderOf(roll, index)
  const shared = roll.chance(0.4) ? roll.below(SHARED_OUTPUTS) : SHARED_OUTPUTS + index
  const at = new Date(START + roll.below(20 * 86_400_000)).toISOString()
  const isRefused = roll.chance(0.05)
  return {
    ...order,
    outpoint: toOutpointText(`${hash(`sold output ${shared}`)}:0`),
    assets: order.assets.map((asset, n) => ({
      ...asset,
      inscriptionId: `${hash(`sold inscription ${shared} ${n}`)}i0`,
    })),
    ...(roll.chance(0.25) && { side: 'BID' as const }),
    ...(roll.chance(0.8) ? { protocolId: roll.of(['inscriptions', 'brc20']) } : {}),
    ...(roll.chance(0.7) ? { token: roll.of(TOKENS) } : {}),
    ...(order.quotedPriceSats === undefined
      ? {}
      : { quotedPriceSats: roll.chance(0.05) ? '2100000000000000' : String(roll.below(60)) }),
    state: isRefused ? 'REJECTED' : 'PENDING_NODE',
    reason: isRefused ? 'unsupported' : 'awaiting_verification',
    createdAt: at,
    updatedAt: at,
  }
}

/** What happens to an order next. */
function nextStep(roll: Dice, now: OrderRecord): Step {
  const order = later(roll, now)
  if (roll.chance(0.15)) return noted(roll, order)
  switch (now.state) {
    case 'MEMPOOL_CONFLICTED':
      return fromConflict(roll, order)
    case 'SETTLED':
    case 'SPENT':
      return fromSpent(roll, order)
    case 'WITHDRAWN':
      return noted(roll, order)
    default:
      return fromUnspent(roll, order)
  }
}

const later = (roll: Dice, order: OrderRecord): OrderRecord => ({
  ...order,
  updatedAt: new Date(
    Date.parse(order.updatedAt) + (roll.chance(0.2) ? 0 : roll.below(9 * 3_600_000)),
  ).toISOString(),
})

/** Nothing of its state: another source, another label, hidden or shown again. */
function noted(roll: Dice, order: OrderRecord): Step {
  const { token: _, hidden, ...rest } = order
  const { hidden: __, ...shown } = order
  const isVerdict = false
  const kind = roll.below(4)
  if (kind === 0) return { order: { ...rest, ...(hidden && { hidden }) }, isVerdict }
  if (kind === 1)
    return {
      order: hidden ? shown : { ...order, hidden: { hiddenAt: order.updatedAt } },
      isVerdict,
    }
  const [first] = order.sources
  const toldBy = roll.of(SOURCES)
  if (order.sources.length >= SOURCES_KEPT)
    return { order: { ...order, sourcesDropped: order.sourcesDropped + 1 }, isVerdict, toldBy }
  const told = { ...first!, source: toldBy, observedAt: order.updatedAt }
  return { order: { ...order, sources: [...order.sources, told] }, isVerdict, toldBy }
}

const fromUnspent = (roll: Dice, order: OrderRecord): Step => {
  const kind = roll.below(10)
  if (kind < 4) return verdict(order, 'LIVE', 'verified')
  if (kind < 5) return verdict(order, 'REJECTED', roll.of(REFUSED))
  if (kind < 6) return verdict(order, 'PENDING_ASSET', 'output_unconfirmed')
  if (kind < 7) return { order: moved(order, 'WITHDRAWN', 'withdrawn_by_seller'), isVerdict: false }
  return { order: spentBy(order, spenderOf(roll), roll.chance(0.5)), isVerdict: roll.chance(0.3) }
}

function fromConflict(roll: Dice, order: OrderRecord): Step {
  const isVerdict = roll.chance(0.3)
  const kind = roll.below(10)
  if (kind < 2) return verdict(unspent(order), 'LIVE', 'verified')
  const txid = kind < 5 ? spenderOf(roll) : (order.spend?.txid ?? toTxid(spenderOf(roll)))
  return { order: spentBy(order, txid, kind >= 5), isVerdict }
}

/** Reorgs: the spender is in the mempool again, another one is in the block, or there is none. */
function fromSpent(roll: Dice, order: OrderRecord): Step {
  const isVerdict = roll.chance(0.3)
  const txid = order.spend?.txid ?? spenderOf(roll)
  const kind = roll.below(10)
  if (kind < 3) return { order: spentBy(order, txid, false), isVerdict }
  if (kind < 5) return { order: spentBy(order, spenderOf(roll), true), isVerdict }
  if (kind < 7) return verdict(unspent(order), 'LIVE', 'verified')
  return noted(roll, order)
}

const moved = (order: OrderRecord, state: OrderRecord['state'], reason: string): OrderRecord => ({
  ...order,
  state,
  reason,
})

const verdict = (order: OrderRecord, state: OrderRecord['state'], reason: string): Step => ({
  order: { ...moved(order, state, reason), verifiedAt: order.updatedAt },
  isVerdict: true,
})

/** The payout of every second of these transactions is exact. */
const isExact = (txid: string): boolean => Number.parseInt(txid.slice(0, 2), 16) % 2 === 0
const spenderOf = (roll: Dice): Txid => toTxid(roll.hex(32))

function unspent(order: OrderRecord): OrderRecord {
  const { settlement: _, ...rest } = order
  return { ...rest, spend: null }
}

function spentBy(order: OrderRecord, txid: Txid, isConfirmed: boolean): OrderRecord {
  const { settlement, ...rest } = order
  const height = 900_000 + Math.floor((Date.parse(order.updatedAt) - START) / 600_000)
  const time = Math.floor(Date.parse(order.updatedAt) / 1_000)
  const block = isConfirmed ? { ...blockAt(height, order.updatedAt), time } : null
  const isSale = isExact(txid)
  return {
    ...rest,
    state: block ? (isSale ? 'SETTLED' : 'SPENT') : 'MEMPOOL_CONFLICTED',
    reason: block ? (isSale ? 'settled' : 'spent') : `mempool_conflict ${txid}`,
    spend: { txid, inputIndex: 0, unsignedTxid: txid, pairedOutput: null, block },
    ...(isSale && {
      settlement: {
        txid,
        observedAt: settlement?.txid === txid ? settlement.observedAt : order.updatedAt,
        confirmations: block ? 1 : 0,
        ...(block && { confirmedAt: new Date(block.time * 1_000).toISOString() }),
      },
    }),
  }
}

/** The value of an output never differs; the node may be unavailable, or no longer have it. */
function evidenceOf(roll: Dice, order: OrderRecord): Evidence {
  const valueSats = String(330 + (Number.parseInt(order.outpoint.slice(0, 2), 16) % 100))
  const output = { valueSats, scriptHex: '51' }
  const tip = { ...blockAt(900_000), medianTime: 1_767_225_600 }
  const node: Evidence['node'] = roll.chance(0.2)
    ? { status: 'unavailable', reason: 'node_unavailable' }
    : {
        status: 'ready',
        tip,
        output: roll.chance(0.5)
          ? { status: 'unspent', output, coinbase: false, block: null, priorMedianTime: null }
          : {
              status: 'spent',
              confirmed: true,
              output: roll.chance(0.5) ? output : null,
              block: null,
              by: null,
            },
        funding: [],
        signatures: [],
      }
  return {
    begunAt: null,
    mempoolSequence: null,
    askedAt: order.updatedAt,
    answeredAt: order.updatedAt,
    node,
    index: { status: 'unavailable', reason: 'asset_index_unreachable' },
  }
}
