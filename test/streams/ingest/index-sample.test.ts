import { describe, expect, test } from 'vitest'
import type { OutputAssets } from '../../../src/ports/authorities/asset-index.ts'
import type { Evidence } from '../../../src/schemas/evidence.ts'
import { TOPICS } from '../../../src/schemas/log.ts'
import {
  indexSample,
  LEAST_HOLDING,
  MAX_SAMPLED,
} from '../../../src/streams/ingest/index-sample.ts'
import { assetsOf, indexStatus } from '../../support/chain/scripted-authorities.ts'
import { ScriptedIndex } from '../../support/chain/scripted-index.ts'
import { toOutpointText } from '../../support/ids.ts'
import { MemoryLog } from '../../support/log/memory-log.ts'
import { ManualClock } from '../../support/manual-clock.ts'
import {
  blockAt,
  evidenceOf,
  hash,
  indexSays,
  nodeAway,
  TIP_HEIGHT,
} from '../../support/orders/evidence.ts'
import { changeBetween } from '../../support/orders/order-changes.ts'
import { liveOrder } from '../../support/orders/orders.ts'

const OLD = { ...blockAt(TIP_HEIGHT), version: 'ord 1' }
const NEW = { ...blockAt(TIP_HEIGHT), version: 'ord 2' }
const outpointOf = (n: number) => toOutpointText(`${hash(`output ${n}`)}:0`)
const held = (n: number) => [{ id: `${hash(`reveal ${n}`)}i0`, number: n, offset: '0' }]
const assets = (n: number, changes: Partial<OutputAssets> = {}): OutputAssets =>
  assetsOf({ inscriptions: held(n), ...changes })

interface World {
  log: MemoryLog
  index: ScriptedIndex
  asked: string[][]
}

/** This many outputs that, by the lifecycle, were answered under the old version. */
async function worldOf(outputs: number, evidence?: (n: number) => Evidence): Promise<World> {
  const log = new MemoryLog()
  const index = new ScriptedIndex()
  const asked: string[][] = []
  index.stand(blockAt(TIP_HEIGHT), NEW.version)
  const { contents } = index
  index.contents = (outpoints) => {
    asked.push(outpoints.map(({ txid, vout }) => `${txid}:${vout}`))
    return contents.call(index, outpoints)
  }
  for (let n = 0; n < outputs; n += 1) {
    const says =
      evidence ?? ((at) => evidenceOf({ index: indexSays({ at: OLD, inscriptions: held(at) }) }))
    const order = liveOrder({ id: hash(`order ${n}`), outpoint: outpointOf(n) })
    const value = { ...changeBetween(null, order), evidence: says(n) }
    await log.append([{ topic: TOPICS.lifecycle, partition: n % 4, key: '', value }])
    index.outputs.set(outpointOf(n), assets(n))
  }
  return { log, index, asked }
}

const isSame = ({ log, index }: World): Promise<boolean> =>
  indexSample({ log, index, clock: new ManualClock() })(OLD, NEW)

describe('an index under another version', () => {
  test('that says of every output what it said before is the same', async () => {
    expect(await isSame(await worldOf(LEAST_HOLDING))).toBe(true)
  })

  test.each<[string, OutputAssets | null]>([
    ['does not know one', null],
    ['has not examined one', assets(3, { indexed: false })],
    ['finds nothing in one', assets(3, { inscriptions: [] })],
    ['finds another inscription in one', assets(3, { inscriptions: held(4) })],
    ['finds runes in one', assets(3, { runes: [{ name: 'A', amount: '1' }] })],
    ['no longer indexes runes', assets(3, { runes: null })],
    ['numbers one differently', assets(3, { inscriptions: [{ ...held(3)[0]!, number: 9 }] })],
    ['locates one differently', assets(3, { inscriptions: [{ ...held(3)[0]!, offset: '9' }] })],
  ])('that %s is another one', async (_, now) => {
    const world = await worldOf(LEAST_HOLDING)
    if (now) world.index.outputs.set(outpointOf(3), now)
    else world.index.outputs.delete(outpointOf(3))
    expect(await isSame(world)).toBe(false)
  })

  test('is compared by what is not spent yet, and needs enough of that', async () => {
    const world = await worldOf(LEAST_HOLDING + 1)
    world.index.outputs.set(outpointOf(0), assets(0, { spent: true, inscriptions: [] }))
    expect(await isSame(world)).toBe(true)
    world.index.outputs.set(outpointOf(1), assets(1, { spent: true, inscriptions: [] }))
    expect(await isSame(world)).toBe(false)
  })

  test.each<[string, Evidence]>([
    [
      'under a third version',
      evidenceOf({ index: indexSays({ at: { ...OLD, version: 'ord 0' } }) }),
    ],
    ['of what it had not examined', evidenceOf({ index: indexSays({ at: OLD, indexed: false }) })],
    ['while the node was unavailable', evidenceOf({ node: nodeAway() })],
  ])('is not compared with what it said %s', async (_, evidence) => {
    expect(await isSame(await worldOf(20, () => evidence))).toBe(false)
  })

  test('does not count as the same where none of its answers are known', async () => {
    expect(await isSame(await worldOf(0))).toBe(false)
  })

  test('does not count as the same by outputs that hold nothing', async () => {
    const empty = evidenceOf({ index: indexSays({ at: OLD, inscriptions: [] }) })
    const world = await worldOf(20, () => empty)
    for (const outpoint of world.index.outputs.keys()) world.index.outputs.set(outpoint, assetsOf())
    expect(await isSame(world)).toBe(false)
  })

  test('is asked about a bounded number, those verified last, of every partition', async () => {
    const world = await worldOf(4 * MAX_SAMPLED)
    expect(await isSame(world)).toBe(true)
    const asked = world.asked.flat()
    expect(asked).toHaveLength(MAX_SAMPLED)
    const last = Array.from({ length: MAX_SAMPLED }, (_, n) => outpointOf(3 * MAX_SAMPLED + n))
    expect(asked.sort()).toEqual(last.sort())
  })

  test('that moved while it was asked is judged by its next answer', async () => {
    const world = await worldOf(20)
    const { output } = world.index
    world.index.output = (outpoint) => {
      world.index.at = indexStatus({ version: 'ord 3' })
      return output.call(world.index, outpoint)
    }
    await expect(isSame(world)).rejects.toThrow('moved')
  })
})
