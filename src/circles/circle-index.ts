import { createHash } from 'node:crypto'
import { BlockUnavailableError } from '../ports/authorities/authority-errors.ts'
import type { BlockFold, PlacedBlock } from '../ports/folds/block-fold.ts'
import {
  type CircleSettings,
  type CircleStore,
  CirclesRefusedError,
  type FoldedCircles,
  type RecordChange,
} from '../ports/folds/circle-store.ts'
import type { CircleViews, SnapshotBytes } from '../ports/folds/circle-views.ts'
import type {
  Circle,
  CircleState,
  Lineage,
  Section,
  SectionRecords,
  Shard,
} from '../schemas/api/circles.ts'
import type { BlockHash, BlockRef, OutpointText, Txid, TxOut } from '../schemas/scalars.ts'
import { circleCandidates, foldCircles, type Prevouts } from './fold-block.ts'
import {
  canonicalRecord,
  changeGraph,
  EMPTY_GRAPH,
  type GraphBytes,
  snapshotPieces,
} from './graph-bytes.ts'
import { GraphEdit } from './graph-edit.ts'
import { packLeaves, type RecordBytes } from './leaves.ts'
import { spentKeyOf } from './outpoint-bytes.ts'
import { shardKey } from './record-keys.ts'
import { StateHasher } from './state-hasher.ts'

export interface CircleIndexParts {
  store: CircleStore
  settings: CircleSettings
  /** `FullNode.prevouts`: asked only of blocks with a transaction that looks like a circle. */
  prevouts(
    blockHash: BlockHash,
    txids: readonly Txid[],
  ): Promise<ReadonlyMap<string, readonly TxOut[]> | null>
  /** Called with the states of blocks that changed the state, once they are stored. */
  onStates?: (states: readonly CircleState[]) => void
}

/** The hash of the snapshot without circles. */
const EMPTY_HASH = createHash('sha256')
  .update(Buffer.concat(snapshotPieces(EMPTY_GRAPH)))
  .digest('hex')

/**
 * Opens the circles as they were last stored. Throws `CirclesRefusedError` when the store was made
 * with other settings, or when its content does not match its stored hash.
 */
export async function openCircleIndex(parts: CircleIndexParts): Promise<CircleIndex> {
  const { store, settings } = parts
  const kept = store.settings()
  if (!kept) await store.keepSettings(settings)
  else if (kept.network !== settings.network || kept.startHeight !== settings.startHeight) {
    throw new CirclesRefusedError(
      `the circles were made of ${kept.network} from height ${kept.startHeight}, and ${settings.network} ` +
        `from height ${settings.startHeight} is configured: set BITCOIN_NETWORK to ${kept.network} and ` +
        `CIRCLES_START_HEIGHT to ${kept.startHeight}, or start with another DATA_DIR`,
    )
  }
  const last = store.states(1)[0]
  const unspent = new Set<string>()
  const graph = readGraph(store, last?.revision ?? 0, unspent)
  const hasher = new StateHasher()
  const stateHash = await hasher.hash(snapshotPieces(graph))
  if (last && last.stateHash !== stateHash) {
    throw new CirclesRefusedError(
      `the circles at height ${last.height} hash to ${stateHash}, and ${last.stateHash} was kept: ` +
        'the store is damaged, start with another DATA_DIR',
    )
  }
  return new CircleIndex(parts, { graph, stateHash, tip: store.tip() }, hasher, unspent)
}

/** The index at one moment, replaced as a whole. */
interface GraphMoment {
  /** Made by the first reader of this moment, for all of them. */
  snapshot?: SnapshotBytes
  graph: GraphBytes
  stateHash: string
  tip: BlockRef | null
}

/** The graph as a fold of blocks, and its reads. */
export class CircleIndex implements BlockFold, CircleViews {
  readonly startHeight: number
  readonly #parts: CircleIndexParts
  readonly #hasher: StateHasher
  /** Keys of all unspent shards: transactions that spend none and are not circles are skipped. */
  readonly #unspent: Set<string>
  #now: GraphMoment

  constructor(
    parts: CircleIndexParts,
    now: GraphMoment,
    hasher: StateHasher,
    unspent: Set<string>,
  ) {
    this.startHeight = parts.settings.startHeight
    this.#parts = parts
    this.#now = now
    this.#hasher = hasher
    this.#unspent = unspent
  }

  tip(): BlockRef | null {
    return this.#now.tip
  }

  hashAt(height: number): BlockHash | null {
    return this.#parts.store.hashAt(height)
  }

