import { Transaction as BitcoinTransaction, Psbt } from 'bitcoinjs-lib'
import { BufferReader } from 'bitcoinjs-lib/src/bufferutils'
import { displayOrder } from '../domain/chain/hash256.ts'
import { outpointText } from '../domain/chain/outpoint.ts'
import {
  BlockUnavailableError,
  NodeUnavailableError,
} from '../ports/authorities/authority-errors.ts'
import type {
  AcceptAnswer,
  Block,
  BlockSource,
  ChainStatus,
  FoundTransaction,
  FullNode,
  Header,
  NodeChange,
  OutputAnswer,
  Transaction,
} from '../ports/authorities/full-node.ts'
import type { BlockHash, Outpoint, Txid, TxOut } from '../schemas/scalars.ts'
import { MISSING_INPUTS } from './node/acceptance.ts'
import type { ChainBlock } from './node/chain.ts'
import { merkleBlock } from './node/merkle-block.ts'
import type { RegtestNode } from './node/regtest-node.ts'
import { decodeTx, type Tx, UndecodableTransactionError } from './node/tx.ts'
import { checkScript, txOutOf } from './node/verify-scripts.ts'

/** Core's answer when it has no estimate: its minimum relay fee, 0.1 sat/vB. */
const FEE_RATE = '0.1'
const VERSION = 'devnet 1'

/** The devnet as a `FullNode`: answers as Bitcoin Core with `-txindex` and `-txospenderindex`. */
export class DevnetNode implements FullNode, BlockSource {
  readonly #node: RegtestNode

  constructor(node: RegtestNode) {
    this.#node = node
  }

  async chain(): Promise<ChainStatus> {
    return this.#chain()
  }

