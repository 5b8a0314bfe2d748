import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import {
  faultOfProof,
  MAX_PROOF_BYTES,
  parseProof,
} from '../../src/pairing/agreement/check-proof.ts'
import { MalformedEnvelopeError } from '../../src/pairing/agreement/envelope.ts'
import { openPairingIndex, type PairingIndex } from '../../src/pairing/pairing-index.ts'
import { MAX_PROVED, proveCarrier, proveEvent, proveObject } from '../../src/pairing/prove.ts'
import type { Ask } from '../../src/pairing/questions.ts'
import type { PairingProof, ProofBody } from '../../src/schemas/api/pairing.ts'
import { memoryPairingStore } from '../support/folds/memory-pairing-store.ts'
import {
  at,
  create,
  elsewhere,
  hashBytes,
  LittleChain,
  move,
  p2wsh,
  transactionOf,
} from '../support/pairing/pairing-blocks.ts'
import { drawnBlocks, mineDrawn } from '../support/pairing/pairing-lives.ts'
import { SETTINGS } from '../support/pairing/pairing-story.ts'

const MAX = 10_000
const bytesOf = (value: unknown) => Buffer.from(JSON.stringify(value))

type Given = Readonly<Record<string, unknown>>
const proven = (index: PairingIndex, ask: Ask<ProofBody>, given: Given): PairingProof => ({
  ...index.read(ask(given, 'regtest')),
  envelope: null,
})

/** The proof of every existing record. */
function* proofsOf(index: PairingIndex): Generator<[record: unknown, proof: PairingProof]> {
  const { objects, carriers } = index.read((view) => ({
    objects: view.objects(MAX),
    carriers: view.carriers(MAX),
  }))
  for (const object of objects) {
    yield [object, proven(index, proveObject, { objectKey: object.objectKey })]
    for (const event of index.read((view) => view.eventsOf(object.objectKey, MAX))) {
      const given = { txid: event.txid, eventIndex: String(event.eventIndex) }
      yield [event, proven(index, proveEvent, given)]
    }
  }
  for (const carrier of carriers) {
    const given = { txid: carrier.txid, vout: String(carrier.vout) }
    yield [carrier, proven(index, proveCarrier, given)]
  }
}

test('every record of a chain is proved as it is, also after blocks were undone', async () => {
  await fc.assert(
    fc.asyncProperty(drawnBlocks(6), fc.nat({ max: 3 }), async (drawn, undone) => {
      const index = openPairingIndex({ store: memoryPairingStore(), settings: SETTINGS })
      const blocks = mineDrawn(drawn)
      await index.connect(blocks)
      for (let at = 0; at < Math.min(undone, blocks.length - 1); at += 1) await index.disconnect()
      for (const [record, proof] of proofsOf(index)) {
        expect(proof.record).toEqual(record)
        const read = parseProof(bytesOf(proof))
        expect(faultOfProof(read)).toBeNull()
        expect(read.checkpoint).toEqual(
          index.read((view) => view.checkpoint(Number(proof.checkpoint.height))),
        )
      }
    }),
    { numRuns: 40 },
  )
})

