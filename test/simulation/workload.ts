import type { OfferClaim } from '../../src/schemas/order-record.ts'
import type { OutpointText } from '../../src/schemas/scalars.ts'
import { toOutpointText } from '../support/ids.ts'
import { hash } from '../support/orders/evidence.ts'
import { bidPayouts, FUNDING, inscriptionIn, type Listing, OFFERED, type Terms } from './book.ts'
import { NOBODY } from './chain.ts'
import type { Gateway } from './gateway.ts'
import type { Service } from './service.ts'
import type { SimTransaction } from './transactions.ts'
import type { World } from './world.ts'

/** What people and the chain do, with frequencies. */
const MOVES = {
  list: 60,
  fund: 14,
  'list again': 16,
  'list before it is there': 4,
  'stranger offers what is not his': 14,
  'stranger names a known order': 8,
  'stranger sends what cannot be sold': 3,
  'send another wrapper': 5,
  revalidate: 4,
  withdraw: 2,
  buy: 16,
  'spend elsewhere': 5,
  'take funding away': 4,
  replace: 5,
  evict: 3,
  mine: 16,
  'mine what nobody saw': 2,
} as const
type Move = keyof typeof MOVES

const NEVER_THERE = 0.04
const FUNDED_AT_ONCE = 5
/** Outputs that may wait to be offered. */
const IDLE_OUTPUTS = 12

/** Names of the strangers. */
const STRANGERS = 6
const MAX_AT_ONCE = 5
/** What is offered too early is made within this time. */
const UNBORN_MS = 4 * 60_000

/** The life of a book of orders: who lists, buys, withdraws, and what happens on the chain. */
export class Workload {
  readonly #world: World
  readonly #service: Service
  readonly #gateway: Gateway
  readonly #orders: number
  /** Outputs that are not offered yet. */
  readonly #idle: OutpointText[] = []
  readonly #funding: OutpointText[] = []
  #favourite: OutpointText | null = null

  constructor(world: World, service: Service, gateway: Gateway, orders: number) {
    this.#world = world
    this.#service = service
    this.#gateway = gateway
    this.#orders = orders
  }

  get isListed(): boolean {
    return this.#world.book.listings.length >= this.#orders
  }

  move(): void {
    const { dice, scheduler } = this.#world
    const move = dice.of(WEIGHTED)
    scheduler.trace(move)
    this.#moves[move]()
  }