  #chain(): ChainStatus {
    const { tip } = this.#serving().chain
    return {
      network: 'regtest',
      tip: { height: tip.height, hash: tip.hash, time: tip.time, medianTime: tip.medianTime },
      initialBlockDownload: false,
      mempoolLoaded: this.#node.phase !== 'loading-mempool',
      prunedBelow: 0,
      version: VERSION,
    }
  }

  async blockHash(height: number): Promise<BlockHash | null> {
    return this.#serving().chain.at(height)?.hash ?? null
  }

  async blockHashes(heights: readonly number[]): Promise<readonly (BlockHash | null)[]> {
    const { chain } = this.#serving()
    return heights.map((height) => chain.at(height)?.hash ?? null)
  }

  async header(hash: BlockHash): Promise<Header | null> {
    const { chain } = this.#serving()
    const block = chain.block(hash)
    if (!block) return null
    const { height, parent, time, medianTime } = block
    const prevHash = parent?.hash ?? null
    return { height, hash, prevHash, time, medianTime, onBestChain: chain.isActive(block) }
  }

  async rawHeaders(hashes: readonly BlockHash[]): Promise<readonly (string | null)[]> {
    const { chain } = this.#serving()
    return hashes.map((hash) => chain.block(hash)?.raw.toHex(true) ?? null)
  }

  async merkleProof(txid: Txid, blockHash: BlockHash): Promise<string | null> {
    const block = this.#serving().chain.block(blockHash)
    const index = block?.txs.findIndex((tx) => tx.txid === txid) ?? -1
    return block && index >= 0 ? merkleBlock(block.raw, index).toString('hex') : null
  }

  async block(hash: BlockHash): Promise<Block | null> {
    const block = this.#serving().chain.block(hash)
    if (!block) return null
    const { height, parent, time, txs } = block
    return { height, hash, prevHash: parent?.hash ?? null, time, transactions: txs.map(answerOf) }
  }

  async rawBlock(hash: BlockHash): Promise<Uint8Array | null> {
    return this.#serving().chain.block(hash)?.raw.toBuffer() ?? null
  }

  async prevouts(
    blockHash: BlockHash,
    txids: readonly Txid[],
  ): Promise<ReadonlyMap<string, readonly TxOut[]> | null> {
    const block = this.#serving().chain.block(blockHash)
    const spends = new Map<string, readonly TxOut[]>()
    for (const txid of txids) {
      const index = block?.txs.findIndex((tx) => tx.txid === txid) ?? -1
      if (!block || index < 0) return null
      // Never connected, so the coins that it would have spent are unknown.
      const coins = block.undo[index - 1]
      if (!coins) throw new BlockUnavailableError(blockHash)
      spends.set(txid, coins.map(txOutOf))
    }
    return spends
  }

  async output(outpoint: Outpoint): Promise<OutputAnswer> {
    return this.#output(outpoint)
  }

  async outputAtTip(outpoint: Outpoint): Promise<{ chain: ChainStatus; output: OutputAnswer }> {
    const output = this.#output(outpoint)
    return { chain: this.#chain(), output }
  }

  async outputs(outpoints: readonly Outpoint[]): Promise<readonly OutputAnswer[]> {
    this.#withMempool()
    return outpoints.map((outpoint) => this.#output(outpoint))
  }

  #output(outpoint: Outpoint): OutputAnswer {
    const { chain, mempool } = this.#withMempool()
    const key = outpointText(outpoint)
    const { hash: bestBlock, height: tipHeight } = chain.tip
    const confirmed = chain.coin(key)
    const coin = confirmed ?? mempool.coin(key, tipHeight + 1)
    const spent = mempool.spender(key) !== undefined
    if (!coin || (spent && !confirmed)) return { status: 'absent' }
    return {
      status: spent ? 'spent-in-mempool' : 'unspent',
      output: txOutOf(coin),
      coinbase: coin.coinbase,
      confirmations: tipHeight - coin.height + 1,
      bestBlock,
    }
  }

  async mempoolSpenders(outpoints: readonly Outpoint[]): Promise<readonly (Txid | null)[]> {
    const { mempool } = this.#withMempool()
    return outpoints.map((outpoint) => mempool.spender(outpointText(outpoint)) ?? null)
  }

  async confirmedSpender(outpoint: Outpoint): Promise<{ txid: Txid; blockHash: BlockHash } | null> {
    return this.#serving().chain.spender(outpointText(outpoint)) ?? null
  }

  async transaction(txid: Txid, blockHash?: BlockHash): Promise<FoundTransaction | null> {
    const { chain, mempool } = this.#serving()
    if (blockHash !== undefined) return foundIn(chain.block(blockHash), txid)
    const waiting = mempool.entries.get(txid)
    if (waiting) return { ...answerOf(waiting.tx), blockHash: null }
    const mined = chain.transaction(txid)
    // The index also remembers stale blocks, which count only when they are requested by hash.
    return mined && chain.isActive(mined.block)
      ? { ...answerOf(mined.tx), blockHash: mined.block.hash }
      : null
  }

  async mempool(): Promise<{ txids: readonly Txid[]; sequence: number }> {
    const { mempool } = this.#withMempool()
    return { txids: [...mempool.entries.keys()], sequence: mempool.sequence }
  }

  async mempoolTransactions(txids: readonly Txid[]): Promise<ReadonlyMap<string, Transaction>> {
    const { mempool } = this.#serving()
    const entries = txids.flatMap((txid) => mempool.entries.get(txid) ?? [])
    return new Map(entries.map(({ txid, tx }) => [txid, answerOf(tx)]))
  }

  async testAccept(transactionsHex: readonly string[]): Promise<readonly AcceptAnswer[]> {
    const node = this.#withMempool()
    return transactionsHex.map((hex) => acceptAnswer(node, hex))
  }

  async inputIsFinal(psbtBase64: string, index: number): Promise<boolean> {
    this.#serving()
    const psbt = readPsbt(psbtBase64)
    if (!psbt) return false
    const transaction = finalTransactionOf(psbt)
    const prevouts = psbt.data.inputs.map((_, inputIndex) => prevoutOf(psbt, inputIndex))
    return checkScript(transaction, index, prevouts) === 'valid'
  }

  async feeRate(): Promise<string> {
    this.#serving()
    return FEE_RATE
  }

  /** Blocks come when they are asked for: there is nothing to estimate from. */
  async feeEstimates(blocks: readonly number[]): Promise<readonly null[]> {
    this.#serving()
    return blocks.map(() => null)
  }

  async minimumFeeRate(): Promise<string> {
    this.#serving()
    return FEE_RATE
  }

  changes(signal: AbortSignal): AsyncIterable<NodeChange> {
    return this.#node.pushes.subscribe(signal)
  }

  #serving(): RegtestNode {
    this.#node.assertServing()
    return this.#node
  }

  /** A mempool still being read from disk does not show that a transaction is absent. */
  #withMempool(): RegtestNode {
    const node = this.#serving()
    if (node.phase === 'loading-mempool')
      throw new NodeUnavailableError(
        'node_mempool_loading',
        'the node is still loading its mempool',
      )
    return node
  }
}