describe('a changed proof proves nothing', () => {
  let proof: PairingProof
  beforeAll(async () => {
    const index = openPairingIndex({ store: memoryPairingStore(), settings: SETTINGS })
    const made = [1, 2].map((seed) =>
      transactionOf([elsewhere(seed)], [p2wsh(seed), create(0, hashBytes(seed), `n${seed}`)]),
    )
    await index.connect([new LittleChain().mine(...made)])
    const [object] = index.read((view) => view.objects(1))
    proof = proven(index, proveObject, { objectKey: object?.objectKey })
    expect(proof.records).toHaveLength(2)
    expect(faultOfProof(proof)).toBeNull()
  })

  test.each<[string, (proof: PairingProof) => object, string]>([
    ['the record', ({ record }) => ({ record: { ...record, label: 'x' } }), 'record: is not'],
    ['the position', ({ position }) => ({ position: 1 - position }), 'record: is not'],
    ['a position outside', () => ({ position: 2 }), 'record: is not'],
    ['the order', ({ records }) => ({ records: records.toReversed() }), 'record: is not'],
    [
      'another record',
      ({ records, position }) => ({
        records: records.map((one, at) => (at === position ? one : { ...one, label: 'x' })),
      }),
      'records: their hash is not the objectsRoot',
    ],
    ['the kind', () => ({ kind: 'event' }), 'records: not all of them are of kind event'],
    ['the root below', () => ({ previousRoot: 'ab'.repeat(32) }), 'records: their hash'],
    ['no root below', () => ({ previousRoot: null }), 'previousRoot: '],
    [
      'the height of the checkpoint',
      ({ checkpoint }) => ({ checkpoint: { ...checkpoint, height: '9' } }),
      'checkpoint: its hash',
    ],
  ])('%s', (_what, change, fault) => {
    const changed = parseProof(bytesOf({ ...proof, ...change(proof) }))
    expect(faultOfProof(changed)).toContain(fault)
  })

  test.each<[string, (proof: PairingProof) => unknown]>([
    ['a field more', (one) => ({ ...one, more: 1 })],
    ['another format', (one) => ({ ...one, format: 'pairing-proof-2' })],
    ['an invalid hash', (one) => ({ ...one, previousRoot: 'AB'.repeat(32) })],
    ['an invalid envelope', (one) => ({ ...one, envelope: {} })],
    ['not an object', () => []],
  ])('%s is not read', (_what, change) => {
    expect(() => parseProof(bytesOf(change(proof)))).toThrow(MalformedEnvelopeError)
  })

  test('more bytes than any proof has are not read at all', () => {
    expect(() => parseProof(Buffer.alloc(MAX_PROOF_BYTES + 1))).toThrow('larger than')
  })
})

test('a block of many records has a proof up to its bound, and none beyond', async () => {
  const chain = new LittleChain()
  const blockOf = (size: number, seed: number) =>
    chain.mine(
      ...Array.from({ length: size }, (_, at) =>
        transactionOf([elsewhere(seed + at)], [p2wsh(seed + at), create(0, hashBytes(seed + at))]),
      ),
    )
  const index = openPairingIndex({ store: memoryPairingStore(), settings: SETTINGS })
  await index.connect([blockOf(MAX_PROVED, 1)])
  const [within] = index.read((view) => view.objects(1))
  const proof = proven(index, proveObject, { objectKey: within?.objectKey })
  expect(bytesOf(proof).length).toBeLessThan(MAX_PROOF_BYTES / 2)
  expect(faultOfProof(parseProof(bytesOf(proof)))).toBeNull()
  await index.connect([blockOf(MAX_PROVED + 1, 10_000)])
  const [beyond] = index.read((view) => view.carriers(1))
  for (const [ask, given] of [
    [proveObject, { objectKey: beyond?.objectKey }],
    [proveCarrier, { txid: beyond?.txid, vout: '0' }],
    [proveEvent, { txid: beyond?.txid, eventIndex: '0' }],
  ] as const) {
    expect(() => proven(index, ask, given)).toThrow('proof not found')
  }
})

test('the bound is of each kind: objects that moved are proved where their carriers are too many', async () => {
  const chain = new LittleChain()
  const half = Array.from({ length: MAX_PROVED / 2 + 1 }, (_, seed) => seed + 1)
  const made = half.map((seed) =>
    transactionOf([elsewhere(seed)], [p2wsh(seed), create(0, hashBytes(seed))]),
  )
  const moved = made.map((tx, seed) => transactionOf([at(tx)], [p2wsh(seed), move([0, 0])]))
  const index = openPairingIndex({ store: memoryPairingStore(), settings: SETTINGS })
  await index.connect([chain.mine(...made), chain.mine(...moved)])
  // Each move changes one object and two carriers, and makes one event.
  const [carrier] = index.read((view) => view.carriers(1))
  const given = { objectKey: carrier?.objectKey, txid: carrier?.txid, vout: '0', eventIndex: '0' }
  for (const ask of [proveObject, proveEvent]) {
    const proof = proven(index, ask, given)
    expect(proof.records).toHaveLength(half.length)
    expect(faultOfProof(parseProof(bytesOf(proof)))).toBeNull()
  }
  expect(() => proven(index, proveCarrier, given)).toThrow('proof not found')
})
