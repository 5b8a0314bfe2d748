import { expect, test } from 'vitest'
import { GeneratedChain } from '../../../bench/rehearsal/chain.ts'
import {
  BlockUnavailableError,
  NodeUnavailableError,
} from '../../../src/ports/authorities/authority-errors.ts'
import { hereOpened } from '../../../src/streams/blocks/open-block.ts'
import { shareBlocks } from '../../../src/streams/blocks/share-blocks.ts'
import { toBlockHash } from '../../support/ids.ts'

const chain = new GeneratedChain({ height: 9, fullBlocks: 0, transactions: 0 })
const hashAt = (height: number) => chain.at(height)?.hash ?? toBlockHash('')
const SIZE = chain.block(chain.tip).length

function counted(answer: (hash: string) => Promise<Uint8Array | null>) {
  const asked: string[] = []
  const rawBlock = (hash: string) => {
    asked.push(hash)
    return answer(hash)
  }
  return { asked, rawBlock }
}

const known = async (hash: string): Promise<Uint8Array | null> => {
  const at = chain.of(hash)
  return at && chain.block(at)
}

test('two that follow the same chain read each block once, also at the same moment', async () => {
  const source = counted(known)
  const read = shareBlocks(source, hereOpened)
  const [one, other] = await Promise.all([read(hashAt(1)), read(hashAt(1))])
  expect(one?.hash).toBe(hashAt(1))
  expect(other).toBe(one)
  expect(await read(hashAt(1))).toBe(one)
  expect(source.asked).toEqual([hashAt(1)])
})

test('no more bytes are cached than allowed, the oldest go first', async () => {
  const source = counted(known)
  const read = shareBlocks(source, hereOpened, 2 * SIZE)
  for (const height of [1, 2, 3]) await read(hashAt(height))
  await read(hashAt(3))
  await read(hashAt(2))
  expect(source.asked).toHaveLength(3)
  await read(hashAt(1))
  expect(source.asked).toHaveLength(4)
})

test('what a node could not answer is requested again', async () => {
  const failures = [
    new NodeUnavailableError('node_unavailable', 'away'),
    new BlockUnavailableError(toBlockHash('it')),
  ]
  const source = counted(async (hash) => {
    const failure = failures.shift()
    if (failure) throw failure
    return source.asked.length === 3 ? null : known(hash)
  })
  const read = shareBlocks(source, hereOpened)
  await expect(read(hashAt(1))).rejects.toThrow('away')
  await expect(read(hashAt(1))).rejects.toThrow(BlockUnavailableError)
  expect(await read(hashAt(1))).toBeNull()
  expect((await read(hashAt(1)))?.hash).toBe(hashAt(1))
})

test('a false body is not cached', async () => {
  let isLying = true
  const source = counted((hash) => known(isLying ? hashAt(2) : hash))
  const read = shareBlocks(source, hereOpened)
  await expect(read(hashAt(1))).rejects.toThrow(
    `block ${hashAt(1)} cannot be read: it is block ${hashAt(2)}`,
  )
  isLying = false
  expect((await read(hashAt(1)))?.hash).toBe(hashAt(1))
})
