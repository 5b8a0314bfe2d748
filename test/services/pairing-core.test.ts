import { createHash } from 'node:crypto'
import type { Transaction } from 'bitcoinjs-lib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { openBitcoind } from '../../src/adapters/bitcoind/bitcoind.ts'
import { readBlock } from '../../src/domain/chain/raw-block.ts'
import { openPairingIndex, type PairingIndex } from '../../src/pairing/pairing-index.ts'
import type { BlockSource, FullNode } from '../../src/ports/authorities/full-node.ts'
import { Hash } from '../../src/schemas/scalars.ts'
import { type Deployment, foldAll, type MinedBlock, type Records } from '../oracle/pairing.ts'
import { memoryPairingStore } from '../support/folds/memory-pairing-store.ts'
import { toBlockHash, toTxid } from '../support/ids.ts'
import { expectAgreement, Known } from '../support/pairing/pairing-agreement.ts'
import {
  at,
  create,
  MAGIC,
  marker,
  move,
  pair,
  transactionOf,
  unpair,
} from '../support/pairing/pairing-blocks.ts'
import { p2wsh } from '../support/pairing/pairing-scripts.ts'
import { type Core, prepareCore } from '../support/services/core.ts'
import { systemClock } from '../support/system-clock.ts'

/**
 * Objects of a real chain: as serialised by Bitcoin Core, folded by the index and by the oracle.
 */

const FUNDING = 12
const MATURITY = 100
const START_HEIGHT = FUNDING + MATURITY + 1

/** Witness scripts that anyone can satisfy, OP_1 and OP_2: by the parity of the output's index. */
const witnessScript = (vout: number): Buffer => Buffer.from([0x51 + (vout % 2)])
const target = (vout: number): Buffer =>
  p2wsh(createHash('sha256').update(witnessScript(vout)).digest())
const content = (byte: number): Buffer => Buffer.alloc(32, byte)

const deployment: Deployment = {
  id: 'pairing-core',
  network: 'regtest',
  startHeight: START_HEIGHT,
  magic: MAGIC,
}

let core: Core
let node: FullNode & BlockSource & { close(): Promise<void> }
let index: PairingIndex
let coins: string[]
let coinbases = 0
const known = new Known()

beforeAll(async () => {
  core = await prepareCore()
  await core.start()
  node = openBitcoind({
    url: core.url,
    credentials: { cookieFile: core.cookieFile },
    network: 'regtest',
    mempoolPollMs: 100,
    clock: systemClock,
  })
  const { id, ...rest } = deployment
  index = openPairingIndex({ store: memoryPairingStore(), settings: { deployment: id, ...rest } })
  const funded = z
    .array(Hash)
    .parse(await core.rpc('generatetodescriptor', FUNDING, `raw(${target(0).toString('hex')})`))
  coins = await Promise.all(
    funded.map(async (hash) => {
      const [coinbase] = readBlock((await node.rawBlock(toBlockHash(hash)))!).transactions
      return `${coinbase!.txid}:0`
    }),
  )
  await core.rpc('generatetodescriptor', MATURITY, 'raw(51)')
})

afterAll(async () => {
  await node?.close()
  await core?.close()
})

const coin = (): string => coins.pop() ?? expect.fail('more coins were spent than were funded')

/** Spends outputs of `target` to outputs of `target` and to one or more markers after them. */
function spend(outpoints: readonly string[], targets: number, ...markers: Buffer[]): Transaction {
  const outputs = Array.from({ length: targets }, (_, vout) => target(vout))
  const transaction = transactionOf(outpoints, [
    ...outputs,
    ...markers.map((script): [Buffer, bigint] => [script, 0n]),
  ])
  for (const [input, outpoint] of outpoints.entries())
    transaction.ins[input]!.witness = [witnessScript(Number(outpoint.split(':')[1]))]
  return transaction
}

async function mine(...transactions: readonly Transaction[]): Promise<string> {
  coinbases += 1
  const anyone = `raw(04${coinbases.toString(16).padStart(8, '0')})`
  const hex = transactions.map((transaction) => transaction.toHex())
  return z.object({ hash: Hash }).parse(await core.rpc('generateblock', anyone, hex)).hash
}

