import type { BlockSource, FullNode } from '../../ports/authorities/full-node.ts'
import type { Clock } from '../../runtime/clock.ts'
import { gathered } from '../../runtime/gathered.ts'
import type { Lane } from '../../runtime/lanes.ts'
import type { Network } from '../../schemas/scalars.ts'
import {
  block,
  blockHashes,
  chainStatus,
  header,
  merkleProof,
  prevouts,
  rawBlock,
  rawHeaders,
  transaction,
} from './blocks.ts'
import { nodeChanges } from './changes.ts'
import { type Connection, openConnection } from './connection.ts'
import type { CredentialSource } from './credentials.ts'
import {
  feeEstimates,
  feeRate,
  inputIsFinal,
  mempool,
  mempoolTransactions,
  minimumFeeRate,
  testAccept,
} from './mempool.ts'
import {
  confirmedSpender,
  mempoolSpenders,
  OUTPUTS_PER_REQUEST,
  outputAnswer,
  outputAnswers,
  outputsAtTip,
} from './outputs.ts'
import { openRest, type Rest } from './rest.ts'

export interface BitcoindOptions {
  /** The RPC, as `http://127.0.0.1:8332`; a path naming a wallet's endpoint is kept. */
  url: string
  credentials: CredentialSource
  network: Network
  /** See `ChangesOptions`. */
  zmqUrls?: readonly string[]
  mempoolPollMs?: number
  clock: Clock
  /** 0 to below 1: spreads retries. Default: `Math.random`. */
  random?: () => number
  /** Time limit of one answer of the node, including the connection and the body. */
  timeoutMs?: number
  /** Called for each HTTP request sent. */
  onRequest?: () => void
}

export interface Bitcoind extends FullNode, BlockSource {
  /**
   * The node on the same connections in another lane (`runtime/lanes.ts`). This object is the first
   * lane.
   */
  inLane(lane: Lane): FullNode
  close(): Promise<void>
}

/** What every order asks: a request hangs for all that are in it, and the other goes on. */
const TOGETHER = { atOnce: 2, perRequest: OUTPUTS_PER_REQUEST }
const DEFAULT_POLL_MS = 1_000
const DEFAULT_TIMEOUT_MS = 15_000

/**
 * Bitcoin Core over its RPC, 24 and later. A transaction index (-txindex) and, from 31 on, a
 * spender index (-txospenderindex) answer more and are used if the node has them; `prevouts` needs
 * 25. Opening sends no request: an unreachable node fails the first call, as `NodeUnavailableError`.
 */
export function openBitcoind(options: BitcoindOptions): Bitcoind {
  const common = {
    url: options.url,
    clock: options.clock,
    timeoutMs: options.timeoutMs ?? DEFAULT_TIMEOUT_MS,
    onRequest: options.onRequest ?? (() => {}),
  }
  const { credentials, network, random = Math.random } = options
  const connection = openConnection({ ...common, credentials, network, random })
  const rest = openRest(common)
  return {
    ...nodeOver(connection, rest, options),
    inLane: (lane) => nodeOver(connection.inLane(lane), rest, options),
    close: async () => {
      await Promise.all([connection.close(), rest.close()])
    },
  }
}

function nodeOver(node: Connection, rest: Rest, options: BitcoindOptions): FullNode & BlockSource {
  const { clock } = options
  return {
    chain: () => chainStatus(node, options),
    blockHash: gathered((heights) => blockHashes(node, heights), TOGETHER),
    blockHashes: (heights) => blockHashes(node, heights),
    header: (hash) => header(node, hash),
    rawHeaders: (hashes) => rawHeaders(node, hashes),
    merkleProof: (txid, hash) => merkleProof(node, txid, hash),
    block: (hash) => block(node, hash, clock),
    rawBlock: (hash) => rawBlock(node, rest, hash),
    prevouts: (hash, txids) => prevouts(node, hash, txids),
    output: (outpoint) => outputAnswer(node, outpoint),
    outputAtTip: gathered((outpoints) => outputsAtTip(node, outpoints, options), TOGETHER),
    outputs: (outpoints) => outputAnswers(node, outpoints),
    mempoolSpenders: (outpoints) => mempoolSpenders(node, outpoints),
    confirmedSpender: (outpoint) => confirmedSpender(node, outpoint),
    transaction: (txid, inBlock) => transaction(node, txid, inBlock),
    mempool: () => mempool(node),
    mempoolTransactions: (txids) => mempoolTransactions(node, txids),
    testAccept: (transactionsHex) => testAccept(node, transactionsHex),
    inputIsFinal: (psbt, index) => inputIsFinal(node, psbt, index),
    feeRate: () => feeRate(node),
    feeEstimates: (blocks) => feeEstimates(node, blocks),
    minimumFeeRate: () => minimumFeeRate(node),
    changes: (signal) =>
      nodeChanges({
        zmqUrls: options.zmqUrls ?? [],
        pollMs: options.mempoolPollMs ?? DEFAULT_POLL_MS,
        clock,
        signal,
      }),
  }
}