/** As `testmempoolaccept` of one transaction. */
function acceptAnswer(node: RegtestNode, hex: string): AcceptAnswer {
  const refused = { allowed: false, vsize: null, feesSats: null }
  const tx = decodable(hex)
  if (!tx) return { txid: '', ...refused, rejectReason: 'TX decode failed' }
  const { txid, vsize } = tx
  const judged = node.test(tx)
  if (judged.allowed)
    return {
      txid,
      allowed: true,
      vsize,
      feesSats: judged.entry.feeSats.toString(),
      rejectReason: null,
    }
  const rejectReason = judged.reason === MISSING_INPUTS ? 'missing-inputs' : judged.reason
  return { txid, ...refused, rejectReason }
}

function decodable(hex: string): Tx | null {
  try {
    return decodeTx(hex)
  } catch (error) {
    if (error instanceof UndecodableTransactionError) return null
    throw error
  }
}

function readPsbt(psbtBase64: string): Psbt | null {
  try {
    return Psbt.fromBase64(psbtBase64)
  } catch {
    return null
  }
}

const answerOf = ({ txid, hex }: Tx): Transaction => ({ txid, hex })

function foundIn(block: ChainBlock | undefined, txid: Txid): FoundTransaction | null {
  const tx = block?.txs.find((candidate) => candidate.txid === txid)
  return block && tx ? { ...answerOf(tx), blockHash: block.hash } : null
}

/** The transaction with the final scripts that the PSBT carries. */
function finalTransactionOf(psbt: Psbt): BitcoinTransaction {
  const transaction = BitcoinTransaction.fromBuffer(psbt.data.globalMap.unsignedTx.toBuffer())
  psbt.data.inputs.forEach(({ finalScriptSig, finalScriptWitness }, index) => {
    if (finalScriptSig) transaction.setInputScript(index, finalScriptSig)
    if (finalScriptWitness) transaction.setWitness(index, witnessOf(finalScriptWitness))
  })
  return transaction
}

const witnessOf = (serialised: Uint8Array): Uint8Array[] =>
  new BufferReader(serialised).readVector()

/** Core prefers the whole previous transaction, when it is the one that the input names. */
function prevoutOf(psbt: Psbt, index: number): TxOut | null {
  const input = psbt.txInputs[index]
  const { nonWitnessUtxo, witnessUtxo } = psbt.data.inputs[index] ?? {}
  if (nonWitnessUtxo && input) {
    const previous = BitcoinTransaction.fromBuffer(nonWitnessUtxo)
    const output = previous.outs[input.index]
    if (!output || previous.getId() !== displayOrder(input.hash)) return null
    return txOutOf({ valueSats: output.value, script: output.script })
  }
  return witnessUtxo ? txOutOf({ valueSats: witnessUtxo.value, script: witnessUtxo.script }) : null
}
