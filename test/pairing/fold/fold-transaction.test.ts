import { beforeEach, describe, expect, test } from 'vitest'
import { taggedHash } from '../../../src/domain/script/tagged-hash.ts'
import { toTxid } from '../../support/ids.ts'
import {
  at,
  create,
  elsewhere,
  hashBytes,
  move,
  OP_TRUE,
  p2wsh,
  pair,
  transactionOf,
  unpair,
} from '../../support/pairing/pairing-blocks.ts'
import { type PairingStory, pairingStory } from '../../support/pairing/pairing-story.ts'

let story: PairingStory

beforeEach(async () => {
  story = await pairingStory()
})

const [OUT_0, OUT_1, OUT_2] = [100, 101, 102].map(p2wsh) as [Buffer, Buffer, Buffer]

describe('CREATE', () => {
  test('makes an object, its carrier, one event and a transaction', async () => {
    const tx = transactionOf(
      [elsewhere(7)],
      [OP_TRUE, [p2wsh(9), 123_456_789_012n], create(1, hashBytes(7), 'Sun_1')],
    )
    await story.mine(tx)
    const { hash } = story.chain.blocks[1] ?? { hash: '' }
    const txid = toTxid(tx.getId())
    const vout = Buffer.from([1, 0, 0, 0])
    const objectKey = taggedHash(
      'pairing/object',
      Buffer.from(txid, 'hex').reverse(),
      vout,
      hashBytes(7),
    ).toString('hex')
    const carrier = story.index.read((view) => view.carrier(txid, 1))
    const address = carrier?.address ?? ''
    expect(address).toMatch(/^bcrt1q[0-9a-z]{58}$/)
    expect(story.index.read((view) => view.object(objectKey))).toEqual({
      objectKey,
      contentHash: hashBytes(7).toString('hex'),
      label: 'Sun_1',
      status: 'active',
      carrier: `${txid}:1`,
      address,
      pairId: null,
      pairedWith: null,
      createdTxid: txid,
      createdHeight: 1,
      eventCount: 1,
    })
    expect(carrier).toEqual({
      txid,
      vout: 1,
      objectKey,
      address,
      scriptHex: p2wsh(9).toString('hex'),
      valueSats: '123456789012',
      createdHeight: 1,
      spentByTxid: null,
      spentHeight: null,
    })
    expect(story.index.read((view) => view.events(txid))).toEqual([
      {
        txid,
        eventIndex: 0,
        height: 1,
        blockHash: hash,
        kind: 'object_created',
        objectKey,
        from: null,
        to: `${txid}:1`,
        pairId: null,
      },
    ])
    expect(story.index.read((view) => view.transaction(txid))).toEqual({
      txid,
      height: 1,
      blockHash: hash,
      transactionIndex: 1,
      opcode: 1,
      valid: true,
      reason: null,
    })
  })

  test('in a transaction that spends carriers releases them first', async () => {
    const pairId = await story.pairUp('ab')
    const tx = story.spend('cb', create(1, hashBytes(8)), OUT_0)
    await story.mine(tx)
    const [made] = story.index.read((view) => view.objects(1))
    expect(story.storyOf(tx, { [pairId]: 'ab' })).toEqual([
      'object_released c',
      'pair_dissolved b of ab',
      'pair_dissolved a of ab',
      'object_released b',
      `object_created ${made?.objectKey} to 1`,
    ])
    expect(made?.eventCount).toBe(1)
  })

  test('with the highest vout that there can be', async () => {
    const outputs = Array.from({ length: 256 }, (_, seed) => p2wsh(seed))
    const tx = transactionOf([elsewhere(7)], [...outputs, create(255, hashBytes(7))])
    await story.mine(tx)
    expect(story.storyOf(tx)).toEqual([
      expect.stringMatching(/^object_created [0-9a-f]{64} to 255$/),
    ])
  })
})