  readonly #moves: Record<Move, () => void> = {
    list: () => this.#list(),
    fund: () => this.#fund(),
    'list again': () => {
      const outpoint = this.#favoured()
      if (outpoint !== undefined && !this.isListed) this.#offer(outpoint)
    },
    'list before it is there': () => this.#listUnborn(),
    'stranger offers what is not his': () => this.#strangersOffer(),
    'stranger names a known order': () => {
      const { dice } = this.#world
      const listing = this.#some()
      if (!listing) return
      const claim = this.#wrapped(listing, dice.chance(0.5))
      const labels = dice.of([{}, { token: 'JUNK' }, { protocolId: 'junk', token: 'JUNK' }])
      this.#gateway.bring({ ...claim, ...labels }, this.#stranger())
    },
    'stranger sends what cannot be sold': () => {
      const listing = this.#some()
      if (!listing) return
      const { inspection, ...claim } = this.#wrapped(listing, true)
      const refused = { ...inspection, orderClass: 'UNSUPPORTED' as const, reasons: ['sighash'] }
      this.#gateway.bring({ ...claim, inspection: refused }, this.#stranger())
    },
    'send another wrapper': () => {
      const { dice } = this.#world
      const listing = this.#some()
      if (listing) this.#import(listing, dice.chance(0.4))
    },
    revalidate: () => {
      const listing = this.#some()
      if (listing) this.#gateway.send(listing.orderId, listing.outpoint, { command: 'revalidate' })
    },
    withdraw: () => {
      const listing = this.#some()
      const by = this.#world.dice.of(['seller', 'operator'] as const)
      if (listing)
        this.#gateway.send(listing.orderId, listing.outpoint, { command: 'withdraw', by })
    },
    buy: () => this.#buy(),
    'spend elsewhere': () => {
      const listing = this.#open()
      if (listing) this.#enter(this.#spending([listing.outpoint]))
    },
    'take funding away': () => {
      const { dice, chain, book } = this.#world
      const funding = book.listings.flatMap(({ bid }) => bid?.funding ?? [])
      const free = funding.filter((outpoint) => chain.stateOf(outpoint) === 'unspent')
      if (free.length === 0) return
      const spending = this.#spending([dice.of(free)])
      if (dice.chance(0.2) && !chain.isRewound) chain.mine([spending])
      else this.#enter(spending)
    },
    replace: () => {
      const { dice, chain } = this.#world
      const claimed = this.#world.book.listings.filter(({ outpoint }) => chain.claimerOf(outpoint))
      if (claimed.length > 0) this.#enter(this.#spending([dice.of(claimed).outpoint]))
    },
    evict: () => {
      const { dice, chain } = this.#world
      const waiting = [...chain.mempool.keys()]
      if (waiting.length > 0) chain.evict(dice.of(waiting))
    },
    mine: () => this.mine(0.8),
    'mine what nobody saw': () => {
      const { chain } = this.#world
      const listing = this.#open()
      if (listing && !chain.isRewound) chain.mine([this.#spending([listing.outpoint])])
    },
  }

  /** A block with this share of the mempool; the index follows a little later. */
  mine(share: number): void {
    const { chain, dice, index, scheduler } = this.#world
    if (chain.isRewound) return
    chain.mine([...chain.mempool.values()].filter(() => dice.chance(share)))
    scheduler.after(dice.below(6_000), 'the index follows', () => index.sync())
  }

  // ---- orders

  #list(): void {
    const { dice } = this.#world
    if (this.isListed) return
    if (this.#idle.length < 2) this.#fund()
    const isNever = dice.chance(NEVER_THERE)
    const outpoint = isNever
      ? toOutpointText(`${hash(`never ${dice.hex(8)}`)}:0`)
      : this.#idle.shift()
    if (outpoint !== undefined) this.#offer(outpoint)
  }

  #offer(outpoint: OutpointText, isBrought = this.#world.dice.chance(0.4)): Listing {
    const { book, dice, chain, index } = this.#world
    const n = book.listings.length
    const price = 20_000 + n
    const funding = dice.chance(0.12) ? this.#funding.shift() : undefined
    const known = book.listings.find((listing) => listing.outpoint === outpoint)
    const claimed = dice.chance(0.9) ? 'held' : 'absent'
    const asset = known?.asset ?? (dice.chance(0.5) ? 'none' : claimed)
    const terms: Terms = {
      outpoint,
      isSigned: dice.chance(0.93),
      isTruthful: dice.chance(0.95),
      asset,
      lockedUntil:
        funding === undefined && dice.chance(0.06) ? chain.tip.height + dice.below(30) : null,
      payout: { valueSats: String(price), scriptHex: OFFERED.scriptHex },
      bid:
        funding === undefined
          ? null
          : { transaction: chain.make([outpoint, funding], bidPayouts(price)), funding },
      isBrought,
    }
    if (asset === 'held' && !known) index.inscriptions.set(outpoint, inscriptionIn(outpoint))
    chain.moments.watch(outpoint)
    if (terms.bid) chain.moments.watch(terms.bid.funding)
    const listing = book.add(terms)
    this.#import(listing, false)
    return listing
  }

