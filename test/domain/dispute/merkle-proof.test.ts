import { Block, Transaction } from 'bitcoinjs-lib'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { merkleBlock } from '../../../src/devnet/node/merkle-block.ts'
import { readHeader } from '../../../src/domain/dispute/block-header.ts'
import { hasProofOfWork, workOf } from '../../../src/domain/dispute/block-work.ts'
import { readMerkleProof } from '../../../src/domain/dispute/merkle-proof.ts'

/** The first block of mainnet. */
const GENESIS = Buffer.from(
  '0100000000000000000000000000000000000000000000000000000000000000000000003ba3edfd7a7b12b27ac72c3e67768f617fc81bc3888a51323a9fb8aa4b1e5e4a29ab5f49ffff001d1dac2b7c',
  'hex',
)

function blockOf(count: number): Block {
  const block = new Block()
  block.version = 1
  block.prevHash = Buffer.alloc(32, 7)
  block.timestamp = 1_700_000_000
  block.bits = 0x207fffff
  block.transactions = Array.from({ length: count }, (_, n) => {
    const transaction = new Transaction()
    transaction.locktime = n
    transaction.addInput(Buffer.alloc(32, 1), n)
    transaction.addOutput(Buffer.from([0x51]), BigInt(n))
    return transaction
  })
  block.merkleRoot = Block.calculateMerkleRoot(block.transactions)
  return block
}

describe('a header', () => {
  test('is read, and its proof of work checked against the limit of its network', () => {
    const header = readHeader(GENESIS)
    expect(header.hash).toBe('000000000019d6689c085ae165831e934ff763ae46a2a6c172b3f1b60a8ce26f')
    expect(header).toMatchObject({
      prevHash: '0'.repeat(64),
      time: 1_231_006_505,
      bits: 0x1d00ffff,
    })
    expect(hasProofOfWork(header, 'mainnet')).toBe(true)
    expect(workOf(header)).toBe(32)
  })

  test.each([
    ['a target above the limit', { bits: 0x1e00ffff }],
    ['a negative target', { bits: 0x1d80ffff }],
    ['a target of zero', { bits: 0x1d000000 }],
    ['a target beyond 256 bits', { bits: 0xff00ffff }],
    ['a hash above the target', { bits: 0x1b0404cb }],
  ])('%s is not a proof of work', (_name, changed) => {
    expect(hasProofOfWork({ ...readHeader(GENESIS), ...changed }, 'mainnet')).toBe(false)
  })

  test('of regtest has the easy target, which mainnet does not allow', () => {
    const easy = { ...readHeader(GENESIS), bits: 0x207fffff }
    expect(hasProofOfWork(easy, 'regtest')).toBe(true)
    expect(hasProofOfWork(easy, 'signet')).toBe(false)
    expect(workOf(easy)).toBe(1)
  })

  test('of another length is not a header', () => {
    expect(() => readHeader(GENESIS.subarray(1))).toThrow(RangeError)
  })
})

describe('a Merkle proof', () => {
  test('of any transaction of a block of any size is valid', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 40 }), fc.nat(), (count, place) => {
        const block = blockOf(count)
        const index = place % count
        const proof = readMerkleProof(merkleBlock(block, index))
        expect(proof.txids).toEqual([block.transactions?.[index]?.getId()])
        expect(proof.header.hash).toBe(block.getId())
      }),
      { numRuns: 60 },
    )
  })

  test('with a byte changed, removed or added proves nothing, or another header', () => {
    const block = blockOf(11)
    const proof = merkleBlock(block, 4)
    // No header commits to the number of transactions: another one may leave the branch unchanged.
    const isOfCount = (at: number) => at >= 80 && at < 84
    const place = fc.nat(proof.length - 1).filter((at) => !isOfCount(at))
    fc.assert(
      fc.property(place, fc.integer({ min: 1, max: 255 }), (at, by) => {
        const changed = Buffer.from(proof)
        changed[at] = (changed[at] ?? 0) ^ by
        expect(outcomeOf(changed)).not.toEqual(outcomeOf(proof))
      }),
      { numRuns: 400 },
    )
    for (const cut of [proof.subarray(0, -1), proof.subarray(1), Buffer.concat([proof, proof])])
      expect(outcomeOf(cut)).toBeNull()
  })

  test('with a pair of equal branches is refused (CVE-2012-2459)', () => {
    const block = blockOf(3)
    const doubled = new Block()
    Object.assign(doubled, block)
    doubled.transactions = [...(block.transactions ?? []), ...(block.transactions?.slice(2) ?? [])]
    expect(Block.calculateMerkleRoot(doubled.transactions)).toEqual(block.merkleRoot)
    expect(() => readMerkleProof(merkleBlock(doubled, 3))).toThrow('two equal branches')
  })

  test.each([0, 1, 4])(
    'that goes on below a transaction of 64 bytes is refused (CVE-2017-12842): %i bytes signed',
    (signed) => {
      const block = blockOf(1)
      const short = new Transaction()
      short.addInput(Buffer.alloc(32, 1), 0, 0xffffffff, Buffer.alloc(signed, 0x51))
      short.addOutput(Buffer.alloc(4 - signed, 0x51), 21_000n)
      const bytes = short.toBuffer()
      expect(bytes).toHaveLength(64)
      const [coinbase] = block.transactions ?? []
      block.transactions = coinbase ? [coinbase, short] : []
      block.merkleRoot = Block.calculateMerkleRoot(block.transactions)
      expect(readMerkleProof(merkleBlock(block, 1)).txids).toEqual([short.getId()])
      // The same root as of four transactions, of which the last is the second half of the short one.
      const halves = [bytes.subarray(0, 32), bytes.subarray(32)]
      const hashes = [coinbase?.getHash() ?? Buffer.alloc(0), ...halves]
      const proof = Buffer.concat([
        block.toBuffer(true),
        Buffer.from([4, 0, 0, 0, 3]),
        ...hashes,
        Buffer.from([1, 0b10101]),
      ])
      expect(() => readMerkleProof(proof)).toThrow('a node of the Merkle tree is a transaction')
    },
  )

  test.each([
    ['no transactions', 0],
    ['more than a block can have', 16_667],
  ])('of %s is refused', (_name, count) => {
    const proof = merkleBlock(blockOf(3), 0)
    proof.writeUInt32LE(count, 80)
    expect(() => readMerkleProof(proof)).toThrow('more transactions than a block can hold')
  })
})

function outcomeOf(bytes: Buffer) {
  try {
    const { header, txids } = readMerkleProof(bytes)
    return [header.hash, ...txids]
  } catch (error) {
    if (error instanceof RangeError) return null
    throw error
  }
}
