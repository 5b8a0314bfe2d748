import { Block, opcodes, script, Transaction } from 'bitcoinjs-lib'
import type { BlockHash } from '../../schemas/scalars.ts'
import { POW_BITS } from './regtest.ts'
import { type Tx, wireHash } from './tx.ts'

export interface BlockPlan {
  prevHash: BlockHash
  height: number
  /** Unix seconds. */
  time: number
  transactions: readonly Tx[]
  /** Subsidy and fees. */
  rewardSats: bigint
  coinbaseScript: Uint8Array
  /** Makes two blocks of one height differ. */
  extraNonce: number
}

const BLOCK_VERSION = 0x20000000
const NO_PREVOUT = new Uint8Array(32)
const WITNESS_RESERVED = new Uint8Array(32)
/** BIP141: OP_RETURN, push of 36 bytes, and this header precede the commitment. */
const COMMITMENT_PREFIX = Buffer.from('6a24aa21a9ed', 'hex')

/** A block that satisfies regtest's powLimit, with BIP34 height and BIP141 commitment. */
export function buildBlock(plan: BlockPlan): Block {
  const coinbase = coinbaseOf(plan)
  const transactions = [coinbase, ...plan.transactions.map(({ raw }) => raw)]
  const commitment = Block.calculateMerkleRoot(transactions, true)
  coinbase.addOutput(Uint8Array.from([...COMMITMENT_PREFIX, ...commitment]), 0n)

  const block = new Block()
  block.version = BLOCK_VERSION
  block.prevHash = wireHash(plan.prevHash)
  block.timestamp = plan.time
  block.bits = POW_BITS
  block.transactions = transactions
  block.merkleRoot = Block.calculateMerkleRoot(transactions)
  block.witnessCommit = commitment
  while (!block.checkProofOfWork()) block.nonce++
  return block
}

function coinbaseOf({ height, extraNonce, coinbaseScript, rewardSats }: BlockPlan): Transaction {
  const coinbase = new Transaction()
  coinbase.version = 2
  const scriptSig = script.compile([
    heightChunk(height),
    script.number.encode(extraNonce + 1),
    Buffer.from('devnet'),
  ])
  coinbase.addInput(NO_PREVOUT, 0xffffffff, 0xffffffff, scriptSig)
  coinbase.setWitness(0, [WITNESS_RESERVED])
  coinbase.addOutput(coinbaseScript, rewardSats)
  return coinbase
}

/** BIP34: the height as Core pushes a number, so 1 to 16 are opcodes. */
const heightChunk = (height: number): number | Uint8Array =>
  height <= 16 ? opcodes['OP_1'] - 1 + height : script.number.encode(height)
