import { rmSync } from 'node:fs'
import { LmdbStore } from '../adapters/embedded/lmdb/lmdb-store.ts'
import { openCircleStore } from '../adapters/embedded/stores/circle-store.ts'
import { openPairingStore } from '../adapters/embedded/stores/pairing-store.ts'
import { openCircleIndex } from '../circles/circle-index.ts'
import { openSigner } from '../pairing/agreement/signing.ts'
import { openPairingIndex } from '../pairing/pairing-index.ts'
import type { BlockSource } from '../ports/authorities/full-node.ts'
import type { BlockFold, PlacedBlock } from '../ports/folds/block-fold.ts'
import type { RuntimeContext } from '../roles/context/runtime-context.ts'
import { openAuthorities } from '../roles/open/authorities.ts'
import { LocalStore } from '../roles/open/local-store.ts'
import { signingOf } from '../roles/parts/pairing.ts'
import { type Config, pairingDeployment, usesDevnet } from '../schemas/config/config.ts'
import { type FoldName, START_HEIGHTS, startHeightOf } from '../schemas/config/start-heights.ts'
import type { Network } from '../schemas/scalars.ts'
import { hereOpened } from '../streams/blocks/open-block.ts'
import { withStillStores } from './log/copied-stores.ts'
import { assertStore, operatorContext } from './log/open-existing.ts'
import { ArgumentError } from './log/place.ts'
import { deleteAtSignals, makeTemporaryFolder } from './log/temporary-folder.ts'
import { sizeText } from './usage/usage-table.ts'

/** The cost of folding the chain from a height, estimated from a few of its blocks. */
export interface FoldPlan {
  fold: FoldName
  network: Network
  from: number
  tip: number
  /** From `from` to the tip, inclusive. */
  blocks: number
  sampled: { heights: number[]; bytesPerBlock: number; fetchMs: number; foldMs: number }
  /** Sent by the node for all of them. */
  bytes: number
  /** Fetched and folded strictly in sequence: at the measured rates no start takes longer. */
  hours: number
  /** If fetching and folding overlap completely. */
  leastHours: number
}

/** The range is cut into this many equal parts; a few blocks in the middle of each are sampled. */
const PLACES = 5
/** Consecutive blocks per place, fetched in parallel as the follower does. */
const BLOCKS_OF_A_PLACE = 4
const HOUR_MS = 3_600_000

/**
 * Fetches and folds blocks of the node as the service would, into a temporary store. The chain of the
 * devnet belongs to the process that has it open: beside a service it is a copy.
 *
 * @throws ArgumentError no node is configured, no height of mainnet is named, the height is above its tip, or the block is pruned
 * @throws NodeUnavailableError, BlockUnavailableError as the node
 */
export const planFold = (config: Config, fold: FoldName, asked?: number): Promise<FoldPlan> =>
  usesDevnet(config)
    ? withStillStores(config, (still) => planHere(still, fold, asked))
    : planHere(config, fold, asked)

async function planHere(config: Config, fold: FoldName, asked?: number): Promise<FoldPlan> {
  const from = asked ?? plannedHeight(config, fold)
  await using context = operatorContext(config, null)
  const source = await openBlocks(context)
  const { network, tip, prunedBelow } = await source.chain()
  if (from > tip.height) {
    throw new ArgumentError(
      `height ${from} is above the node's tip ${tip.height}: set ${START_HEIGHTS[fold]} to an existing height, or use --from HEIGHT`,
    )
  }
  if (from < prunedBelow) {
    throw new ArgumentError(
      `the node has pruned its blocks below ${prunedBelow}, but ${fold} would start at ${from}: use a node that has them, or a later height`,
    )
  }
  const places = placesOf(from, tip.height)
  const samples: Sample[] = []
  for (const place of places) samples.push(await sample(context, source, fold, place))
  return planOf({ fold, network, from, tip: tip.height }, samples)
}

function plannedHeight(config: Config, fold: FoldName): number {
  const variable = START_HEIGHTS[fold]
  if (config.BITCOIN_NETWORK !== 'mainnet' || config[variable] !== undefined) {
    return startHeightOf(config, fold)
  }
  throw new ArgumentError(`no start height for mainnet: use --from HEIGHT, or set ${variable}`)
}

async function openBlocks({
  config,
  clock,
  closer,
  ...rest
}: RuntimeContext): Promise<BlockSource> {
  // The devnet's chain is next to the store.
  if (usesDevnet(config)) {
    assertStore(config)
    await new LocalStore({ config, closer, ...rest }).open()
  }
  const { blocks } = openAuthorities(config, clock, closer)
  if (blocks) return blocks
  throw new ArgumentError('no node is configured: set BITCOIN_RPC_URL')
}

interface BlocksPlace {
  height: number
  count: number
}

/** In chain order; with few blocks, all of them. */
export function placesOf(from: number, tip: number): BlocksPlace[] {
  const blocks = tip - from + 1
  const places: BlocksPlace[] = []
  for (let part = 0; part < PLACES; part += 1) {
    const begin = from + Math.floor((part * blocks) / PLACES)
    const end = from + Math.floor(((part + 1) * blocks) / PLACES)
    const count = Math.min(BLOCKS_OF_A_PLACE, end - begin)
    if (count > 0) places.push({ height: begin + Math.floor((end - begin - count) / 2), count })
  }
  return places
}