describe('MOVE', () => {
  test('changes carrier and address, and keeps the rest', async () => {
    const before = story.objectNamed('a')
    const tx = story.spend('a', OP_TRUE, OUT_0, move([0, 1]))
    await story.mine(tx)
    const [event] = story.index.read((view) => view.events(toTxid(tx.getId())))
    expect(event).toMatchObject({
      kind: 'carrier_moved',
      from: story.carriers.a,
      to: at(tx, 1),
      pairId: null,
    })
    const carrier = story.index.read((view) => view.carrier(toTxid(tx.getId()), 1))
    const object = { ...before, carrier: at(tx, 1), address: carrier?.address, eventCount: 2 }
    expect(story.objectNamed('a')).toEqual(object)
    expect(carrier).toMatchObject({ objectKey: story.keys.a, createdHeight: 1, spentByTxid: null })
    const [txid = ''] = story.carriers.a?.split(':') ?? []
    expect(story.index.read((view) => view.carrier(toTxid(txid), 0))).toMatchObject({
      objectKey: story.keys.a,
      createdHeight: 0,
      spentByTxid: tx.getId(),
      spentHeight: 1,
    })
  })

  test('lists carriers by input index, whatever the order of the body', async () => {
    const tx = story.spend('abc', OUT_0, OUT_1, OUT_2, move([2, 0], [0, 1], [1, 2]))
    await story.mine(tx)
    expect(story.storyOf(tx)).toEqual([
      'carrier_moved a to 1',
      'carrier_moved b to 2',
      'carrier_moved c to 0',
    ])
  })

  test('of both halves keeps the pair', async () => {
    const pairId = await story.pairUp('ab')
    const tx = story.spend('ba', OUT_0, OUT_1, move([0, 0], [1, 1]))
    await story.mine(tx)
    expect(story.storyOf(tx, { [pairId]: 'ab' })).toEqual([
      'carrier_moved b to 0 of ab',
      'carrier_moved a to 1 of ab',
    ])
    expect(story.objectNamed('a')).toMatchObject({
      pairId,
      pairedWith: story.keys.b,
      carrier: at(tx, 1),
    })
    expect(story.objectNamed('b')).toMatchObject({
      pairId,
      pairedWith: story.keys.a,
      carrier: at(tx, 0),
    })
  })

  test('of one half keeps the pair, and the mate where it is', async () => {
    const pairId = await story.pairUp('ab')
    const mate = story.objectNamed('b')
    const tx = story.spend('a', OUT_0, move([0, 0]))
    await story.mine(tx)
    expect(story.storyOf(tx, { [pairId]: 'ab' })).toEqual(['carrier_moved a to 0 of ab'])
    expect(story.objectNamed('a')).toMatchObject({ pairId, pairedWith: story.keys.b })
    expect(story.objectNamed('b')).toEqual(mate)
  })

  test('of one half, the other released by a lower input: no pair is left to report', async () => {
    const pairId = await story.pairUp('ab')
    const tx = story.spend('ba', OUT_0, move([1, 0]))
    await story.mine(tx)
    expect(story.storyOf(tx, { [pairId]: 'ab' })).toEqual([
      'pair_dissolved b of ab',
      'pair_dissolved a of ab',
      'object_released b',
      'carrier_moved a to 0',
    ])
    expect(story.objectNamed('a')).toMatchObject({
      status: 'active',
      pairId: null,
      pairedWith: null,
    })
  })

  test('of one half, the other released by a higher input: it is reported with its pair', async () => {
    const pairId = await story.pairUp('ab')
    const tx = story.spend('ab', OUT_0, move([0, 0]))
    await story.mine(tx)
    expect(story.storyOf(tx, { [pairId]: 'ab' })).toEqual([
      'carrier_moved a to 0 of ab',
      'pair_dissolved b of ab',
      'pair_dissolved a of ab',
      'object_released b',
    ])
    expect(story.objectNamed('a')).toMatchObject({
      status: 'active',
      pairId: null,
      pairedWith: null,
    })
  })

  test('of some carriers releases the others', async () => {
    const tx = story.spend('abc', OUT_0, move([1, 0]))
    await story.mine(tx)
    expect(story.storyOf(tx)).toEqual([
      'object_released a',
      'carrier_moved b to 0',
      'object_released c',
    ])
  })
})

