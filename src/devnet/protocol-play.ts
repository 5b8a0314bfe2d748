import { createHash } from 'node:crypto'
import { outpointText, parseOutpoint } from '../domain/chain/outpoint.ts'
import type { FullNode } from '../ports/authorities/full-node.ts'
import type { OutpointText, Txid } from '../schemas/scalars.ts'
import type { Payment } from './node/miner.ts'
import {
  type CircleMember,
  circleTransaction,
  closingTransaction,
} from './people/circle-transactions.ts'
import {
  createMarker,
  moveObjects,
  pairObjects,
  releaseObjects,
  unpairObject,
} from './people/object-transactions.ts'
import { type Account, accountOf, type WalletCoin } from './people/wallet.ts'

const CARRIER_SATS = 50_000n
const MEMBER_SATS = 50_000n
export const LEAST_MEMBERS = 2
export const MAX_PLAYED_MEMBERS = 16

/** The chain to play on. */
export interface PlayedChain {
  node: Pick<FullNode, 'output'>
  /** Pays these outputs, a transaction's first ones; in a block when it resolves. The txid. */
  pay(outputs: readonly Payment[]): Promise<Txid>
  /** Broadcasts, and mines a block. The txid. */
  confirm(hex: string): Promise<Txid>
}

/** Throws for an output that it did not make. */
export function playedOutput({ txid, outpoints }: Played, at = 0): OutpointText {
  const outpoint = outpoints[at]
  if (outpoint === undefined) throw new RangeError(`${txid} made no output ${at} of a protocol`)
  return outpoint
}

/** The transaction made, already in a block, and its relevant outputs, `txid:vout`. */
export interface Played {
  txid: Txid
  outpoints: OutpointText[]
}

/**
 * Makes and mines transactions of the pairing and circle protocols on a regtest: one holder has all
 * carriers, sixteen members join circles. Throws for an output that is not theirs, or is spent.
 */
export class ProtocolPlay {
  readonly #chain: PlayedChain
  readonly #magic: string
  #accounts: { holder: Account; members: readonly Account[] } | null = null

  constructor(chain: PlayedChain, magic: string) {
    this.#chain = chain
    this.#magic = magic
  }

  /** Created on first use: deriving all their keys takes a tenth of a second. */
  get #people() {
    this.#accounts ??= {
      holder: accountOf('olga', 'p2wsh-multisig'),
      members: Array.from({ length: MAX_PLAYED_MEMBERS }, (_, slot) =>
        accountOf(`member-${slot}`, 'p2tr'),
      ),
    }
    return this.#accounts
  }

  async createObject(label: string): Promise<Played> {
    const contentHash = createHash('sha256').update(label).digest()
    const script = createMarker(this.#magic, { vout: 0, contentHash, label })
    const txid = await this.#chain.pay([
      { script: Buffer.from(this.#people.holder.scriptHex, 'hex'), valueSats: CARRIER_SATS },
      { script, valueSats: 0n },
    ])
    return { txid, outpoints: [outpointText({ txid, vout: 0 })] }
  }

  async moveObjects(outpoints: readonly OutpointText[]): Promise<Played> {
    return this.#mined(moveObjects(this.#magic, await this.#held(outpoints)), outpoints.length)
  }

  async pairObjects(first: OutpointText, second: OutpointText): Promise<Played> {
    return this.#mined(pairObjects(this.#magic, await this.#held([first, second])), 2)
  }

  async unpairObject(outpoint: OutpointText): Promise<Played> {
    return this.#mined(unpairObject(this.#magic, await this.#held([outpoint])), 1)
  }

  async releaseObject(outpoint: OutpointText): Promise<Played> {
    return this.#mined(releaseObjects(await this.#held([outpoint])), 0)
  }

  /** A circle of this size: owners of the named shards continue, others begin a lineage each. */
  async circle(size: number, continued: readonly OutpointText[] = []): Promise<Played> {
    if (size < Math.max(LEAST_MEMBERS, continued.length) || size > MAX_PLAYED_MEMBERS) {
      throw new RangeError(
        `a circle has ${LEAST_MEMBERS} to ${MAX_PLAYED_MEMBERS} members, and all whose shards it continues`,
      )
    }
    const going = await Promise.all(continued.map((shard) => this.#memberAt(shard)))
    const taken = new Set(going.map(({ account }) => account))
    const free = this.#people.members.filter((account) => !taken.has(account))
    const fresh = await this.#joining(free.slice(0, size - going.length))
    const context = createHash('sha256').update(continued.join()).digest()
    return this.#mined(circleTransaction([...going, ...fresh], context), size)
  }

  /** Spends a shard outside of any circle. */
  async closeLineage(shard: OutpointText): Promise<Played> {
    return this.#mined(closingTransaction([await this.#memberAt(shard)]), 0)
  }

  async #mined(hex: string, outputs: number): Promise<Played> {
    const txid = await this.#chain.confirm(hex)
    const outpoints = Array.from({ length: outputs }, (_, vout) => outpointText({ txid, vout }))
    return { txid, outpoints }
  }

  async #held(outpoints: readonly OutpointText[]) {
    const carriers = await Promise.all(outpoints.map((outpoint) => this.#coinAt(outpoint)))
    const { holder } = this.#people
    const strange = carriers.find(({ scriptHex }) => scriptHex !== holder.scriptHex)
    if (strange)
      throw new RangeError(`${outpointText(strange.outpoint)} is not a carrier of the devnet`)
    return { holder, carriers }
  }

  async #memberAt(shard: OutpointText): Promise<CircleMember> {
    const coin = await this.#coinAt(shard)
    const account = this.#people.members.find(({ scriptHex }) => scriptHex === coin.scriptHex)
    if (!account) throw new RangeError(`${shard} is not a shard of the devnet`)
    return { account, coin }
  }

  /** A new coin for each account. */
  async #joining(accounts: readonly Account[]): Promise<CircleMember[]> {
    if (accounts.length === 0) return []
    const txid = await this.#chain.pay(
      accounts.map(({ scriptHex }) => ({
        script: Buffer.from(scriptHex, 'hex'),
        valueSats: MEMBER_SATS,
      })),
    )
    return accounts.map((account, vout) => {
      const { scriptHex } = account
      const coin = { outpoint: { txid, vout }, scriptHex, valueSats: MEMBER_SATS.toString() }
      return { account, coin }
    })
  }

  async #coinAt(text: OutpointText): Promise<WalletCoin> {
    const outpoint = parseOutpoint(text)
    const answer = await this.#chain.node.output(outpoint)
    if (answer.status !== 'unspent') throw new RangeError(`${text} is not an unspent output`)
    return { outpoint, ...answer.output }
  }
}
