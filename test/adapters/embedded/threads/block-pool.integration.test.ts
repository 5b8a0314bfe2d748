import { afterAll, expect, test } from 'vitest'
import { GeneratedChain } from '../../../../bench/rehearsal/chain.ts'
import { openBlockPool } from '../../../../src/adapters/embedded/threads/block-pool.ts'
import { layOut } from '../../../../src/domain/chain/block-layout.ts'
import { RawBlock } from '../../../../src/domain/chain/raw-block.ts'
import { NodeUnavailableError } from '../../../../src/ports/authorities/authority-errors.ts'
import type { BlockHash } from '../../../../src/schemas/scalars.ts'
import { toBlockHash } from '../../../support/ids.ts'

const FULL = { height: 2, fullBlocks: 1, transactions: 1_000, isRepeated: true }
const chain = new GeneratedChain(FULL)
const pool = openBlockPool()
afterAll(() => pool.close())

const small = chain.at(1)!
const full = chain.at(2)!

test.each([
  ['a small block', small],
  ['a block of half a megabyte, in a thread', full],
])('%s is read as on this thread', async (_what, at) => {
  const bytes = chain.block(at)
  const here = new RawBlock(Buffer.from(bytes), layOut(bytes))
  const opened = await pool.open(at.hash, new Uint8Array(bytes))
  expect([opened.hash, opened.prevHash, opened.time]).toEqual([at.hash, at.prevHash, at.time])
  expect(opened.bytes.equals(bytes)).toBe(true)
  expect(opened.transactions.map(({ txid }) => txid)).toEqual(
    here.transactions.map(({ txid }) => txid),
  )
})

test('a view of a larger buffer does not change it', async () => {
  const bytes = chain.block(full)
  const among = new Uint8Array(bytes.length + 2)
  among.set(bytes, 1)
  const part = among.subarray(1, -1)
  expect((await pool.open(full.hash, part)).hash).toBe(full.hash)
  expect(part).toHaveLength(bytes.length)
})

test.each([
  ['small', small],
  ['large', full],
])('a %s body that is not the block is not an answer of a node', async (_what, at) => {
  const changed = new Uint8Array(chain.block(at))
  changed[changed.length - 1] = 1
  const cut = new Uint8Array(chain.block(at)).subarray(0, -1)
  const refused = (hash: BlockHash, bytes: Uint8Array) =>
    expect(pool.open(hash, bytes)).rejects.toThrow(NodeUnavailableError)
  await refused(at.hash, changed)
  await refused(at.hash, cut)
  await refused(toBlockHash('f'.repeat(64)), new Uint8Array(chain.block(at)))
  expect((await pool.open(at.hash, new Uint8Array(chain.block(at)))).hash).toBe(at.hash)
})