  async connect(blocks: readonly PlacedBlock[]): Promise<void> {
    this.#assertFollows(blocks)
    const batch = new GraphEdit(this.#parts.store)
    const folded: FoldedCircles[] = []
    let { graph, stateHash } = this.#now
    for (const placed of blocks) {
      const { height, hash } = placed
      const edit = new GraphEdit(batch)
      const revisions = foldCircles(placed, await this.#prevouts(placed), edit, this.#unspent)
      if (revisions === 0) {
        folded.push({ height, hash, changes: [], state: null })
        continue
      }
      const changes = edit.changes()
      batch.absorb(changes)
      graph = changeGraph(graph, changes, graph.revision + revisions)
      stateHash = await this.#hasher.hash(snapshotPieces(graph))
      const state = { revision: graph.revision, stateHash, height, blockHash: hash }
      folded.push({ height, hash, changes, state })
    }
    await this.#parts.store.connect(folded)
    const last = folded.at(-1)
    this.#now = { graph, stateHash, tip: last ? { height: last.height, hash: last.hash } : null }
    for (const { changes } of folded) this.#noteShards(changes)
    const states = folded.flatMap(({ state }) => state ?? [])
    if (states.length > 0) this.#parts.onStates?.(states)
  }

  async disconnect(): Promise<void> {
    const { store } = this.#parts
    if (!this.#now.tip) throw new Error('no block of the circles is left to disconnect')
    const changes = store.undo()
    await store.disconnect()
    const last = store.states(1)[0]
    this.#now = {
      graph: changeGraph(this.#now.graph, changes, last?.revision ?? 0),
      stateHash: last?.stateHash ?? EMPTY_HASH,
      tip: store.tip(),
    }
    this.#noteShards(changes)
  }

  snapshot(): SnapshotBytes {
    this.#now.snapshot ??= this.#snapshotNow()
    return this.#now.snapshot
  }

  #snapshotNow(): SnapshotBytes {
    const pieces = snapshotPieces(this.#now.graph)
    const length = pieces.reduce((sum, piece) => sum + piece.length, 0)
    return { state: this.state(), pieces, length }
  }

  state(): CircleState {
    const { graph, stateHash, tip } = this.#now
    const { height = null, hash: blockHash = null } = tip ?? {}
    return { revision: graph.revision, stateHash, height, blockHash }
  }

  states(limit: number, below?: number): readonly CircleState[] {
    return this.#parts.store.states(limit, below)
  }

  lineage(lineageId: string): Lineage | null {
    return this.#parts.store.get('lineages', lineageId)
  }

  circle(txid: Txid): Circle | null {
    return this.#parts.store.circle(txid)
  }

  shard(outpoint: OutpointText): Shard | null {
    return this.#parts.store.get('shards', shardKey(outpoint))
  }

  async #prevouts(placed: PlacedBlock): Promise<Prevouts> {
    const txids = circleCandidates(placed).map(({ txid }) => txid)
    if (txids.length === 0) return new Map()
    const prevouts = await this.#parts.prevouts(placed.hash, txids)
    if (!prevouts) throw new BlockUnavailableError(placed.hash)
    return prevouts
  }

  #assertFollows(blocks: readonly PlacedBlock[]): void {
    let below = this.#now.tip
    for (const { height, hash, block } of blocks) {
      const fits = below
        ? height === below.height + 1 && block.prevHash === below.hash
        : height === this.startHeight
      if (!fits) throw new Error(`block ${hash} at ${height} does not follow ${below?.hash}`)
      below = { height, hash }
    }
  }

  #noteShards(changes: readonly RecordChange[]): void {
    for (const change of changes) {
      if (change.section !== 'shards') continue
      const outpoint = (change.after ?? change.before)?.outpoint
      if (outpoint === undefined) continue
      if (change.after?.spentByTxid === null) this.#unspent.add(spentKeyOf(outpoint))
      else this.#unspent.delete(spentKeyOf(outpoint))
    }
  }
}

/** Reads every record of the store, and adds the unspent shards to `unspent`. */
function readGraph(store: CircleStore, revision: number, unspent: Set<string>): GraphBytes {
  return {
    sections: {
      circles: packLeaves(recordsOf(store, 'circles')),
      edges: packLeaves(recordsOf(store, 'edges')),
      lineages: packLeaves(recordsOf(store, 'lineages')),
      shards: packLeaves(
        recordsOf(store, 'shards', ({ spentByTxid, outpoint }) => {
          if (spentByTxid === null) unspent.add(spentKeyOf(outpoint))
        }),
      ),
    },
    revision,
  }
}

function* recordsOf<S extends Section>(
  store: CircleStore,
  section: S,
  note?: (record: SectionRecords[S]) => void,
): Generator<RecordBytes> {
  for (const { key, record } of store.records(section)) {
    note?.(record)
    yield { key, bytes: canonicalRecord(section, record) }
  }
}
