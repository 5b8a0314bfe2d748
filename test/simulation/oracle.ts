import { type OutcomeRecord, TOPICS } from '../../src/schemas/log.ts'
import type { OrderRecord } from '../../src/schemas/order-record.ts'
import type { OrderState } from '../../src/schemas/scalars.ts'
import { inscriptionIn, type Listing } from './book.ts'
import { PARTITIONS, type World } from './world.ts'

const ALL = Number.MAX_SAFE_INTEGER

/**
 * I9: what each order must be, by the true state of the chain, the index and its wrappers. Written
 * independently of the verdict. Returns the differences.
 */
export function contradictions(world: World, orders: readonly OrderRecord[]): string[] {
  const asked = commandsDone(world)
  return orders.flatMap((order) => {
    const listing = world.book.of(order.id)
    if (world.monitor.room.gaveWay.has(order.id) && order.closedAt !== null) return []
    if (!listing) return [`${order.id} is nobody's order`]
    const expected = expectedOf(world, listing, asked.get(order.id) ?? NOTHING)
    const isRight = expected.includes(order.state)
    const what = `${order.id} is ${order.state} (${order.reason}), by the node it is ${expected.join(' or ')}`
    return isRight ? [] : [`${what}: ${order.outpoint} is ${world.chain.stateOf(order.outpoint)}`]
  })
}

interface Asked {
  isWithdrawn: boolean
  /** A wrapper with the seller's own signature was accepted. */
  hasGoodWrapper: boolean
}

const NOTHING: Asked = { isWithdrawn: false, hasGoodWrapper: false }

/** What the log accepted and reported. */
function commandsDone({ log, book, monitor }: World): Map<string, Asked> {
  const done = new Set<string>()
  for (let partition = 0; partition < PARTITIONS; partition += 1) {
    for (const { value } of log.range(TOPICS.lifecycle, partition, 0, ALL)) {
      const { requestId, outcome } = value as Partial<OutcomeRecord>
      if (requestId !== undefined && outcome?.status === 'done') done.add(requestId)
    }
  }
  const asked = new Map<string, Asked>()
  for (const command of monitor.commands) {
    if (!done.has(command.requestId)) continue
    const before = asked.get(command.orderId) ?? NOTHING
    const isGood = command.command === 'import' && book.isSigned(command.claim)
    asked.set(command.orderId, {
      isWithdrawn:
        before.isWithdrawn || (command.command === 'withdraw' && book.isByRight(command)),
      hasGoodWrapper: before.hasGoodWrapper || isGood,
    })
  }
  return asked
}

function expectedOf(world: World, listing: Listing, asked: Asked): OrderState[] {
  if (asked.isWithdrawn) return ['WITHDRAWN']
  const { chain } = world
  switch (chain.stateOf(listing.outpoint)) {
    case 'absent':
      return ['REJECTED']
    case 'claimed':
      return ['MEMPOOL_CONFLICTED']
    case 'spent':
      return [isPaid(world, listing) ? 'SETTLED' : 'SPENT']
    case 'unconfirmed':
      return [rulesOf(world, listing, asked) ?? 'PENDING_ASSET']
    case 'unspent':
      return [rulesOf(world, listing, asked) ?? assetsOf(world, listing)].flat()
  }
}

/** By the transaction that spent it: it paid at the index of its input, or is the bid itself. */
function isPaid({ chain }: World, { outpoint, payout, bid }: Listing): boolean {
  const spender = chain.spenderOf(outpoint)
  if (!spender) return false
  if (bid) return spender.txid === bid.transaction.txid
  const paid = spender.outputs[spender.inputs.indexOf(outpoint)]
  return paid?.valueSats === payout.valueSats && paid.scriptHex === payout.scriptHex
}

function rulesOf({ chain }: World, listing: Listing, { hasGoodWrapper }: Asked): OrderState | null {
  const { isTruthful, lockedUntil, bid } = listing
  const funding = bid && chain.stateOf(bid.funding)
  if (!isTruthful || !hasGoodWrapper) return 'REJECTED'
  if (funding !== null && funding !== 'unspent' && funding !== 'unconfirmed') return 'REJECTED'
  return lockedUntil !== null && chain.tip.height < lockedUntil ? 'PENDING_NODE' : null
}

function assetsOf({ index }: World, { outpoint, asset }: Listing): OrderState | OrderState[] {
  if (asset === 'none') return 'LIVE'
  const isHeld = index.inscriptions.get(outpoint) === inscriptionIn(outpoint)
  return isHeld ? 'LIVE' : 'REJECTED'
}
