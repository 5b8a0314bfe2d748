import {
  BlockUnavailableError,
  NodeUnavailableError,
  ProofRefusedError,
} from '../../ports/authorities/authority-errors.ts'
import type {
  Block,
  ChainStatus,
  FoundTransaction,
  Header,
  Transaction,
} from '../../ports/authorities/full-node.ts'
import type { Clock } from '../../runtime/clock.ts'
import { BlockHash, Hex, type Network, type Txid, type TxOut } from '../../schemas/scalars.ts'
import {
  BlockBytes,
  BlockchainInfo,
  BlockHeader,
  BlockHex,
  MempoolInfo,
  NetworkInfo,
  RawTransactionAnswer,
  SpendingTransaction,
} from '../../schemas/wire/rpc.ts'
import { blockTransactions } from './block-body.ts'
import { type Connection, expectNetwork } from './connection.ts'
import type { Rest } from './rest.ts'
import {
  type Call,
  nullOn,
  RPC_INVALID_ADDRESS_OR_KEY,
  RPC_INVALID_PARAMETER,
  RPC_METHOD_NOT_FOUND,
  RPC_MISC_ERROR,
  RpcError,
} from './rpc.ts'
import { isSynchronised } from './synchronised.ts'

/**
 * For each of them the node reads the whole block and its undo data, within one time limit. Their
 * answers are below `MAX_RESPONSE_BYTES`, whatever scripts they spend.
 */
const SPENDERS_PER_REQUEST = 8

/**
 * The connection has checked the chain already; here it is read again, together with the answer.
 */
export const chainStatus = (node: Connection, on: OnNetwork): Promise<ChainStatus> =>
  node.batch((call) => askChain(call, on))

export interface OnNetwork {
  network: Network
  clock: Clock
}

/** The chain's status, asked among the calls of a batch. */
export async function askChain(call: Call, { network, clock }: OnNetwork): Promise<ChainStatus> {
  const [genesis, chain, mempool, { version, subversion }] = await Promise.all([
    call('getblockhash', [0], BlockHash),
    call('getblockchaininfo', [], BlockchainInfo),
    call('getmempoolinfo', [], MempoolInfo),
    call('getnetworkinfo', [], NetworkInfo),
  ])
  expectNetwork(genesis, network)
  return {
    network,
    tip: {
      height: chain.blocks,
      hash: chain.bestblockhash,
      medianTime: chain.mediantime,
      time: chain.time,
    },
    initialBlockDownload: !isSynchronised(chain, network, clock.now()),
    mempoolLoaded: mempool.loaded,
    prunedBelow: chain.pruned ? (chain.pruneheight ?? 0) : 0,
    version: subversion,
    coreVersion: version,
  }
}

export const blockHashes = (
  node: Connection,
  heights: readonly number[],
): Promise<readonly (BlockHash | null)[]> =>
  heights.length === 0
    ? Promise.resolve([])
    : node.batch((call) =>
        Promise.all(
          heights.map((height) =>
            call('getblockhash', [height], BlockHash).catch(nullOn(RPC_INVALID_PARAMETER)),
          ),
        ),
      )

export async function header(node: Connection, hash: BlockHash): Promise<Header | null> {
  const found = await node
    .call('getblockheader', [hash], BlockHeader)
    .catch(nullOn(RPC_INVALID_ADDRESS_OR_KEY))
  return (
    found && {
      height: found.height,
      hash: found.hash,
      prevHash: found.previousblockhash ?? null,
      time: found.time,
      medianTime: found.mediantime,
      onBestChain: found.confirmations >= 0,
    }
  )
}

export const rawHeaders = (
  node: Connection,
  hashes: readonly BlockHash[],
): Promise<readonly (string | null)[]> =>
  hashes.length === 0
    ? Promise.resolve([])
    : node.batch((call) =>
        Promise.all(
          hashes.map((hash) =>
            call('getblockheader', [hash, false], Hex).catch(nullOn(RPC_INVALID_ADDRESS_OR_KEY)),
          ),
        ),
      )

export const merkleProof = (
  node: Connection,
  txid: Txid,
  blockHash: BlockHash,
): Promise<string | null> =>
  // Within the batch: a login that is refused altogether fails before it.
  node.batch((call) =>
    call('gettxoutproof', [[txid], blockHash], Hex)
      .catch(nullOn(RPC_INVALID_ADDRESS_OR_KEY))
      .catch(refuseMissingBody(blockHash))
      .catch(refuseProof),
  )

export async function block(
  node: Connection,
  hash: BlockHash,
  clock: Clock,
): Promise<Block | null> {
  const [found, body] = await node.batch((call) =>
    Promise.all([
      call('getblockheader', [hash], BlockHeader).catch(nullOn(RPC_INVALID_ADDRESS_OR_KEY)),
      call('getblock', [hash, 0], BlockHex)
        .catch(nullOn(RPC_INVALID_ADDRESS_OR_KEY))
        .catch(refuseMissingBody(hash)),
    ]),
  )
  if (found === null || body === null) return null
  // Decoding a full block takes as long as parsing its answer did, so it gets a turn of its own.
  await new Promise(setImmediate)
  return {
    height: found.height,
    hash: found.hash,
    prevHash: found.previousblockhash ?? null,
    time: found.time,
    transactions: await readBody(hash, Buffer.from(body, 'hex'), clock),
  }
}

