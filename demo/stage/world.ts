import { ProtocolPlay } from '../../src/devnet/protocol-play.ts'
import type { Inscription } from '../../src/ports/authorities/asset-index.ts'
import type { Outpoint, Txid } from '../../src/schemas/scalars.ts'
import type { WebhookEvent } from '../../src/schemas/webhooks/webhook-api.ts'
import { type ChainDriver, TransactionRefusedError } from '../../test/support/chain/chain-driver.ts'
import { inscribe } from '../../test/support/chain/inscriptions.ts'
import type { Wallet } from '../../test/support/chain/keys.ts'
import { type Coin, coinOf, type Wallet as Miner, txOut } from '../../test/support/chain/wallet.ts'
import type { BuyerCoin } from '../../test/support/market/buyer.ts'
import type { Market } from '../../test/support/market/market.ts'
import type { Hook } from './hook.ts'
import { UnexpectedError } from './stage.ts'

/** A chain, and the service over it. */
export interface WorldParts {
  /** "the built-in devnet", "Bitcoin Core and ord". */
  title: string
  /** What each part is, for the title page. */
  parts: readonly (readonly [part: string, what: string])[]
  chain: ChainDriver
  /** Has the coins that everyone starts with. */
  miner: Miner
  market: Pick<Market, 'address' | 'get' | 'post' | 'end'>
  hook: Hook
}

/** PAIRING_MAGIC's default. */
const MAGIC = 'PAIR'

export interface Inscribed {
  inscriptionId: string
  coin: Coin
}

/** What happens outside the service: coins, inscriptions, blocks. */
export class World {
  readonly #parts: WorldParts
  #closed: Promise<void> | undefined

  constructor(parts: WorldParts) {
    this.#parts = parts
  }

  get title(): string {
    return this.#parts.title
  }

  get parts(): WorldParts['parts'] {
    return this.#parts.parts
  }

  get market(): WorldParts['market'] {
    return this.#parts.market
  }

  /** What the service has sent to the other party's server. */
  webhooks(): WebhookEvent[] {
    return this.#parts.hook.received().map(({ event }) => event)
  }

  /** Blocks with what the mempool holds; returns when the index has seen them. */
  async mine(blocks = 1): Promise<void> {
    await this.#parts.chain.mine(blocks)
    await this.#parts.chain.syncIndex()
  }

  /** An inscription at this offset of a confirmed output of its owner's. */
  async inscribe(owner: Wallet, postage: bigint, body: string, offset = 0): Promise<Inscribed> {
    const { chain, miner } = this.#parts
    const spec = offset === 0 ? { body } : { body, pointer: offset }
    const { ids, coin } = await inscribe(chain, miner, txOut(owner.scriptHex, postage), [spec])
    await this.mine()
    return { inscriptionId: ids[0] ?? '', coin }
  }

  /** Confirmed coins of these values. */
  async coins(wallet: Wallet, values: readonly bigint[]): Promise<BuyerCoin[]> {
    const { chain, miner } = this.#parts
    const funding = miner.pay(values.map((value) => txOut(wallet.scriptHex, value)))
    await chain.submit(funding.toHex())
    await this.mine()
    return values.map((_, vout) => ({ ...coinOf(funding, vout), wallet }))
  }

  /** Transactions of the pairing and circle protocols, in blocks. */
  get play(): ProtocolPlay {
    const { chain, miner } = this.#parts
    const confirm = async (hex: string) => {
      const txid = await this.broadcast(hex)
      await this.mine()
      return txid
    }
    const pay = (outputs: readonly { script: Uint8Array; valueSats: bigint }[]) => {
      const funding = outputs.map(({ script, valueSats }) =>
        txOut(Buffer.from(script).toString('hex'), valueSats),
      )
      return confirm(miner.pay(funding).toHex())
    }
    return new ProtocolPlay({ node: chain.node, pay, confirm }, MAGIC)
  }

  /** Sends a transaction to the node, which must accept it. The txid. */
  async broadcast(hex: string): Promise<Txid> {
    try {
      return await this.#parts.chain.submit(hex)
    } catch (error) {
      if (!(error instanceof TransactionRefusedError)) throw error
      throw new UnexpectedError(`the node refuses a transaction: ${error.reason}`)
    }
  }

  /** The node's verdict on a transaction; nothing is broadcast. */
  async wouldAccept(hex: string): Promise<boolean> {
    const [answer] = await this.#parts.chain.node.testAccept([hex])
    return answer?.allowed ?? false
  }

  /** The last block is replaced by a branch of two, which holds none of its transactions. */
  async replaceLastBlock(): Promise<{ height: number; hash: string }> {
    const { chain } = this.#parts
    const { tip } = await chain.node.chain()
    await chain.invalidate(tip.hash)
    await chain.mineExactly([])
    await chain.mineExactly([])
    await chain.syncIndex()
    return tip
  }

  async height(): Promise<number> {
    return (await this.#parts.chain.node.chain()).tip.height
  }

  /** The script that an unspent output pays, according to the node; null: there is none. */
  async scriptOf(outpoint: Outpoint): Promise<string | null> {
    const [output] = await this.#parts.chain.node.outputs([outpoint])
    return output?.status === 'unspent' ? output.output.scriptHex : null
  }

  /** Is it in the node's mempool? */
  async waits(txid: Txid): Promise<boolean> {
    return [...(await this.#parts.chain.node.mempool()).txids].includes(txid)
  }

  /** According to the index. */
  inscription(id: string): Promise<Inscription | null> {
    return this.#parts.chain.index.inscription(id)
  }

  /**
   * Ends the service, then the chain, and removes their folders; once, however often it is called.
   */
  close(): Promise<void> {
    this.#closed ??= this.#close()
    return this.#closed
  }

  async #close(): Promise<void> {
    await this.#parts.market.end()
    await this.#parts.chain.close()
  }
}
