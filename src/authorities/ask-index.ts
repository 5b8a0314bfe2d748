import type { AssetIndex, IndexStatus } from '../ports/authorities/asset-index.ts'
import { IndexUnavailableError } from '../ports/authorities/authority-errors.ts'
import type { FullNode } from '../ports/authorities/full-node.ts'
import type { IndexEvidence, IndexTrouble } from '../schemas/evidence.ts'
import type { BlockRef, Outpoint } from '../schemas/scalars.ts'

const away = (reason: IndexTrouble): IndexEvidence => ({ status: 'unavailable', reason })

/**
 * One question to the index beside those to the node, whose tip is the same before and after: node
 * and index follow one chain if the index's own block hash is the node's at that height, before and
 * after its answer. Mere lag is allowed; whether it has reached the output is for the verdict.
 */
export class IndexQuestion {
  readonly #node: Pick<FullNode, 'blockHash'>
  readonly #index: AssetIndex
  #before: Promise<IndexStatus | { error: unknown }> | null = null
  #said: IndexEvidence | null = null

  constructor(node: Pick<FullNode, 'blockHash'>, index: AssetIndex) {
    this.#node = node
    this.#index = index
  }

  /** Starts the question before it is known whether the index must be asked. */
  begin(): void {
    this.#before = this.#index.status().catch((error: unknown) => ({ error }))
  }

  /** Asks about the output; `likely`: see `AssetIndex`. Throws `NodeUnavailableError`. */
  async ask(tip: BlockRef, outpoint: Outpoint, likely?: string): Promise<void> {
    this.#said = await this.#heard(async () => {
      if (!this.#before) this.begin()
      const before = await this.#before
      if (!before || 'error' in before) throw before?.error
      const [at, answer] = await Promise.all([
        this.#onChain(tip, before),
        this.#index.output(outpoint, likely),
      ])
      if (typeof at === 'string') return away(at)
      const inscriptions = answer ? answer.inscriptions : []
      return {
        status: 'ready',
        at,
        indexed: answer?.indexed ?? false,
        inscriptions: inscriptions && [...inscriptions],
        runes: answer?.runes ? [...answer.runes] : null,
      }
    })
  }

  /** Checks that the index stayed on the chain of this tip; null if it was not asked. */
  async end(tip: BlockRef): Promise<IndexEvidence | null> {
    const said = this.#said
    if (said?.status !== 'ready') return said
    return await this.#heard(async () => {
      const after = await this.#index.status()
      const isWhereItWas = after.tip?.hash === said.at.hash && !after.unrecoverablyReorged
      const at = isWhereItWas ? said.at : await this.#onChain(tip, after)
      if (typeof at === 'string') return away(at)
      return after.version === said.at.version ? said : away('asset_index_behind')
    })
  }

  #onChain(tip: BlockRef, status: IndexStatus): Promise<IndexAt | IndexTrouble> {
    const blockHash = async (height: number) =>
      height === tip.height ? tip.hash : await this.#node.blockHash(height)
    return oneChain({ blockHash }, status)
  }

  async #heard(ask: () => Promise<IndexEvidence>): Promise<IndexEvidence> {
    try {
      return await ask()
    } catch (error) {
      if (error instanceof IndexUnavailableError) return away(error.reason)
      throw error
    }
  }
}

/**
 * What the index says about outputs while it stays on the node's chain: its own block hash is the
 * node's at that height before and after. Throws `NodeUnavailableError`, `IndexUnavailableError`.
 */
export async function onOneChain<T>(
  node: Pick<FullNode, 'blockHash'>,
  index: Pick<AssetIndex, 'status'>,
  ask: () => Promise<T>,
): Promise<{ at: IndexAt; answer: T } | { reason: IndexTrouble }> {
  const before = await oneChain(node, await index.status())
  if (typeof before === 'string') return { reason: before }
  const answer = await ask()
  const after = await oneChain(node, await index.status())
  if (typeof after === 'string') return { reason: after }
  return after.version === before.version
    ? { at: before, answer }
    : { reason: 'asset_index_behind' }
}

type IndexAt = BlockRef & { version: string }

async function oneChain(
  node: Pick<FullNode, 'blockHash'>,
  { tip, version, unrecoverablyReorged }: IndexStatus,
): Promise<IndexAt | IndexTrouble> {
  if (unrecoverablyReorged) return 'asset_index_reorged'
  if (!tip) return 'asset_index_behind'
  const canonical = await node.blockHash(tip.height)
  return canonical === tip.hash ? { ...tip, version } : 'asset_index_behind'
}
