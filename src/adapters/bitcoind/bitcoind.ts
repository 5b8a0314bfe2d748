import type { Clock } from '../../ports/clock.ts'
import type { BlockSource, FullNode } from '../../ports/full-node.ts'
import type { Lane } from '../../ports/lanes.ts'
import type { Network } from '../../schemas/scalars.ts'
import { block, blockHash, chainStatus, header, prevouts, rawBlock, transaction } from './blocks.ts'
import { nodeChanges } from './changes.ts'
import { type Connection, openConnection } from './connection.ts'
import type { CredentialSource } from './credentials.ts'
import {
  feeRate,
  inputIsFinal,
  mempool,
  mempoolTransactions,
  minimumFeeRate,
  testAccept,
} from './mempool.ts'
import { confirmedSpender, mempoolSpenders, outputAnswer, outputAnswers } from './outputs.ts'

export interface BitcoindOptions {
  /** Of the RPC, as `http://127.0.0.1:8332`; a path names a wallet's endpoint and is kept. */
  url: string
  credentials: CredentialSource
  network: Network
  /** See `ChangesOptions`. */
  zmqUrls?: readonly string[]
  mempoolPollMs?: number
  clock: Clock
  /** 0 to below 1: spreads retries. Default: `Math.random`. */
  random?: () => number
  /** For one answer of the node, connection and body included. */
  timeoutMs?: number
  /** For each HTTP request sent. */
  onRequest?: () => void
}

export interface Bitcoind extends FullNode, BlockSource {
  /** The same node on the same connections: see ports/lanes.ts. It is the first lane itself. */
  inLane(lane: Lane): FullNode
  close(): Promise<void>
}

const DEFAULT_POLL_MS = 1_000
const DEFAULT_TIMEOUT_MS = 15_000

/**
 * Bitcoin Core by its RPC, 24 and later. A transaction index (-txindex) and, from 31 on, a spender
 * index (-txospenderindex) answer more and are used where the node has them; `prevouts` wants 25. Opening asks nothing:
 * a node that is away shows at the first question, as `NodeUnavailable`.
 */
export function openBitcoind(options: BitcoindOptions): Bitcoind {
  const { network, clock } = options
  const connection = openConnection({
    url: options.url,
    credentials: options.credentials,
    network,
    clock,
    random: options.random ?? Math.random,
    timeoutMs: options.timeoutMs ?? DEFAULT_TIMEOUT_MS,
    onRequest: options.onRequest ?? (() => {}),
  })
  return {
    ...nodeOver(connection, options),
    inLane: (lane) => nodeOver(connection.inLane(lane), options),
    close: connection.close,
  }
}

function nodeOver(node: Connection, options: BitcoindOptions): FullNode & BlockSource {
  const { network, clock } = options
  return {
    chain: () => chainStatus(node, network),
    blockHash: (height) => blockHash(node, height),
    header: (hash) => header(node, hash),
    block: (hash) => block(node, hash, clock),
    rawBlock: (hash) => rawBlock(node, hash),
    prevouts: (hash, txids) => prevouts(node, hash, txids),
    output: (outpoint) => outputAnswer(node, outpoint),
    outputs: (outpoints) => outputAnswers(node, outpoints),
    mempoolSpenders: (outpoints) => mempoolSpenders(node, outpoints),
    confirmedSpender: (outpoint) => confirmedSpender(node, outpoint),
    transaction: (txid, inBlock) => transaction(node, txid, inBlock),
    mempool: () => mempool(node),
    mempoolTransactions: (txids) => mempoolTransactions(node, txids),
    testAccept: (transactionsHex) => testAccept(node, transactionsHex),
    inputIsFinal: (psbt, index) => inputIsFinal(node, psbt, index),
    feeRate: () => feeRate(node),
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
