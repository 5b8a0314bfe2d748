import { z } from 'zod'
import { playedOutput } from '../../src/devnet/protocol-play.ts'
import { CheckpointTuple, PairingEvent, PairingObject } from '../../src/schemas/api/pairing.ts'
import { fields, textOf } from '../stage/readable.ts'
import type { Stage } from '../stage/stage.ts'
import type { World } from '../stage/world.ts'

const Verified = z.strictObject({
  data: PairingObject,
  agreement: z.strictObject({
    height: z.int(),
    blockHash: CheckpointTuple.shape.blockHash,
    checkpointHash: CheckpointTuple.shape.checkpointHash,
    keyIds: z.strictObject({ A: z.string(), B: z.string() }),
  }),
})
const Events = z.strictObject({ txid: z.string(), events: z.array(PairingEvent) })
const Objects = z.strictObject({ items: z.array(PairingObject) })

/** An object is made, paired, moved, unpaired and released; two pipelines vouch for it. */
export async function objects(stage: Stage, world: World): Promise<void> {
  stage.act(
    'Objects that two pipelines vouch for',
    'An object lives on carriers, outputs that markers in transactions name. Two pipelines index them apart, and an answer is verified only while both sign for the same checkpoint.',
  )
  const { play } = world
  stage.step('Olga makes two objects.')
  const tower = await play.createObject('tower')
  const bridge = await play.createObject('bridge')
  stage.deed('olga', [
    ['makes', `tower on ${textOf(tower.outpoints[0])}`],
    ['makes', `bridge on ${textOf(bridge.outpoints[0])}`],
  ])
  const { items } = await stage.becomes('/pairing/objects?limit=2', {
    status: 200,
    shape: Objects,
    is: { 'items.0.label': 'bridge', 'items.1.label': 'tower' },
    shows: fields('items.0.label', 'items.0.carrier', 'items.1.label', 'items.1.carrier'),
  })
  const key = items[1]?.objectKey ?? ''
  const mate = items[0]?.objectKey ?? ''

  stage.step('They become a pair, and the pair moves on together.')
  const paired = await play.pairObjects(playedOutput(tower), playedOutput(bridge))
  const moved = await play.moveObjects(paired.outpoints)
  await stage.becomes(`/pairing/events/${paired.txid}`, {
    status: 200,
    shape: Events,
    is: { 'events.2.kind': 'objects_paired', 'events.3.kind': 'objects_paired' },
    shows: fields('events.0.kind', 'events.1.kind', 'events.2.kind', 'events.3.kind'),
  })

  stage.step(
    'A verified read: both pipelines signed for the same nine fields, before and after it.',
  )
  await stage.becomes(`/pairing/verified/objects/${key}`, {
    status: 200,
    shape: Verified,
    is: { 'data.carrier': moved.outpoints[0], 'data.pairedWith': mate },
    shows: fields(
      'data.label',
      'data.carrier',
      'data.pairedWith',
      'agreement.height',
      'agreement.checkpointHash',
      'agreement.keyIds.A',
      'agreement.keyIds.B',
    ),
  })

  stage.step('One of them leaves the pair; the other is spent as any coin, and is released.')
  await play.unpairObject(playedOutput(moved))
  await play.releaseObject(playedOutput(moved, 1))
  await stage.becomes(`/pairing/verified/objects/${mate}`, {
    status: 200,
    shape: Verified,
    is: { 'data.status': 'released', 'data.carrier': null, 'data.pairedWith': null },
    shows: fields('data.label', 'data.status', 'data.carrier', 'data.eventCount'),
  })
}