interface Sample extends BlocksPlace {
  bytes: number
  fetchMs: number
  foldMs: number
}

async function sample(
  context: RuntimeContext,
  source: BlockSource,
  name: FoldName,
  place: BlocksPlace,
): Promise<Sample> {
  const { monotonic } = context.clock
  const directory = makeTemporaryFolder('market-plan-')
  const stay = deleteAtSignals(directory)
  const store = await LmdbStore.open(directory)
  try {
    const fold = await openFold(context.config, store, source, name, place.height)
    const begun = monotonic()
    const heights = Array.from({ length: place.count }, (_, at) => place.height + at)
    const blocks = await Promise.all(heights.map((height) => fetchBlock(source, height)))
    const fetched = monotonic()
    assertOneChain(blocks)
    await fold.connect(blocks)
    const folded = monotonic()
    const bytes = blocks.reduce((sum, { block }) => sum + block.bytes.length, 0)
    return { ...place, bytes, fetchMs: fetched - begun, foldMs: folded - fetched }
  } finally {
    await store.close()
    rmSync(directory, { recursive: true, force: true })
    stay()
  }
}

async function openFold(
  config: Config,
  store: LmdbStore,
  source: BlockSource,
  name: FoldName,
  startHeight: number,
): Promise<BlockFold> {
  const network = config.BITCOIN_NETWORK
  if (name === 'circles') {
    return await openCircleIndex({
      store: openCircleStore(store),
      settings: { network, startHeight },
      prevouts: (blockHash, txids) => source.prevouts(blockHash, txids),
    })
  }
  return openPairingIndex({
    store: openPairingStore(store),
    signer: openSigner(config.PAIRING_PIPELINE, signingOf(config)),
    settings: {
      deployment: pairingDeployment(config),
      network,
      startHeight,
      magic: Buffer.from(config.PAIRING_MAGIC, 'latin1'),
    },
  })
}

const MOVED = "the node's chain changed while blocks were sampled: run it again"

async function fetchBlock(source: BlockSource, height: number): Promise<PlacedBlock> {
  const hash = await source.blockHash(height)
  const body = hash === null ? null : await source.rawBlock(hash)
  if (hash === null || body === null) throw new ArgumentError(MOVED)
  return { height, hash, block: await hereOpened.open(hash, body) }
}

function assertOneChain(blocks: readonly PlacedBlock[]): void {
  const isChain = blocks.every(
    ({ block }, at) => at === 0 || block.prevHash === blocks[at - 1]?.hash,
  )
  if (!isChain) throw new ArgumentError(MOVED)
}

function planOf(
  range: Pick<FoldPlan, 'fold' | 'network' | 'from' | 'tip'>,
  samples: readonly Sample[],
): FoldPlan {
  const blocks = range.tip - range.from + 1
  // Each place represents an equal number of blocks.
  const mean = (of: (one: Sample) => number) =>
    samples.reduce((sum, one) => sum + of(one) / one.count, 0) / samples.length
  const bytesPerBlock = mean(({ bytes }) => bytes)
  const fetchMs = mean((one) => one.fetchMs)
  const foldMs = mean((one) => one.foldMs)
  return {
    ...range,
    blocks,
    sampled: {
      heights: samples.flatMap(({ height, count }) =>
        Array.from({ length: count }, (_, at) => height + at),
      ),
      ...{ bytesPerBlock: Math.round(bytesPerBlock), fetchMs, foldMs },
    },
    bytes: Math.round(blocks * bytesPerBlock),
    hours: (blocks * (fetchMs + foldMs)) / HOUR_MS,
    leastHours: (blocks * Math.max(fetchMs, foldMs)) / HOUR_MS,
  }
}

/** One line per figure; nothing else is reported on a start height. */
export function planLines(plan: FoldPlan): string[] {
  const { fold, network, from, tip, blocks, sampled, bytes, hours, leastHours } = plan
  const { heights, bytesPerBlock, fetchMs, foldMs } = sampled
  return [
    `${fold} from height ${from} to the tip of ${network}, ${tip}`,
    `sampled  ${heights.length} blocks between ${heights[0]} and ${heights.at(-1)}: ${sizeText(bytesPerBlock)}, fetched in ${fetchMs.toFixed(1)} ms and folded in ${foldMs.toFixed(1)} ms each`,
    `blocks   ${blocks}`,
    `bytes    ${sizeText(bytes)}`,
    `time     ${timeText(leastHours, hours)}`,
  ]
}

const LEAST_HOURS_SHOWN = 0.1

const timeText = (least: number, most: number): string =>
  most < LEAST_HOURS_SHOWN
    ? `${(least * 3_600).toFixed(1)} to ${(most * 3_600).toFixed(1)} seconds`
    : `${least.toFixed(1)} to ${most.toFixed(1)} hours`
