import type { Outpoint } from '../../../src/schemas/scalars.ts'
import type { SellerCoin } from '../chain/seller-coins.ts'
import { FEED_ATTACKS } from './attacks/feeds.ts'
import { FLOODS } from './attacks/floods.ts'
import { PURCHASE_ATTACKS } from './attacks/purchases.ts'
import { READ_ATTACKS } from './attacks/reads.ts'
import { SOCKET_ATTACKS } from './attacks/sockets.ts'
import type { HonestAct, LiveListing } from './honest-market.ts'
import type { RogueFeeds } from './rogue-feeds.ts'
import type { Limit, Stranger, Tally } from './stranger.ts'

/** What strangers see of the market, and what they own. */
export interface StrangersWorld {
  address: string
  /** Of honest sellers. */
  listed: LiveListing[]
  /** Somebody else's, which is offered nowhere. */
  victim: SellerCoin
  /** Coins of a stranger's own. */
  own: SellerCoin[]
  /** An output with more inscriptions than anybody looks at, its owner's seed with it. */
  crowded: SellerCoin
  /** Outputs that need their previous transaction in a PSBT. */
  legacy: Outpoint[]
}

export interface Attack {
  name: string
  /** What it sends in the short form, at most. */
  limit: Limit
  /** Honest acts whose allowance for everybody it uses up: these may be put off, with Retry-After. */
  putsOff?: readonly HonestAct[]
  run(stranger: Stranger, world: StrangersWorld, feeds: RogueFeeds): Promise<void>
}

export const ATTACKS: readonly Attack[] = [
  ...FLOODS,
  ...PURCHASE_ATTACKS,
  ...READ_ATTACKS,
  ...SOCKET_ATTACKS,
  ...FEED_ATTACKS,
]

export type StrangersSkills = {
  /** Where the relay and the offers server of the strangers are. */
  feeds(): Promise<{ relay: string; offers: string }>
  open(world: StrangersWorld): void
  attack(name: string, scale: number): Promise<Tally>
}
