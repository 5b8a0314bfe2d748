import { Block, Transaction } from 'bitcoinjs-lib'
import { describe, expect, test } from 'vitest'
import { GeneratedChain } from '../../../bench/rehearsal/chain.ts'
import { checkedLayout, FalseBlockError, layOut } from '../../../src/domain/chain/block-layout.ts'
import { RawBlock, readBlock } from '../../../src/domain/chain/raw-block.ts'
import { toBlockHash } from '../../support/ids.ts'

const HEADER_BYTES = 80

/** A block of these, in this order, whose header commits to them. */
function blockOf(transactions: Transaction[]): Block {
  const block = new Block()
  const prevHash = new Uint8Array(32)
  Object.assign(block, { version: 1, prevHash, timestamp: 1, bits: 1, nonce: 7 })
  block.transactions = transactions
  block.merkleRoot = Block.calculateMerkleRoot(transactions)
  return block
}

/** Every second one has a witness. */
function transactionOf(number: number): Transaction {
  const transaction = new Transaction()
  transaction.version = 2
  transaction.locktime = number
  for (let input = 0; input <= number % 3; input += 1) {
    transaction.addInput(Buffer.alloc(32, number + 1), input)
    if (number % 2 === 1) transaction.setWitness(input, [Buffer.alloc(300, number)])
  }
  transaction.addOutput(Buffer.alloc(22, number), BigInt(number))
  return transaction
}

const several = (count: number) => Array.from({ length: count }, (_, at) => transactionOf(at))

describe('a block is accepted as its header says', () => {
  test.each([1, 2, 3, 4, 5, 7, 8, 11])('with %i transactions', (count) => {
    const block = blockOf(several(count))
    const bytes = block.toBuffer()
    const layout = checkedLayout(toBlockHash(block.getId()), bytes)
    expect(layout).toEqual(layOut(bytes))
    const opened = new RawBlock(bytes, layout)
    expect(opened.hash).toBe(block.getId())
    expect(opened.transactions.map(({ txid }) => txid)).toEqual(
      block.transactions?.map((transaction) => transaction.getId()),
    )
  })

  test('as those of a generated mainnet', () => {
    for (const isRepeated of [false, true]) {
      const chain = new GeneratedChain({ height: 3, fullBlocks: 2, transactions: 300, isRepeated })
      for (const height of [1, 2, 3]) {
        const at = chain.at(height)
        if (!at) throw new Error('it has three blocks')
        checkedLayout(at.hash, chain.block(at))
      }
    }
  })
})

describe('a block is refused', () => {
  const transactions = several(6)
  const block = blockOf(transactions)
  const name = block.getId()
  const bytesWith = (others: readonly Transaction[]): Buffer =>
    Buffer.concat([
      block.toBuffer().subarray(0, HEADER_BYTES),
      Buffer.of(others.length),
      ...others.map((one) => one.toBuffer()),
    ])
  const opening =
    (bytes: Uint8Array, hash = toBlockHash(name)) =>
    () =>
      checkedLayout(hash, bytes)

  test('when its bytes hash to another block hash', () => {
    expect(opening(block.toBuffer(), toBlockHash('f'.repeat(64)))).toThrow(`it is block ${name}`)
    const header = block.toBuffer()
    header[70] = 1
    expect(opening(header)).toThrow(FalseBlockError)
  })

  test.each<[string, readonly Transaction[]]>([
    ['one is left out', transactions.slice(0, -1)],
    ['one is added', several(7)],
    ['two changed places', [...transactions.slice(0, 4), ...transactions.slice(4).reverse()]],
    ['one is another', [...transactions.slice(0, 5), transactionOf(9)]],
    ['there is none', []],
  ])('when its transactions are not those of its header: %s', (_how, others) => {
    expect(opening(bytesWith(others))).toThrow(
      'its transactions are not those that its header names',
    )
  })

  test('when the last ones are repeated: the root is the same (CVE-2012-2459)', () => {
    const twice = [...transactions, ...transactions.slice(4)]
    expect(Block.calculateMerkleRoot(twice)).toEqual(block.merkleRoot)
    expect(opening(bytesWith(twice))).toThrow('it repeats transactions')
  })

  test('when it is cut short, or has more bytes than its transactions', () => {
    const bytes = block.toBuffer()
    for (let length = HEADER_BYTES; length < bytes.length; length += 1) {
      expect(opening(bytes.subarray(0, length))).toThrow(RangeError)
    }
    expect(opening(Buffer.concat([bytes, Buffer.of(0)]))).toThrow(RangeError)
  })
})

describe('transactions are found by their bytes', () => {
  const MARK = Buffer.from('mark')
  const marked = (number: number): Transaction => {
    const transaction = transactionOf(number)
    transaction.addOutput(Buffer.concat([Buffer.of(0x6a), MARK]), 0n)
    return transaction
  }
  const spentKey = (number: number, input: number): string =>
    readBlock(blockOf([transactionOf(number)]).toBuffer()).transactions[0]?.spentKey(input) ?? ''
  const found = (transactions: Transaction[], spent: readonly string[], mark: Buffer = MARK) =>
    [...readBlock(blockOf(transactions).toBuffer()).transactionsWith(mark, new Set(spent))].map(
      ({ index }) => index,
    )

  test('those with a mark, whatever they spend', () => {
    expect(found([marked(0), ...several(3), marked(4), marked(5), transactionOf(6)], [])).toEqual([
      0, 4, 5,
    ])
    expect(found(several(5), [])).toEqual([])
  })

  test('those that spend an output, by any input, and each once', () => {
    const block = [...several(5), marked(5)]
    expect(found(block, [spentKey(2, 2)])).toEqual([2, 5])
    expect(found(block, [spentKey(5, 1), spentKey(0, 0)])).toEqual([0, 5])
    expect(found(block, [spentKey(9, 0)])).toEqual([5])
  })

  test('what is added while they are read counts from there on', () => {
    const spent = new Set<string>()
    const block = readBlock(blockOf([transactionOf(0), marked(1), ...several(5)]).toBuffer())
    const seen: number[] = []
    for (const { index } of block.transactionsWith(MARK, spent)) {
      seen.push(index)
      spent.add(spentKey(3, 0))
    }
    expect(seen).toEqual([1, 5])
  })

  test('a mark across two transactions is in the first, and hides none in the second', () => {
    const first = transactionOf(0)
    first.locktime = 0x006d_6d6d
    const bytes = blockOf([first, marked(2)]).toBuffer()
    const across = Buffer.from([0x6d, 0x00, 0x02])
    const block = readBlock(bytes)
    expect([...block.transactionsWith(across, new Set())].map(({ index }) => index)).toEqual([0])
    expect([...block.transactionsWith(MARK, new Set())].map(({ index }) => index)).toEqual([1])
  })
})
