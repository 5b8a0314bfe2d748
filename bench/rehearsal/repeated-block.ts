import { toTxid } from '../../test/support/ids.ts'
import { markerScript } from '../../test/support/pairing/pairing-scripts.ts'
import {
  coinbaseOf,
  shown,
  stored,
  transactionOf,
  twice,
  type WireTransaction,
} from './transactions.ts'

const MAGIC = Buffer.from('PAIR')
const CREATE = 1
const P2WSH = Buffer.from('0020', 'hex')

/**
 * Blocks that differ only in their first two transactions, so that thousands of them are made in no
 * time: the coinbase, and one that makes an object of the pairing protocol.
 */
export class RepeatedBlock {
  readonly #count: number
  readonly #bytes: Buffer
  /** What the hash of the first two is paired with, level by level. */
  readonly #branch: Buffer[]

  /** @param transactions how many there are besides those two */
  constructor(transactions: number) {
    const repeated = Array.from({ length: transactions }, (_, at) => transactionOf(at))
    this.#count = transactions + 2
    this.#bytes = Buffer.concat(repeated.map(({ bytes }) => bytes))
    this.#branch = branchOf(repeated.map(({ txid }) => stored(txid)))
  }

  /** Count and transactions, without the header. */
  bodyAt(height: number): Buffer {
    const count = Buffer.alloc(3)
    count.writeUInt8(0xfd, 0)
    count.writeUInt16LE(this.#count, 1)
    return Buffer.concat([count, coinbaseOf(height).bytes, objectOf(height).bytes, this.#bytes])
  }

  rootAt(height: number): Buffer {
    const first = twice(stored(coinbaseOf(height).txid), stored(objectOf(height).txid))
    return this.#branch.reduce((hash, other) => twice(hash, other), first)
  }
}

function branchOf(others: readonly Buffer[]): Buffer[] {
  const branch: Buffer[] = []
  let level: (Buffer | null)[] = [null, ...pairsOf(others)]
  while (level.length > 1) {
    branch.push(level[1] ?? Buffer.alloc(0))
    level = [null, ...pairsOf(level.slice(2).map((one) => one ?? Buffer.alloc(0)))]
  }
  return branch
}

function pairsOf(level: readonly Buffer[]): Buffer[] {
  const pairs: Buffer[] = []
  for (let at = 0; at < level.length; at += 2) {
    const left = level[at] ?? Buffer.alloc(0)
    pairs.push(twice(left, level[at + 1] ?? left))
  }
  return pairs
}

/** One input, an output of a script hash, and the marker that puts an object there. */
export function objectOf(height: number): WireTransaction {
  const contentHash = twice(Buffer.from(String(height)))
  const body = Buffer.concat([Buffer.of(0), contentHash, Buffer.of(0)])
  const outputs = [Buffer.concat([P2WSH, contentHash]), markerScript('direct', MAGIC, CREATE, body)]
  const bytes = Buffer.concat([
    Buffer.from('0200000001', 'hex'),
    contentHash,
    Buffer.from('0000000000fdffffff02', 'hex'),
    ...outputs.flatMap((script) => [Buffer.alloc(8), Buffer.of(script.length), script]),
    Buffer.alloc(4),
  ])
  return { txid: toTxid(shown(twice(bytes))), bytes }
}
