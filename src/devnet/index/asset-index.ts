import { decoded } from '../../adapters/ord/content-coding.ts'
import { MAX_INSCRIPTIONS } from '../../domain/assets/asset-verdict.ts'
import { outpointText, parseOutpoint } from '../../domain/chain/outpoint.ts'
import { scriptOfAddress } from '../../domain/script/address.ts'
import type {
  AssetIndex,
  IndexStatus,
  Inscription,
  OutputAssets,
  OutputContents,
  OwnedOutput,
} from '../../ports/authorities/asset-index.ts'
import {
  IndexUnavailableError,
  NodeUnavailableError,
} from '../../ports/authorities/authority-errors.ts'
import type { ContentSource, SourcedContent } from '../../ports/authorities/content-source.ts'
import { type Outpoint, Txid } from '../../schemas/scalars.ts'
import type { RegtestNode } from '../node/regtest-node.ts'
import { envelopesOf } from './envelope.ts'
import type { IndexFollower } from './index-follower.ts'

/** The devnet as an `AssetIndex` with content: answers as ord without a rune index. */
export class DevnetIndex implements AssetIndex, ContentSource {
  readonly #follower: IndexFollower
  readonly #node: RegtestNode

  constructor(follower: IndexFollower, node: RegtestNode) {
    this.#follower = follower
    this.#node = node
  }

  async status(): Promise<IndexStatus> {
    const { tip } = this.#follower.serving()
    const { generation, unrecoverablyReorged } = this.#follower.state
    return {
      tip: tip && { height: tip.height, hash: tip.hash },
      version: `devnet 1.${generation}`,
      build: `${generation}`,
      unrecoverablyReorged,
      runes: false,
    }
  }

  async output(outpoint: Outpoint): Promise<OutputAssets | null> {
    const found = this.#examine(outpoint)
    if (!found) return null
    const { held, ...examined } = found
    if (held.length > MAX_INSCRIPTIONS) return { ...examined, inscriptions: null }
    const inscriptions = held.map(({ id, number, satpoint }) => ({
      id,
      number,
      offset: (satpoint?.offset ?? 0n).toString(),
    }))
    return { ...examined, inscriptions }
  }

  async contents(outpoints: readonly Outpoint[]): Promise<readonly (OutputContents | null)[]> {
    return outpoints.map((outpoint) => {
      const found = this.#examine(outpoint)
      if (!found) return null
      const { held, ...examined } = found
      return { ...examined, inscriptionIds: held.map(({ id }) => id) }
    })
  }

  #examine(outpoint: Outpoint) {
    const index = this.#follower.serving()
    const { chain, mempool } = this.#reachableNode()
    const key = outpointText(outpoint)
    const mined = chain.transaction(outpoint.txid)
    const made = mempool.entries.get(outpoint.txid)?.tx ?? mined?.tx
    if (!made?.raw.outs[outpoint.vout]) return null
    // As `gettxout` with the mempool: ord's `spent` reflects the node's state at this moment.
    const there = chain.coin(key) ?? mempool.coin(key, 0)
    const spent = !there || mempool.spender(key) !== undefined
    // The transaction index still names transactions of stale blocks.
    if (spent && !(mined && chain.isActive(mined.block))) return null
    const held = index.inscriptionsIn(key)
    return { indexed: held !== null, spent, runes: null, held: held ?? [] }
  }

  async inscription(id: string): Promise<Inscription | null> {
    const index = this.#follower.serving()
    this.#reachableNode()
    const found = index.inscription(id)
    if (!found) return null
    const { number, satpoint } = found
    return {
      id,
      number,
      satpoint: satpoint && {
        outpoint: parseOutpoint(satpoint.outpoint),
        offset: satpoint.offset.toString(),
      },
    }
  }

  /** As `/r/undelegated-content/…`. */
  async content(
    id: string,
    mayRead: (mediaType: string) => number,
  ): Promise<SourcedContent | null> {
    const index = this.#follower.serving()
    const { chain } = this.#reachableNode()
    const [txid, position] = id.split('i')
    const reveal = index.inscription(id) && chain.transaction(Txid.parse(txid))?.tx
    const { mediaType, coding, body } = (reveal && envelopesOf(reveal.raw)[Number(position)])
      ?.content ?? { mediaType: '', coding: '', body: null }
    if (body === null) return null
    const maxBytes = mayRead(mediaType)
    const found = { mediaType, claimedBytes: body.length }
    if (maxBytes === 0) return { ...found, body: 'not_admitted' }
    if (body.length > maxBytes) return { ...found, body: 'too_large' }
    return { ...found, body: await decoded(body, coding, maxBytes) }
  }

  async outputsOf(address: string): Promise<readonly OwnedOutput[]> {
    const index = this.#follower.serving()
    const { chain, mempool } = this.#reachableNode()
    const scriptHex = scriptOfAddress(address, 'regtest')
    if (scriptHex === null) return []
    return [...chain.coinsOf(Buffer.from(scriptHex, 'hex'))].flatMap((key): OwnedOutput[] => {
      const coin = chain.coin(key)
      const held = index.inscriptionsIn(key)
      // As ord's `spent`: by the mempool too.
      if (!coin || held === null || mempool.spender(key) !== undefined) return []
      const outpoint = parseOutpoint(key)
      const valueSats = coin.valueSats.toString()
      return [{ outpoint, valueSats, holdsInscriptions: held.length > 0 }]
    })
  }

  /** ord asks its node for transactions, and fails with it. */
  #reachableNode(): RegtestNode {
    try {
      this.#node.assertServing()
    } catch (error) {
      if (!(error instanceof NodeUnavailableError)) throw error
      throw new IndexUnavailableError(
        'asset_index_unreachable',
        'the index does not reach its node',
        {
          cause: error,
        },
      )
    }
    return this.#node
  }
}
