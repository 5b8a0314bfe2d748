import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Block, Transaction } from 'bitcoinjs-lib'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { readBlock } from '../../src/domain/chain/raw-block.ts'
import { openPairingIndex, type PairingIndex } from '../../src/pairing/pairing-index.ts'
import {
  CheckpointTuple,
  PairingCarrier,
  PairingEvent,
  PairingObject,
  PairingTransaction,
} from '../../src/schemas/api/pairing.ts'
import { BlockHash, Network, Txid } from '../../src/schemas/scalars.ts'
import { type Deployment, foldAll, type MinedBlock, type Records } from '../oracle/pairing.ts'
import { memoryPairingStore } from '../support/folds/memory-pairing-store.ts'
import { toTxid } from '../support/ids.ts'
import { expectAgreement, Known } from '../support/pairing/pairing-agreement.ts'
import { markerScript, p2wsh } from '../support/pairing/pairing-scripts.ts'

const ByTxid = <Value>(value: z.ZodType<Value>) =>
  z
    .record(Txid, value)
    .transform((all) => Object.entries(all).map(([txid, one]) => [toTxid(txid), one] as const))

const Chain = z.strictObject({
  deployment: z.strictObject({
    id: z.string(),
    network: Network,
    startHeight: z.int(),
    magic: z.string(),
  }),
  blocks: z.array(z.strictObject({ height: z.int(), hex: z.string() })),
  tip: z.strictObject({ height: z.int(), hash: BlockHash }),
  objects: z.record(z.string(), PairingObject),
  carriers: z.record(z.string(), PairingCarrier),
  transactions: ByTxid(PairingTransaction),
  events: ByTxid(z.array(PairingEvent)),
  checkpoints: z.array(CheckpointTuple),
})

/** Made by make.py beside it, which shares no code with anything here. */
const FIXTURE = join(import.meta.dirname, '../fixtures/pairing/chain.json')
const MAGIC = Buffer.from('PAIR')

const changed = <K, V>(map: Map<K, V>, key: K, change: Partial<V>): Map<K, V> =>
  new Map([...map, [key, { ...map.get(key)!, ...change }]])
const without = <K, V>(map: Map<K, V>, key: K): Map<K, V> =>
  new Map([...map].filter(([one]) => one !== key))

async function indexOf(
  { id, network, startHeight, magic }: Deployment,
  blocks: readonly MinedBlock[],
): Promise<PairingIndex> {
  const settings = { deployment: id, network, startHeight, magic }
  const index = openPairingIndex({ store: memoryPairingStore(), settings })
  for (const { height, bytes } of blocks) {
    const block = readBlock(bytes)
    await index.connect([{ height, hash: block.hash, block }])
  }
  return index
}

describe('a chain whose records were written by hand', () => {
  const {
    deployment: told,
    blocks: hex,
    checkpoints,
    ...rest
  } = Chain.parse(JSON.parse(readFileSync(FIXTURE, 'utf8')))
  const deployment = { ...told, magic: Buffer.from(told.magic, 'hex') }
  const blocks = hex.map((block) => ({
    height: block.height,
    bytes: Buffer.from(block.hex, 'hex'),
  }))
  const expected: Records = {
    tip: rest.tip,
    objects: new Map(Object.entries(rest.objects)),
    carriers: new Map(Object.entries(rest.carriers)),
    transactions: new Map(rest.transactions),
    events: new Map(rest.events),
    checkpoints: new Map(checkpoints.map((one) => [Number(one.height), one])),
  }
  const known = new Known()
  known.add(expected)

  test('is what the oracle makes of it', () => {
    expect(foldAll(deployment, blocks)).toEqual(expected)
  })

  test('is what the index makes of it', async () => {
    expectAgreement(await indexOf(deployment, blocks), expected, known)
  })

  const [objectKey] = expected.objects.keys()
  const [outpoint] = expected.carriers.keys()
  const [txid] = expected.transactions.keys()
  const records = () => structuredClone(expected)
  const { objects, carriers, transactions, events } = records()
  test.each<[string, Partial<Records>]>([
    ['an object', { objects: changed(objects, objectKey!, { eventCount: 9 }) }],
    ['a carrier', { carriers: changed(carriers, outpoint!, { valueSats: '1' }) }],
    ['a transaction', { transactions: changed(transactions, txid!, { opcode: 9 }) }],
    [
      'an event',
      { events: new Map([...events, [txid!, [{ ...events.get(txid!)![0]!, to: null }]]]) },
    ],
    ['a checkpoint', { checkpoints: changed(records().checkpoints, 101, { eventsRoot: '' }) }],
    ['an event more', { events: without(events, txid!) }],
    ['a carrier more', { carriers: without(carriers, outpoint!) }],
    ['the tip', { tip: null }],
  ])('differs from another by %s, and the comparison says so', async (_, other) => {
    const index = await indexOf(deployment, blocks)
    expect(() => expectAgreement(index, { ...records(), ...other }, known)).toThrow(
      'to deeply equal',
    )
  })
})