  #import(listing: Listing, isBroken: boolean): void {
    const claim = this.#wrapped(listing, isBroken)
    if (listing.isBrought) {
      this.#gateway.bring(claim, 'seller')
      return
    }
    this.#gateway.send(listing.orderId, listing.outpoint, { command: 'import', claim })
  }

  #wrapped(listing: Listing, isBroken: boolean): OfferClaim {
    const clock = this.#service.process('gateway')?.clock
    const at = new Date(clock?.now() ?? 0).toISOString()
    return this.#world.book.wrap(listing, at, isBroken)
  }

  // ---- strangers

  #stranger(): string {
    return `stranger ${this.#world.dice.below(STRANGERS)}`
  }

  /** Junk for another's output, or for one that never existed: a few at once. */
  #strangersOffer(): void {
    const { book, dice } = this.#world
    const known = this.#some()
    for (let left = 1 + dice.below(MAX_AT_ONCE); left > 0; left -= 1) {
      const outpoint =
        known && dice.chance(0.7)
          ? known.outpoint
          : toOutpointText(`${hash(`nothing ${dice.hex(8)}`)}:0`)
      const terms: Terms = {
        outpoint,
        isSigned: false,
        isTruthful: true,
        asset: 'none',
        lockedUntil: null,
        payout: { valueSats: String(dice.below(1_000_000)), scriptHex: NOBODY },
        bid: null,
        isBrought: true,
      }
      this.#world.chain.moments.watch(outpoint)
      this.#gateway.bring(this.#wrapped(book.addJunk(terms), false), this.#stranger())
    }
  }

  /** The seller is too early: the output is still unknown. */
  #listUnborn(): void {
    const { chain, dice, scheduler } = this.#world
    if (this.isListed || chain.isRewound) return
    const made = chain.make([this.#coin()], [OFFERED, OFFERED])
    const listing = this.#offer(toOutpointText(`${made.txid}:0`), true)
    scheduler.after(dice.below(UNBORN_MS), 'what was offered is made', () => {
      this.#enter(made)
      this.#import(listing, false)
    })
  }

  #some(): Listing | undefined {
    const { book, dice } = this.#world
    return book.listings.length > 0 ? dice.of(book.listings) : undefined
  }

  /** An output that its owner lists repeatedly, until it is spent. */
  #favoured(): OutpointText | undefined {
    const { chain, dice } = this.#world
    const state = this.#favourite && chain.stateOf(this.#favourite)
    const isOpen = state === 'unspent' || state === 'unconfirmed'
    if (!isOpen || dice.chance(0.1)) this.#favourite = this.#open()?.outpoint ?? null
    return this.#favourite ?? undefined
  }

  /** One whose output may be spent now. */
  #open(): Listing | undefined {
    const { chain, dice } = this.#world
    for (let tries = 0; tries < 4; tries += 1) {
      const listing = this.#some()
      if (!listing) return undefined
      const state = chain.stateOf(listing.outpoint)
      // Unconfirmed ones less often: a sale before the first block is rare.
      if (state === 'unspent' || (state === 'unconfirmed' && dice.chance(0.3))) return listing
    }
    return undefined
  }

  // ---- transactions

  #fund(): void {
    const { chain, dice } = this.#world
    if (this.#idle.length > IDLE_OUTPUTS || chain.isRewound) return
    const outputs = Array.from({ length: 2 + dice.below(FUNDED_AT_ONCE) }, (_, at) =>
      at === 1 && dice.chance(0.4) ? FUNDING : OFFERED,
    )
    const made = chain.make([this.#coin()], outputs)
    this.#enter(made)
    for (const [vout, output] of outputs.entries())
      (output === FUNDING ? this.#funding : this.#idle).push(toOutpointText(`${made.txid}:${vout}`))
  }

  /** A coin that is never offered or spent: of a late block, so that reorgs may remove it. */
  #coin(): string {
    const { chain, dice } = this.#world
    for (;;) {
      const depth = dice.below(Math.min(chain.active.length, 12))
      const block = chain.at(chain.active[chain.active.length - 1 - depth] ?? '')
      const [coinbase] = block.transactions
      const free = coinbase?.outputs.findIndex(
        (_, vout) => chain.stateOf(`${coinbase.txid}:${vout}`) === 'unspent',
      )
      if (coinbase && free !== undefined && free >= 0) return `${coinbase.txid}:${free}`
      chain.mine([])
    }
  }

  #buy(): void {
    const { dice } = this.#world
    const listing = this.#open()
    if (!listing) return
    if (listing.bid) {
      this.#enter(listing.bid.transaction)
      return
    }
    // A buyer may sweep two, and pays each at the index of its input; or at the wrong one.
    const other = dice.chance(0.2) ? this.#open() : undefined
    const bought =
      other && !other.bid && other.outpoint !== listing.outpoint ? [listing, other] : [listing]
    const paid = dice.chance(0.1) ? bought.toReversed() : bought
    const outputs = paid.map(({ payout }) => payout)
    this.#enter(
      this.#world.chain.make(
        bought.map(({ outpoint }) => outpoint),
        outputs,
      ),
    )
  }

  #spending(outpoints: readonly string[]): SimTransaction {
    return this.#world.chain.make(outpoints, [{ valueSats: '777', scriptHex: NOBODY }])
  }

  #enter(transaction: SimTransaction): void {
    this.#world.chain.enter(transaction)
  }
}

const WEIGHTED = (Object.entries(MOVES) as [Move, number][]).flatMap(([move, weight]) =>
  Array.from({ length: weight }, () => move),
)
