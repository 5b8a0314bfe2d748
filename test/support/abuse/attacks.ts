import type { Outpoint } from '../../../src/schemas/scalars.ts'
import type { SellerCoin } from '../chain/seller-coins.ts'
import { CONNECTION_ATTACKS } from './attacks/connections.ts'
import { FEED_ATTACKS } from './attacks/feeds.ts'
import { FLOODS } from './attacks/floods.ts'
import { PURCHASE_ATTACKS } from './attacks/purchases.ts'
import { READ_ATTACKS } from './attacks/reads.ts'
import { ROUTE_ATTACKS } from './attacks/routes.ts'
import { SOCKET_ATTACKS } from './attacks/sockets.ts'
import type { HonestAct, LiveListing } from './honest-market.ts'
import type { RogueFeeds } from './rogue-feeds.ts'
import type { Limit, Stranger, Tally } from './stranger.ts'

/** What strangers know of the market, and what they own. */
export interface StrangersWorld {
  address: string
  /** Of honest sellers. */
  listed: LiveListing[]
  /** Owned by others, and offered nowhere. */
  victim: SellerCoin
  /** Coins of a stranger's own. */
  own: SellerCoin[]
  /** An output with more inscriptions than are ever listed, with its owner's seed. */
  crowded: SellerCoin
  /** Outputs that need their previous transaction in a PSBT. */
  legacy: Outpoint[]
}

export interface Attack {
  name: string
  /** The most that it sends in the short form. */
  limit: Limit
  /** Honest acts whose shared allowance it exhausts: these may be deferred with Retry-After. */
  putsOff?: readonly HonestAct[]
  /** Answers of 200 that the limit of its only client lets it have, which it reaches. */
  perMinute?: number
  run(stranger: Stranger, world: StrangersWorld, feeds: RogueFeeds): Promise<void>
}

export const ATTACKS: readonly Attack[] = [
  ...FLOODS,
  ...PURCHASE_ATTACKS,
  ...READ_ATTACKS,
  ...ROUTE_ATTACKS,
  ...SOCKET_ATTACKS,
  ...CONNECTION_ATTACKS,
  ...FEED_ATTACKS,
]

/** What holds connections, or what is given to them: afterwards all of it must be free again. */
export const HOLDING_ATTACKS: ReadonlySet<string> = new Set(
  [...SOCKET_ATTACKS, ...CONNECTION_ATTACKS].map(({ name }) => name),
)

export type StrangersSkills = {
  /** Addresses of the strangers' relay and offers server. */
  feeds(): Promise<{ relay: string; offers: string }>
  open(world: StrangersWorld): void
  attack(name: string, scale: number): Promise<Tally>
}
