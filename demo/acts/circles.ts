import { playedOutput } from '../../src/devnet/protocol-play.ts'
import { CircleState, Lineage, Shard } from '../../src/schemas/api/circles.ts'
import { fields, textOf } from '../stage/readable.ts'
import type { Stage } from '../stage/stage.ts'
import type { World } from '../stage/world.ts'

/** Circles of 2, 3 and 16 members; a lineage continues, another is closed; a reorg undoes that. */
export async function circles(stage: Stage, world: World): Promise<void> {
  stage.act(
    'Circles: a graph as one hash',
    'A circle joins 2 to 16 taproot outputs, each to its successor. All lineages, shards, circles and edges are one canonical document, and its hash is the state.',
  )
  const { play } = world
  const { revision } = await stage.becomes('/circles/state', {
    status: 200,
    shape: CircleState,
    shows: fields('revision', 'stateHash'),
  })

  stage.step('Two members begin, a third joins them, and sixteen make one of their own.')
  const two = await play.circle(2)
  const three = await play.circle(3, two.outpoints)
  const sixteen = await play.circle(16)
  stage.deed('members', [
    ['circle of 2', textOf(two.txid)],
    ['circle of 3', textOf(three.txid)],
    ['circle of 16', textOf(sixteen.txid)],
  ])
  const { stateHash } = await stage.becomes('/circles/state', {
    status: 200,
    shape: CircleState,
    is: { revision: revision + 3 },
    shows: fields('revision', 'stateHash', 'height'),
  })
  const spent = await stage.get(`/circles/shards/${two.outpoints[0]}`, {
    status: 200,
    shape: Shard,
    is: { spentByTxid: three.txid },
    shows: fields('lineageId', 'valueSats', 'createdByCircle', 'spentByTxid'),
  })
  await stage.get(`/circles/lineages/${spent.lineageId}`, {
    status: 200,
    shape: Lineage,
    is: { status: 'active', circleCount: 2, currentOutpoint: three.outpoints[0] },
    shows: fields('status', 'circleCount', 'genesisOutpoint', 'currentOutpoint'),
  })

  stage.step('A shard is spent outside of any circle: its lineage closes.')
  const closed = await play.closeLineage(playedOutput(three))
  await stage.becomes(`/circles/lineages/${spent.lineageId}`, {
    status: 200,
    shape: Lineage,
    is: { status: 'closed', currentOutpoint: null, closedByTxid: closed.txid },
    shows: fields('status', 'currentOutpoint', 'closedByTxid'),
  })

  stage.step('That block gives way to a longer branch: the state is what it was, hash for hash.')
  await world.replaceLastBlock()
  await stage.becomes('/circles/state', {
    status: 200,
    shape: CircleState,
    is: { revision: revision + 3, stateHash },
    shows: fields('revision', 'stateHash', 'height'),
  })
}