/**
 * Over REST if the node serves it, else as hexadecimal; not checked to be a block until it is
 * opened.
 */
export async function rawBlock(
  node: Connection,
  rest: Rest,
  hash: BlockHash,
): Promise<Uint8Array | null> {
  const bytes = await rest.block(hash)
  if (bytes) return bytes
  return await node
    .call('getblock', [hash, 0], BlockBytes)
    .catch(nullOn(RPC_INVALID_ADDRESS_OR_KEY))
    .catch(refuseMissingBody(hash))
}

/**
 * One transaction at a time, since a whole block with its prevouts is some 20 MB of JSON; a few in
 * each request, since a block may be full of circles.
 */
export async function prevouts(
  node: Connection,
  blockHash: BlockHash,
  txids: readonly Txid[],
): Promise<ReadonlyMap<string, readonly TxOut[]> | null> {
  const spends = new Map<string, readonly TxOut[]>()
  for (let from = 0; from < txids.length; from += SPENDERS_PER_REQUEST) {
    const some = txids.slice(from, from + SPENDERS_PER_REQUEST)
    for (const transaction of await spendersBatch(node, blockHash, some)) {
      if (transaction === null) return null
      spends.set(transaction.txid, spentBy(transaction, blockHash))
    }
  }
  return spends
}

const spendersBatch = (
  node: Connection,
  blockHash: BlockHash,
  txids: readonly Txid[],
): Promise<(SpendingTransaction | null)[]> =>
  node.batch((call) =>
    Promise.all(
      txids.map((txid) =>
        call('getrawtransaction', [txid, 2, blockHash], SpendingTransaction)
          .catch(nullOn(RPC_INVALID_ADDRESS_OR_KEY))
          .catch(refuseMissingBody(blockHash)),
      ),
    ),
  )

const spentBy = ({ vin }: SpendingTransaction, blockHash: BlockHash): TxOut[] =>
  vin.map(({ prevout }) => {
    // The node has the block, but not its undo data.
    if (prevout === undefined) throw new BlockUnavailableError(blockHash)
    return { valueSats: prevout.value, scriptHex: prevout.scriptPubKey.hex }
  })

async function readBody(hash: BlockHash, bytes: Buffer, clock: Clock): Promise<Transaction[]> {
  try {
    return await blockTransactions(bytes, clock)
  } catch (cause) {
    throw new NodeUnavailableError('node_unavailable', `block ${hash} cannot be read`, { cause })
  }
}

/**
 * Without a block hash: from the mempool, or from the best chain if the node has a transaction
 * index. That index also has stale blocks, which count only when they are requested by hash.
 */
export async function transaction(
  node: Connection,
  txid: Txid,
  blockHash?: BlockHash,
): Promise<FoundTransaction | null> {
  if (blockHash !== undefined) {
    const hex = await node
      .call('getrawtransaction', [txid, 0, blockHash], Hex)
      .catch(nullOn(RPC_INVALID_ADDRESS_OR_KEY))
      .catch(refuseMissingBody(blockHash))
    return hex === null ? null : { txid, hex, blockHash }
  }
  const found = await node
    .call('getrawtransaction', [txid, 1], RawTransactionAnswer)
    .catch(refuseUnsyncedIndex)
    .catch(nullOn(RPC_INVALID_ADDRESS_OR_KEY))
  if (found === null) return null
  if (found.blockhash !== undefined && (found.confirmations ?? 0) === 0) return null
  return { txid, hex: found.hex, blockHash: found.blockhash ?? null }
}

/** "Block not available (pruned data)", "(not fully downloaded)": rpc/blockchain.cpp. */
const refuseMissingBody =
  (hash: BlockHash) =>
  (error: unknown): never => {
    const missing = error instanceof RpcError && error.code === RPC_MISC_ERROR
    throw missing ? new BlockUnavailableError(hash) : error
  }

/** A whitelist without the method answers 403; a proxy before the node may not know the method. */
function refuseProof(error: unknown): never {
  const isRefused =
    error instanceof NodeUnavailableError &&
    (error instanceof RpcError
      ? error.code === RPC_METHOD_NOT_FOUND
      : error.reason === 'node_unauthorized')
  throw isRefused ? new ProofRefusedError(error.reason, error.message, { cause: error }) : error
}

/** While the transaction index is being built, the node cannot say that a transaction is unknown. */
function refuseUnsyncedIndex(error: unknown): never {
  if (error instanceof RpcError && /in the process of being indexed/.test(error.message))
    throw new NodeUnavailableError('node_unavailable', error.message, { cause: error })
  throw error
}
