import { setTimeout as delay } from 'node:timers/promises'
import type { Program } from '../bundle.ts'
import { inscribe } from '../chain/inscriptions.ts'
import { walletOf } from '../chain/keys.ts'
import { fundSellers, type SellerCoin } from '../chain/seller-coins.ts'
import { coinOf, openWallet, txOut, type Wallet } from '../chain/wallet.ts'
import type { Abused } from './abuse-table.ts'
import { AbusedService } from './abused-service.ts'
import type { StrangersSkills } from './attacks.ts'
import {
  emptyReport,
  type HonestReport,
  type HonestSkills,
  joinedReports,
  type ReaderSkills,
} from './honest-market.ts'
import { openParty, type Party } from './party.ts'
import type { Sizes } from './sizes.ts'

const BUYERS = 8
const OWN = 12
const LEGACY = 60
const CROWD = 300
const LISTED = 40
/** The newest idle reads, which an attack is compared with: half a minute of them. */
const IDLE_READS = 750

interface Reading {
  atMs: number
  sizes: Sizes
  node: number
  index: number
}

/** Honest clients and strangers at one service on real parts. */
export class AbuseRun {
  readonly service: AbusedService
  readonly honest: Party<HonestSkills>
  readonly readers: Party<ReaderSkills>
  readonly strangers: Party<StrangersSkills>
  readonly victim: SellerCoin
  /** Like the victim's, but never attacked. */
  readonly unharmed: SellerCoin
  readonly buyers: readonly SellerCoin[]
  /** What honest clients saw while no attack ran. */
  idle: HonestReport = emptyReport()
  /** What honest work alone wrote and requested, and over what time. */
  readonly #alone = { ms: 0, kept: 0, node: 0, index: 0 }

  static async open(program: Program, sellers: number): Promise<AbuseRun> {
    // In production they have machines of their own.
    const strangers = openParty<StrangersSkills>('strangers', true)
    const honest = openParty<HonestSkills>('honest')
    const readers = openParty<ReaderSkills>('readers')
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
      await Promise.all([honest.open({ address, buyers, sellers: coins }), readers.open(address)])
      const parties = { honest, readers, strangers }
      const run = new AbuseRun(service, parties, { victim, unharmed, buyers })
      await run.#workUntilListed()
      const listed = await honest.listed(LISTED)
      await strangers.open({ address, listed, victim, own, crowded, legacy })
      return run
    } catch (error) {
      await Promise.all([honest, readers, strangers].map((party) => party.end()))
      await service.close()
      throw error
    }
  }

  private constructor(
    service: AbusedService,
    { honest, readers, strangers }: Pick<AbuseRun, 'honest' | 'readers' | 'strangers'>,
    { victim, unharmed, buyers }: Pick<AbuseRun, 'victim' | 'unharmed' | 'buyers'>,
  ) {
    this.service = service
    this.honest = honest
    this.readers = readers
    this.strangers = strangers
    this.victim = victim
    this.unharmed = unharmed
    this.buyers = buyers
  }

  /**
   * What honest work alone takes and stores, with a block at the beginning, as an attack has one.
   */
  async measureIdle(ms: number): Promise<void> {
    await this.#begin()
    const before = await this.#read()
    await delay(ms)
    const after = await this.#read()
    this.idle = joinedReports(this.idle, await this.#report())
    this.#alone.ms += after.atMs - before.atMs
    this.#alone.kept += keptOf(after) - keptOf(before)
    this.#alone.node += after.node - before.node
    this.#alone.index += after.index - before.index
  }

  /** One attack during honest work, between that work alone for `beforeMs` and for `afterMs`. */
  async suffer(
    attack: string,
    scale: number,
    { beforeMs, afterMs }: { beforeMs: number; afterMs: number },
  ): Promise<Abused & { aftermath: HonestReport }> {
    await this.measureIdle(beforeMs)
    await this.#begin()
    const before = await this.#read()
    const tally = await this.strangers.attack(attack, scale)
    const after = await this.#read()
    const honest = await this.#report()
    await delay(afterMs)
    const aftermath = await this.#report()
    const took = after.atMs - before.atMs
    const above = (grown: number, alone: number) =>
      Math.max(0, grown - (alone / this.#alone.ms) * took)
    return {
      attack,
      tally,
      honest,
      idleReadsMs: (this.idle.answersMs.read ?? []).slice(-IDLE_READS),
      aftermath,
      keptBytes: above(keptOf(after) - keptOf(before), this.#alone.kept),
      nodeCalls: above(after.node - before.node, this.#alone.node),
      indexCalls: above(after.index - before.index, this.#alone.index),
      sizes: after.sizes,
    }
  }

  /** Stops the honest clients. */
  async rest(): Promise<void> {
    await Promise.all([this.honest.rest(), this.readers.rest()])
  }

  async close(): Promise<void> {
    await Promise.all([this.honest, this.readers, this.strangers].map((party) => party.end()))
    await this.service.close()
  }

  /** Counts what honest clients see from zero again. */
  async #begin(): Promise<void> {
    await this.service.chain.mine(1)
    await this.#follow()
    await this.#report()
  }

  async #report(): Promise<HonestReport> {
    const [honest, readers] = await Promise.all([this.honest.report(), this.readers.report()])
    return joinedReports(honest, readers)
  }

  async #follow(): Promise<void> {
    const listed = await this.honest.listed(LISTED)
    await this.readers.follow(listed.map(({ id }) => id))
  }

  async #read(): Promise<Reading> {
    const { node, index } = this.service
    const sizes = await this.service.sizes()
    return { atMs: performance.now(), sizes, node: node.asked(), index: index.asked() }
  }

  async #workUntilListed(): Promise<void> {
    await this.honest.work()
    while ((await this.honest.listed(LISTED)).length < LISTED / 4) await delay(500)
    await this.#follow()
    await this.readers.work()
  }
}

const keptOf = ({ sizes: { kafka, redis, lmdb } }: Reading): number => kafka + redis + lmdb

/** The output of an inscription that holds far more inscriptions than are ever listed. */
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