/** Brings the index to the node's chain block by block; compares with the oracle after each. */
async function follow(): Promise<Records> {
  const { tip } = await node.chain()
  const blocks: MinedBlock[] = []
  // The oracle also gets blocks below the start height.
  for (let height = START_HEIGHT - 3; height <= tip.height; height += 1) {
    const hash = await node.blockHash(height)
    blocks.push({ height, bytes: (await node.rawBlock(hash!))! })
  }
  const hashes = new Map(blocks.map(({ height, bytes }) => [height, readBlock(bytes).hash]))
  for (let own = index.tip(); own && hashes.get(own.height) !== own.hash; own = index.tip())
    await index.disconnect()
  const agreeUpTo = (height: number): Records => {
    const records = foldAll(
      deployment,
      blocks.filter((block) => block.height <= height),
    )
    known.add(records)
    expectAgreement(index, records, known)
    return records
  }
  let records = agreeUpTo(index.tip()?.height ?? START_HEIGHT - 1)
  for (const { height, bytes } of blocks) {
    if (height <= (index.tip()?.height ?? START_HEIGHT - 1)) continue
    const block = readBlock(bytes)
    await index.connect([{ height, hash: block.hash, block }])
    records = agreeUpTo(height)
  }
  return records
}

const kinds = (records: Records, of: Transaction): string[] =>
  (records.events.get(of.getId()) ?? []).map(({ kind }) => kind)

test('what Bitcoin Core mines, and mines again elsewhere, is the same to index and oracle', async () => {
  const one = spend([coin()], 1, create(0, content(1), 'one'))
  const two = spend([coin()], 2, create(1, content(2), 'Two.2'))
  const three = spend([coin()], 1, create(0, content(3)))
  const paired = spend([at(two, 1), at(one)], 2, pair(1, 0, 0, 1))
  const half = spend([at(paired)], 1, move([0, 0]))
  const parted = spend([at(half), coin()], 2, unpair(0, 1))
  const several = spend([at(three)], 1, move([0, 0]), move([0, 0]))
  const unknown = spend([coin()], 1, marker(9, []))

  const first = await mine(one, two, three)
  const second = await mine(paired, half)
  const third = await mine(parted, several, unknown)
  const records = await follow()
  expect(kinds(records, paired)).toEqual([
    'carrier_moved',
    'carrier_moved',
    'objects_paired',
    'objects_paired',
  ])
  expect(kinds(records, half)).toEqual(['carrier_moved'])
  expect(kinds(records, parted)).toEqual(['pair_dissolved', 'pair_dissolved', 'carrier_moved'])
  expect(kinds(records, several)).toEqual(['object_released'])
  expect(records.transactions.get(toTxid(several.getId()))?.reason).toBe('multiple_markers')
  expect(records.transactions.get(toTxid(unknown.getId()))?.reason).toBe('unknown_opcode')

  // A branch where the pair is made later, and one half of it is released.
  await core.rpc('invalidateblock', second)
  const four = spend([coin()], 1, create(0, content(4), 'four'))
  const released = spend([at(paired, 1)], 1)
  await mine(four, several)
  await mine(paired, released)
  const branch = await follow()
  expect(kinds(branch, released)).toEqual(['pair_dissolved', 'pair_dissolved', 'object_released'])
  expect(branch.events.has(parted.getId())).toBe(false)

  // The first branch again: exactly the same checkpoints.
  await core.rpc('invalidateblock', await node.blockHash(START_HEIGHT + 1))
  await core.rpc('reconsiderblock', third)
  expect((await follow()).checkpoints).toEqual(records.checkpoints)

  // Below the start height: nothing is left of any block.
  await core.rpc('invalidateblock', await node.blockHash(START_HEIGHT - 1))
  await mine(one)
  expect((await follow()).tip).toBeNull()
  await mine(two)
  await mine(three)
  const anew = await follow()
  expect([...anew.transactions.keys()].sort()).toEqual([two.getId(), three.getId()].sort())
  expect(anew.checkpoints.get(START_HEIGHT)?.blockHash).not.toBe(first)
})