describe('at the limits of a body', () => {
  const deployment: Deployment = { id: 'limits', network: 'regtest', startHeight: 0, magic: MAGIC }
  const createBody = (vout: number, label: string, length = label.length) =>
    Buffer.from([vout, ...Buffer.alloc(32), length, ...Buffer.from(label, 'latin1')])
  const moveBody = (names: readonly (readonly [number, number])[]) =>
    Buffer.from([names.length, ...names.flat()])
  const diagonal = (count: number) => Array.from({ length: count }, (_, n) => [n, n] as const)

  /** Carriers that the transaction spends as its inputs, by position; there are 17 objects. */
  type Case = [
    name: string,
    opcode: number,
    body: Buffer,
    expected: string | null,
    shape?: { inputs?: number; outputs?: number; carrierAt?: number },
  ]

  const cases: Case[] = [
    ['16 moves', 2, moveBody(diagonal(16)), null],
    ['17 moves', 2, moveBody(diagonal(17)), 'malformed_body'],
    ['no move', 2, moveBody([]), 'malformed_body'],
    ['the last of 256 inputs', 2, moveBody([[255, 0]]), null, { inputs: 256, carrierAt: 255 }],
    ['input 255 of 255', 2, moveBody([[255, 0]]), 'bad_input', { inputs: 255 }],
    ['the last of 256 outputs', 2, moveBody([[0, 255]]), null, { outputs: 256 }],
    ['output 255 of 255', 2, moveBody([[0, 255]]), 'bad_vout', { outputs: 254 }],
    ['output 255 of CREATE', 1, createBody(255, ''), null, { outputs: 256 }],
    ['the marker itself', 1, createBody(17, ''), 'not_p2wsh'],
    ['a label of 32', 1, createBody(0, 'L'.repeat(32)), null],
    ['a label of 33', 1, createBody(0, 'L'.repeat(33)), 'malformed_body'],
    ['a label of 255', 1, createBody(0, 'L'.repeat(255)), 'malformed_body'],
    ['a label longer than announced', 1, createBody(0, 'ab', 1), 'malformed_body'],
    ['a label shorter than announced', 1, createBody(0, 'ab', 3), 'malformed_body'],
    ['opcode 0', 0, createBody(0, ''), 'unknown_opcode'],
    ['opcode 5', 5, createBody(0, ''), 'unknown_opcode'],
    ['opcode 255 with a body of 65,000', 255, Buffer.alloc(65_000), 'unknown_opcode'],
    ...Array.from({ length: 256 }, (_, code): Case => {
      const char = String.fromCharCode(code)
      const isAllowed = code < 128 && /[A-Za-z0-9._-]/.test(char)
      const body = createBody(0, `a${char}`)
      return [`byte ${code} in a label`, 1, body, isAllowed ? null : 'malformed_body']
    }),
  ]

  test.each(cases)('%s', async (_, opcode, body, expected, shape = {}) => {
    const creates = Array.from({ length: 17 }, (_, n) =>
      transactionOf(
        [[Buffer.alloc(32, n + 1), 0]],
        [p2wsh(Buffer.alloc(32, n)), markerScript('direct', MAGIC, 1, createBody(0, ''))],
      ),
    )
    const { inputs = 17, outputs = 17, carrierAt = 0 } = shape
    const spent = Array.from({ length: inputs }, (_, n): [Uint8Array, number] => {
      const create = creates[n - carrierAt]
      return create ? [create.getHash(), 0] : [Buffer.alloc(32, 0xee), n]
    })
    const scripts = Array.from({ length: outputs }, (_, n) => p2wsh(Buffer.alloc(32, n)))
    const subject = transactionOf(spent, [
      ...scripts,
      markerScript('pushdata1', MAGIC, opcode, body),
    ])
    const blocks = chainOf([creates, [subject]])
    const records = foldAll(deployment, blocks)
    expect(records.transactions.get(toTxid(subject.getId()))).toMatchObject({
      opcode,
      valid: expected === null,
      reason: expected,
    })
    const known = new Known()
    known.add(records)
    expectAgreement(await indexOf(deployment, blocks), records, known)
  })
})

function transactionOf(
  inputs: readonly (readonly [hash: Uint8Array, vout: number])[],
  scripts: readonly Uint8Array[],
): Transaction {
  const transaction = new Transaction()
  for (const [hash, vout] of inputs) transaction.addInput(hash, vout)
  for (const script of scripts) transaction.addOutput(script, 1_000n)
  return transaction
}

/** From height 0. */
function chainOf(blocks: readonly (readonly Transaction[])[]): MinedBlock[] {
  let prevHash: Uint8Array = Buffer.alloc(32)
  return blocks.map((transactions, height) => {
    const block = new Block()
    block.prevHash = prevHash
    block.merkleRoot = Buffer.alloc(32, height)
    const coinbase = transactionOf([[Buffer.alloc(32), 0xffffffff]], [Buffer.from([0x51, height])])
    block.transactions = [coinbase, ...transactions]
    prevHash = block.getHash()
    return { height, bytes: block.toBuffer() }
  })
}
