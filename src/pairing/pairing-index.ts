import { outpointKey, parseOutpoint } from '../domain/chain/outpoint.ts'
import type { BlockFold, PlacedBlock } from '../ports/folds/block-fold.ts'
import type {
  PairingReads,
  PairingStore,
  PairingTables,
  PairingSettings as StoredSettings,
} from '../ports/folds/pairing-store.ts'
import type { PairingView, PairingViews } from '../ports/folds/pairing-views.ts'
import { PairingSettingsChangedError } from '../ports/log/storage-errors.ts'
import type { CheckpointTuple, PairingCarrier } from '../schemas/api/pairing.ts'
import type { BlockHash, BlockRef, Network, OutpointText } from '../schemas/scalars.ts'
import { sealCheckpoint } from './agreement/checkpoint.ts'
import type { Signer } from './agreement/signing.ts'
import { type FoldedBlock, foldMarkers } from './fold/fold-block.ts'
import type { PairingState } from './fold/fold-transaction.ts'
import { beginningWith, UNSPENT } from './fold/index-rows.ts'
import { dropBlock, keepBlock } from './fold/keep-block.ts'
import { StoredView } from './pairing-view.ts'

export interface PairingIndexSettings {
  /** Names the deployment in every checkpoint. */
  deployment: string
  network: Network
  startHeight: number
  /** The first four bytes of a marker's data. */
  magic: Uint8Array
}

export interface PairingIndexOptions {
  store: PairingStore
  settings: PairingIndexSettings
  /** Null if there is no signing boundary. */
  signer?: Pick<Signer, 'sign'> | null
}

/**
 * Opens the index that a store holds, or a new one. Throws `PairingSettingsChangedError` when the store
 * was made with other settings.
 */
export function openPairingIndex(options: PairingIndexOptions): PairingIndex {
  const { store, settings } = options
  const { magic, ...others } = settings
  const wanted: StoredSettings = { ...others, magic: Buffer.from(magic).toString('latin1') }
  const stored = store.read((tables) => tables.settings.get('settings') ?? null)
  if (stored) assertSame(stored, wanted)
  return new PairingIndex(options, wanted)
}

interface Connected extends Pick<FoldedBlock, 'carriers'> {
  checkpoint: CheckpointTuple
}

/**
 * Objects, carriers, transactions, events and checkpoints of a deployment, folded from the blocks
 * of a chain. Calls to connect and disconnect must not overlap.
 */
export class PairingIndex implements BlockFold, PairingViews {
  readonly startHeight: number
  readonly #store: PairingStore
  readonly #settings: PairingIndexSettings
  readonly #stored: StoredSettings
  readonly #signer: Pick<Signer, 'sign'> | null
  /**
   * Every unspent carrier, and others: those that were undone, or whose write failed, stay in it.
   */
  readonly #candidates: Set<string>

  /** Use `openPairingIndex`. */
  constructor({ store, settings, signer = null }: PairingIndexOptions, stored: StoredSettings) {
    this.startHeight = settings.startHeight
    this.#store = store
    this.#settings = settings
    this.#stored = stored
    this.#signer = signer
    this.#candidates = store.read(unspentKeys)
  }

  read<T>(query: (view: PairingView) => T): T {
    return this.#store.read((tables) => query(new StoredView(tables)))
  }

  tip(): BlockRef | null {
    return this.read((view) => view.tip())
  }

  hashAt(height: number): BlockHash | null {
    return this.read((view) => view.checkpoint(height)?.blockHash ?? null)
  }

  async connect(blocks: readonly PlacedBlock[]): Promise<void> {
    const spent: PairingCarrier[] = []
    await this.#store.write((tables) => {
      tables.settings.put('settings', this.#stored)
      let below = new StoredView(tables).latestCheckpoint()
      for (const block of blocks) {
        const { checkpoint, carriers } = this.#connectOne(tables, block, below)
        below = checkpoint
        spent.push(...[...carriers.values()].filter(({ spentByTxid }) => spentByTxid !== null))
      }
    })
    for (const carrier of spent) this.#candidates.delete(outpointKey(carrier))
  }

  async disconnect(): Promise<void> {
    await this.#store.write((tables) => {
      const tip = new StoredView(tables).tip()
      if (!tip) throw new Error('there is no block to disconnect')
      for (const { carrier } of dropBlock(tables, tip.height)) {
        this.#candidates.add(outpointKey(carrier))
      }
    })
  }

  #connectOne(
    tables: PairingTables,
    placed: PlacedBlock,
    below: CheckpointTuple | null,
  ): Connected {
    this.#assertNext(placed, below)
    const { deployment, network, magic } = this.#settings
    const rules = { network, magic, candidates: this.#candidates }
    const folded = foldMarkers(placed, stateOf(tables), rules)
    const { height, hash: blockHash } = placed
    const place = { deployment, network, height, blockHash }
    const checkpoint = sealCheckpoint(place, folded, below)
    keepBlock(tables, folded, checkpoint, this.#signer?.sign(checkpoint) ?? null)
    return { checkpoint, carriers: folded.carriers }
  }

  #assertNext({ height, block }: PlacedBlock, below: CheckpointTuple | null): void {
    const next = below ? Number(below.height) + 1 : this.startHeight
    if (height === next && (!below || block.prevHash === below.blockHash)) return
    throw new Error(`block ${height} on ${block.prevHash} is not the next after ${next - 1}`)
  }
}

const stateOf = (reads: PairingReads): PairingState => ({
  object: (objectKey) => reads.objects.get(objectKey)?.object ?? null,
  carrier: (outpoint) => reads.carriers.get(outpoint)?.carrier ?? null,
})

function unspentKeys(reads: PairingReads): Set<string> {
  const keys = new Set<string>()
  for (const key of reads.rows.keys(beginningWith(UNSPENT))) {
    keys.add(outpointKey(parseOutpoint(key.slice(UNSPENT.length) as OutpointText)))
  }
  return keys
}

/** The environment variable each setting comes from. */
const VARIABLES = {
  deployment: 'PAIRING_DEPLOYMENT',
  network: 'BITCOIN_NETWORK',
  startHeight: 'PAIRING_START_HEIGHT',
  magic: 'PAIRING_MAGIC',
} as const satisfies Record<keyof StoredSettings, string>

function assertSame(stored: StoredSettings, wanted: StoredSettings): void {
  const names = Object.keys(VARIABLES) as (keyof StoredSettings)[]
  const changed = names.filter((name) => stored[name] !== wanted[name])
  if (changed.length === 0) return
  throw new PairingSettingsChangedError(
    changed.map((name) => ({
      variable: VARIABLES[name],
      have: String(stored[name]),
      want: String(wanted[name]),
    })),
  )
}
