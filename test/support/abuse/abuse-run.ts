import { setTimeout as delay } from 'node:timers/promises'
import type { Program } from '../bundle.ts'
import { inscribe } from '../chain/inscriptions.ts'
import { walletOf } from '../chain/keys.ts'
import { fundSellers, type SellerCoin } from '../chain/seller-coins.ts'
import { coinOf, openWallet, txOut, type Wallet } from '../chain/wallet.ts'
import type { Abused } from './abuse-table.ts'
import { AbusedService } from './abused-service.ts'
import type { StrangersSkills } from './attacks.ts'
import type { HonestReport, HonestSkills } from './honest-market.ts'
import { openParty, type Party } from './party.ts'
import type { Sizes } from './sizes.ts'

const NICENESS = 10
const BUYERS = 8
const OWN = 12
const LEGACY = 60
const CROWD = 300
const LISTED = 40
/** After an attack: honest work goes on meanwhile. */
const AFTERMATH_MS = 1_000

interface Reading {
  atMs: number
  sizes: Sizes
  node: number
  index: number
}

/** Honest people and strangers at one service on real parts. */
export class AbuseRun {
  readonly service: AbusedService
  readonly honest: Party<HonestSkills>
  readonly strangers: Party<StrangersSkills>
  readonly victim: SellerCoin
  /** Like the victim's, and nobody sends anything about it. */
  readonly unharmed: SellerCoin
  readonly buyers: readonly SellerCoin[]
  /** What honest people met while there were no strangers. */
  idle: HonestReport = { answersMs: {}, putOff: {}, late: {}, wrong: [] }
  #idlePerMs = { kept: 0, node: 0, index: 0 }

  static async open(program: Program, sellers: number): Promise<AbuseRun> {
    const strangers = openParty<StrangersSkills>('strangers', NICENESS)
    const honest = openParty<HonestSkills>('honest')
    const { relay, offers } = await strangers.feeds()
    const service = await AbusedService.open({
      program,
      variables: { NOSTR_RELAYS: relay, OFFERS_URL: offers, OFFERS_POLL_MS: '1000' },
    })
    try {
      const { chain } = service
      const miner = await openWallet(chain, 12)
      const coins = await fundSellers(chain, miner, 2 + BUYERS + OWN + sellers)
      const crowded = await crowdedCoin(service, miner)
      const legacy = await legacyOutputs(service, miner)
      await chain.mine(1)
      await chain.syncIndex()
      await service.start()
      const [victim, unharmed] = coins.splice(0, 2)
      if (!victim || !unharmed) throw new Error('the owners have no coins')
      const [buyers, own] = [coins.splice(0, BUYERS), coins.splice(0, OWN)]
      const { address } = service
      await honest.open({ address, buyers, sellers: coins })
      const run = new AbuseRun(service, { honest, strangers }, { victim, unharmed, buyers })
      await run.#restUntilListed()
      const listed = await honest.listed(LISTED)
      await strangers.open({ address, listed, victim, own, crowded, legacy })
      return run
    } catch (error) {
      await Promise.all([honest.end(), strangers.end(), service.close()])
      throw error
    }
  }

  private constructor(
    service: AbusedService,
    { honest, strangers }: Pick<AbuseRun, 'honest' | 'strangers'>,
    { victim, unharmed, buyers }: Pick<AbuseRun, 'victim' | 'unharmed' | 'buyers'>,
  ) {
    this.service = service
    this.honest = honest
    this.strangers = strangers
    this.victim = victim
    this.unharmed = unharmed
    this.buyers = buyers
  }

  /** What honest work alone takes and leaves. */
  async measureIdle(ms: number): Promise<void> {
    await this.honest.report()
    const before = await this.#read()
    await delay(ms)
    const after = await this.#read()
    this.idle = await this.honest.report()
    const took = after.atMs - before.atMs
    this.#idlePerMs = {
      kept: (keptOf(after) - keptOf(before)) / took,
      node: (after.node - before.node) / took,
      index: (after.index - before.index) / took,
    }
  }

  /** One attack beside honest work. */
  async suffer(attack: string, scale: number): Promise<Abused & { aftermath: HonestReport }> {
    await this.service.chain.mine(1)
    await this.honest.report()
    const before = await this.#read()
    const tally = await this.strangers.attack(attack, scale)
    const after = await this.#read()
    const honest = await this.honest.report()
    await delay(AFTERMATH_MS)
    const aftermath = await this.honest.report()
    const took = after.atMs - before.atMs
    const above = (grown: number, perMs: number) => Math.max(0, grown - perMs * took)
    return {
      attack,
      tally,
      honest,
      aftermath,
      keptBytes: above(keptOf(after) - keptOf(before), this.#idlePerMs.kept),
      nodeCalls: above(after.node - before.node, this.#idlePerMs.node),
      indexCalls: above(after.index - before.index, this.#idlePerMs.index),
      sizes: after.sizes,
    }
  }

  async close(): Promise<void> {
    await Promise.all([this.honest.end(), this.strangers.end()])
    await this.service.close()
  }

  async #read(): Promise<Reading> {
    const { node, index } = this.service
    const sizes = await this.service.sizes()
    return { atMs: performance.now(), sizes, node: node.asked(), index: index.asked() }
  }

  async #restUntilListed(): Promise<void> {
    await this.honest.work()
    while ((await this.honest.listed(LISTED)).length < LISTED / 4) await delay(500)
  }
}

const keptOf = ({ sizes: { kafka, redis, lmdb } }: Reading): number => kafka + redis + lmdb

/** An inscription's output that holds far more of them than anybody looks at. */
async function crowdedCoin({ chain }: AbusedService, miner: Wallet): Promise<SellerCoin> {
  const seed = 'crowded'
  const wallet = walletOf('p2wpkh', seed)
  const crowd = Array.from({ length: CROWD }, (_, n) => ({ body: `${n}` }))
  const { coin } = await inscribe(chain, miner, txOut(wallet.scriptHex, 10_000n), crowd)
  return { ...coin, seed, wallet }
}

async function legacyOutputs({ chain }: AbusedService, miner: Wallet) {
  const outputs = Array.from({ length: LEGACY }, () =>
    txOut(`76a914${'22'.repeat(20)}88ac`, 10_000n),
  )
  const paid = miner.pay(outputs, 50_000n)
  await chain.submit(paid.toHex())
  return outputs.map((_, vout) => coinOf(paid, vout).outpoint)
}
