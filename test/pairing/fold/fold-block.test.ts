import { beforeEach, describe, expect, test } from 'vitest'
import { toTxid } from '../../support/ids.ts'
import {
  at,
  create,
  elsewhere,
  hashBytes,
  marker,
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

describe('a transaction is recorded', () => {
  test('without a marker when it spends a carrier: no opcode, not valid, no reason', async () => {
    const tx = story.spend('a', OUT_0)
    await story.mine(tx)
    expect(story.rulingOf(tx)).toEqual([null, false, null])
  })

  test('with an invalid marker that does nothing: no events', async () => {
    const tx = transactionOf([elsewhere(5)], [marker(7, [])])
    await story.mine(tx)
    expect(story.rulingOf(tx)).toEqual([7, false, 'unknown_opcode'])
    expect(story.storyOf(tx)).toEqual([])
  })

  test.each([
    ['several markers', [move([0, 0]), create(0, hashBytes(6))], [null, false, 'multiple_markers']],
    ['an unknown opcode', [marker(9, [0])], [9, false, 'unknown_opcode']],
    ['a malformed body', [marker(2, [1, 0])], [2, false, 'malformed_body']],
    ['an input beyond', [move([0, 0], [2, 1])], [2, false, 'bad_input']],
    ['an input that carries nothing', [move([0, 0], [1, 1])], [2, false, 'input_not_carrier']],
    ['an output that is a marker', [move([0, 2])], [2, false, 'not_p2wsh']],
    ['no pair to dissolve', [unpair(0, 0)], [4, false, 'not_paired']],
  ])('with %s, and releases all that it spends', async (_, markers, ruling) => {
    const tx = story.spend('a-', OUT_0, OUT_1, ...markers)
    await story.mine(tx)
    expect(story.rulingOf(tx)).toEqual(ruling)
    expect(story.storyOf(tx)).toEqual(['object_released a'])
  })

  test('not when it neither has a marker nor spends a carrier', async () => {
    const tx = transactionOf([elsewhere(5)], [OUT_0, Buffer.from('6a0450414952', 'hex')])
    await story.mine(tx)
    expect(story.rulingOf(tx)).toBeNull()
  })

  test('not as a coinbase, whatever it says', async () => {
    const coinbase = transactionOf([], [OUT_0, create(0, hashBytes(4))])
    coinbase.addInput(Buffer.alloc(32), 0xffffffff, 0xffffffff, Buffer.from([1, 1]))
    await story.index.connect([story.chain.mineWith(coinbase)])
    expect(story.rulingOf(coinbase)).toBeNull()
  })
})

describe('in one block', () => {
  test('an object is made, moved, paired, unpaired and released', async () => {
    const made = transactionOf([elsewhere(1)], [OUT_0, create(0, hashBytes(1), 'x')])
    const moved = transactionOf([at(made)], [OUT_1, move([0, 0])])
    const paired = transactionOf(
      [at(moved), story.carriers.a ?? ''],
      [OUT_0, OUT_1, pair(0, 1, 0, 1)],
    )
    const unpaired = transactionOf([at(paired)], [OUT_2, unpair(0, 0)])
    const released = transactionOf([at(unpaired)], [OP_TRUE])
    await story.mine(made, moved, paired, unpaired, released)
    const stories = [made, moved, paired, unpaired, released].map((tx) =>
      story.storyOf(tx).map((line) => line.split(' ')[0]),
    )
    expect(stories).toEqual([
      ['object_created'],
      ['carrier_moved'],
      ['carrier_moved', 'carrier_moved', 'objects_paired', 'objects_paired'],
      ['pair_dissolved', 'pair_dissolved', 'carrier_moved'],
      ['object_released'],
    ])
    const [object] = story.index.read((view) => view.objects(1))
    expect(object).toMatchObject({ label: 'x', status: 'released', eventCount: 7, pairId: null })
    expect(story.index.read((view) => view.transaction(toTxid(released.getId())))).toMatchObject({
      transactionIndex: 5,
    })
    expect(story.objectNamed('a')).toMatchObject({ pairId: null, carrier: at(paired, 1) })
  })
})
