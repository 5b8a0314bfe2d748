import { beforeEach, describe, expect, test } from 'vitest'
import type { PairingEvent } from '../../src/schemas/api/pairing.ts'
import { toOutpointText, toTxid } from '../support/ids.ts'
import { at, move, p2wsh, transactionOf } from '../support/pairing/pairing-blocks.ts'
import { type PairingStory, pairingStory } from '../support/pairing/pairing-story.ts'

let story: PairingStory

beforeEach(async () => {
  story = await pairingStory()
})

const [OUT_0, OUT_1] = [100, 101].map(p2wsh) as [Buffer, Buffer]

describe('a release', () => {
  test('is reported with its origin, and leaves neither carrier nor address', async () => {
    const tx = story.spend('a', OUT_0)
    await story.mine(tx)
    const [event] = story.index.read((view) => view.events(toTxid(tx.getId())))
    expect(event).toMatchObject({
      kind: 'object_released',
      from: toOutpointText(story.carriers.a),
      to: null,
      pairId: null,
    } satisfies Partial<PairingEvent>)
    expect(story.objectNamed('a')).toMatchObject({
      status: 'released',
      carrier: null,
      address: null,
      eventCount: 2,
    })
  })

  test('of one half dissolves the pair for both', async () => {
    const pairId = await story.pairUp('ab')
    const tx = story.spend('b', OUT_0)
    await story.mine(tx)
    expect(story.storyOf(tx, { [pairId]: 'ab' })).toEqual([
      'pair_dissolved b of ab',
      'pair_dissolved a of ab',
      'object_released b',
    ])
    expect(story.objectNamed('b')).toMatchObject({
      status: 'released',
      pairId: null,
      pairedWith: null,
    })
    expect(story.objectNamed('a')).toMatchObject({
      status: 'active',
      pairId: null,
      pairedWith: null,
    })
  })

  test('of both halves dissolves the pair once', async () => {
    const pairId = await story.pairUp('ab')
    const tx = story.spend('ab', OUT_0)
    await story.mine(tx)
    expect(story.storyOf(tx, { [pairId]: 'ab' })).toEqual([
      'pair_dissolved a of ab',
      'pair_dissolved b of ab',
      'object_released a',
      'object_released b',
    ])
  })

  test('is final: nothing brings the object back', async () => {
    const tx = story.spend('a', OUT_0)
    await story.mine(tx)
    const next = transactionOf([at(tx)], [OUT_1, move([0, 0])])
    await story.mine(next)
    expect(story.rulingOf(next)).toEqual([2, false, 'input_not_carrier'])
    expect(story.objectNamed('a')).toMatchObject({ status: 'released', eventCount: 2 })
  })
})
