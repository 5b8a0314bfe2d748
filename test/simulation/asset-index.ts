import { outpointText } from '../../src/domain/chain/outpoint.ts'
import type {
  AssetIndex,
  IndexStatus,
  OutputAssets,
  OutputContents,
} from '../../src/ports/authorities/asset-index.ts'
import { IndexUnavailableError } from '../../src/ports/authorities/authority-errors.ts'
import type { IndexTrouble } from '../../src/schemas/evidence.ts'
import type { BlockHash } from '../../src/schemas/scalars.ts'
import type { SimChain } from './chain.ts'
import type { Process } from './process.ts'

/** The index itself: follows the chain when scheduled, and holds what was put into outputs. */
export class SimIndex {
  trouble: IndexTrouble | null = null
  /** It keeps answering, but does not advance. */
  isFrozen = false
  version = 'v1'
  build = 1
  /** Its tip, on the best chain or on a stale one. */
  tip: { height: number; hash: BlockHash }
  /** By outpoint; here an output holds at most one inscription. */
  readonly inscriptions = new Map<string, string>()
  readonly #chain: SimChain

  constructor(chain: SimChain) {
    this.#chain = chain
    this.tip = this.#chain.tip
  }

  sync(): void {
    const { height, hash } = this.#chain.tip
    if (!this.isFrozen) this.tip = { height, hash }
  }

  rollBack(blocks: number): void {
    const height = Math.max(0, this.#chain.tip.height - blocks)
    this.tip = { height, hash: this.#chain.active[height] ?? this.tip.hash }
  }

  /** Another program over the same index; an honest one gives the former one's answers. */
  upgrade(isHonest: boolean): void {
    this.version = `v${Number(this.version.slice(1)) + 1}`
    if (!isHonest) this.inscriptions.clear()
  }

  /** Rebuilt: it finds some inscriptions in no output. */
  rebuild(isCorrected: () => boolean): void {
    this.build += 1
    this.version = `v${Number(this.version.slice(1)) + 1}`
    for (const outpoint of [...this.inscriptions.keys()])
      if (isCorrected()) this.inscriptions.delete(outpoint)
  }

  status(): IndexStatus {
    const { height, hash } = this.tip
    return {
      tip: { height, hash },
      version: this.version,
      build: `${this.build}`,
      unrecoverablyReorged: false,
      runes: true,
    }
  }

  assetsOf(outpoint: string): OutputAssets | null {
    const [txid = ''] = outpoint.split(':')
    const place = this.#chain.placeOf(txid)
    if (place === undefined) return null
    const spender = this.#chain.spenderOf(outpoint)
    const spentIn = spender && this.#chain.placeOf(spender.txid)
    const isIndexed = place !== null && place.height <= this.tip.height
    const id = isIndexed ? this.inscriptions.get(outpoint) : undefined
    return {
      indexed: isIndexed,
      spent: spentIn != null && spentIn.height <= this.tip.height,
      inscriptions: id === undefined ? [] : [{ id, number: 7, offset: '0' }],
      runes: [],
    }
  }

  contentsOf(outpoint: string): OutputContents | null {
    const found = this.assetsOf(outpoint)
    if (!found) return null
    const { inscriptions, ...examined } = found
    return { ...examined, inscriptionIds: (inscriptions ?? []).map(({ id }) => id) }
  }
}

/** The index as one process sees it. */
export function indexOf(index: SimIndex, process: Process): AssetIndex {
  const ask = <T>(name: string, effect: () => T): Promise<T> =>
    process.call({
      kind: 'ask',
      name: `index.${name}`,
      effect: () => {
        if (index.trouble !== null) throw new IndexUnavailableError(index.trouble, 'simulated')
        return effect()
      },
      trouble: () => new IndexUnavailableError('asset_index_unreachable', 'simulated: no answer'),
    })
  return {
    status: () => ask('status', () => index.status()),
    output: (outpoint) => ask('output', () => index.assetsOf(outpointText(outpoint))),
    contents: (outpoints) =>
      ask('contents', () => outpoints.map((one) => index.contentsOf(outpointText(one)))),
    inscription: async () => {
      throw new Error('unexpected request for an inscription')
    },
    outputsOf: async () => {
      throw new Error('unexpected request for an address')
    },
  }
}