describe('PAIR', () => {
  test('moves two objects, and reports the pair for A, then for B', async () => {
    const tx = story.spend('ab', OUT_0, OUT_1, pair(1, 0, 0, 1))
    await story.mine(tx)
    const [lower = '', higher = ''] = [story.keys.a ?? '', story.keys.b ?? ''].sort()
    const pairId = taggedHash(
      'pairing/pair',
      Buffer.from(lower, 'hex'),
      Buffer.from(higher, 'hex'),
      Buffer.from(tx.getId(), 'hex').reverse(),
    ).toString('hex')
    expect(story.storyOf(tx)).toEqual([
      'carrier_moved a to 1',
      'carrier_moved b to 0',
      `objects_paired b of ${pairId}`,
      `objects_paired a of ${pairId}`,
    ])
    expect(story.objectNamed('a')).toMatchObject({
      pairId,
      pairedWith: story.keys.b,
      eventCount: 3,
    })
    expect(story.objectNamed('b')).toMatchObject({
      pairId,
      pairedWith: story.keys.a,
      eventCount: 3,
    })
  })

  test('releases what else is spent, each carrier in its place', async () => {
    const otherPair = await story.pairUp('cd')
    const tx = story.spend('acb', OUT_0, OUT_1, pair(0, 2, 0, 1))
    await story.mine(tx)
    const pairId = story.objectNamed('a')?.pairId ?? ''
    expect(story.storyOf(tx, { [pairId]: 'ab', [otherPair]: 'cd' })).toEqual([
      'carrier_moved a to 0',
      'pair_dissolved c of cd',
      'pair_dissolved d of cd',
      'object_released c',
      'carrier_moved b to 1',
      'objects_paired a of ab',
      'objects_paired b of ab',
    ])
  })

  test('of an object whose mate is released by the same transaction is still invalid', async () => {
    const pairId = await story.pairUp('ab')
    const tx = story.spend('bac', OUT_0, OUT_1, pair(1, 2, 0, 1))
    await story.mine(tx)
    expect(story.rulingOf(tx)).toEqual([3, false, 'already_paired'])
    expect(story.storyOf(tx, { [pairId]: 'ab' })).toEqual([
      'pair_dissolved b of ab',
      'pair_dissolved a of ab',
      'object_released b',
      'object_released a',
      'object_released c',
    ])
  })

  test('again after an UNPAIR has another id', async () => {
    const first = await story.pairUp('ab')
    const tx = story.spend('a', OUT_0, unpair(0, 0))
    await story.mine(tx)
    story.carriers.a = at(tx)
    expect(await story.pairUp('ab')).not.toBe(first)
  })
})

describe('UNPAIR', () => {
  test('dissolves the pair, and the mate stays where it is', async () => {
    const pairId = await story.pairUp('ab')
    const mate = story.objectNamed('a')
    const tx = story.spend('b', OUT_0, unpair(0, 0))
    await story.mine(tx)
    expect(story.storyOf(tx, { [pairId]: 'ab' })).toEqual([
      'pair_dissolved b of ab',
      'pair_dissolved a of ab',
      'carrier_moved b to 0',
    ])
    expect(story.objectNamed('a')).toEqual({
      ...mate,
      pairId: null,
      pairedWith: null,
      eventCount: (mate?.eventCount ?? 0) + 1,
    })
    expect(story.objectNamed('b')).toMatchObject({
      pairId: null,
      pairedWith: null,
      carrier: at(tx),
    })
  })

  test('with the mate spent by a higher input: it is released, its pair gone already', async () => {
    const pairId = await story.pairUp('ab')
    const tx = story.spend('ab', OUT_0, unpair(0, 0))
    await story.mine(tx)
    expect(story.storyOf(tx, { [pairId]: 'ab' })).toEqual([
      'pair_dissolved a of ab',
      'pair_dissolved b of ab',
      'carrier_moved a to 0',
      'object_released b',
    ])
  })

  test('with the mate spent by a lower input: the pair is dissolved once, there', async () => {
    const pairId = await story.pairUp('ab')
    const tx = story.spend('ba', OUT_0, unpair(1, 0))
    await story.mine(tx)
    expect(story.storyOf(tx, { [pairId]: 'ab' })).toEqual([
      'pair_dissolved b of ab',
      'pair_dissolved a of ab',
      'object_released b',
      'carrier_moved a to 0',
    ])
  })
})
