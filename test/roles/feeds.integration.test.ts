import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { playedOutput } from '../../src/devnet/protocol-play.ts'
import { playOn } from '../../src/roles/devnet/devnet-control.ts'
import { type CircleState, StateFeedRecord } from '../../src/schemas/api/circles.ts'
import { CheckpointFeedRecord } from '../../src/schemas/api/pairing.ts'
import { TOPICS, type Topic } from '../../src/schemas/log.ts'
import { describeRecord } from '../../src/streams/records/describe-record.ts'
import { type Market, openMarket } from '../support/market/market.ts'

let market: Market

beforeAll(async () => {
  market = await openMarket()
})
afterAll(() => market.end())

function devnet() {
  const { devnet: open } = market.authorities
  if (!open) throw new Error('this test needs the devnet')
  return open
}

function pairing() {
  if (!market.pairing) throw new Error('this test needs the pairing index')
  return market.pairing
}

/** The contents of the topic: the embedded log keeps only the last record of each key. */
async function recordsOf(topic: Topic): Promise<unknown[]> {
  const records: unknown[] = []
  for await (const batch of market.stores.log.stored(topic, 0, 0))
    records.push(...batch.map(({ value }) => value))
  return records
}

const checkpointRecords = async () =>
  (await recordsOf(TOPICS.checkpoints)).map((value) => CheckpointFeedRecord.parse(value))
const stateRecords = async () =>
  (await recordsOf(TOPICS.states)).map((value) => StateFeedRecord.parse(value))
const states = async () =>
  ((await market.get('/circles/states')).body as { items: CircleState[] }).items

/**
 * Every height up to the node's tip has its current record, signed; what is above it was
 * disconnected.
 */
async function expectCheckpoints(): Promise<void> {
  const { index, service } = pairing()
  const { tip } = await devnet().node.chain()
  expect(index.tip()).toEqual({ height: tip.height, hash: tip.hash })
  const records = await checkpointRecords()
  const byHeight = new Map(records.map((record) => [record.block.height, record]))
  expect(byHeight.size).toBe(records.length)
  for (let height = index.startHeight; height <= tip.height; height += 1) {
    const envelope = service.agreementAt({ height: String(height) })
    const { tuple } = envelope
    const block = { height, hash: tuple.blockHash }
    expect(byHeight.get(height)).toEqual({ schema: 1, kind: 'connected', block, tuple, envelope })
    byHeight.delete(height)
  }
  expect([...byHeight.values()].map(({ kind }) => kind)).toEqual(
    Array.from(byHeight, () => 'disconnected'),
  )
}

async function expectStates(): Promise<void> {
  const records = await stateRecords()
  const of = (wanted: StateFeedRecord['kind']) =>
    records.filter(({ kind }) => kind === wanted).map(({ state }) => state)
  const newestFirst = of('connected').sort((one, other) => other.revision - one.revision)
  expect(newestFirst).toEqual(await states())
  const revisions = records.map(({ state }) => state.revision)
  expect(new Set(revisions).size).toBe(records.length)
}

/** Once both folds are at the node's tip. */
const expectEqual = () =>
  vi.waitFor(
    async () => {
      await expectCheckpoints()
      await expectStates()
    },
    { timeout: 20_000, interval: 100 },
  )

test('checkpoints and states are in the log as they are folded, across reorgs and restarts', {
  timeout: 90_000,
}, async () => {
  const play = playOn(devnet(), market.config.PAIRING_MAGIC)
  await play.createObject('first')
  await play.closeLineage(playedOutput(await play.circle(3)))
  await expectEqual()
  const before = await states()
  expect(before).toHaveLength(2)

  // The block that closed the lineage is disconnected, and its contents.
  const { disconnected } = devnet().reorg(1, { dropTransactions: 'all' })
  await vi.waitFor(async () => expect(await states()).toHaveLength(1), { timeout: 10_000 })
  await expectEqual()
  const gone = (await stateRecords()).filter(({ kind }) => kind === 'disconnected')
  expect(gone.map(({ state }) => state)).toEqual([before[0]])
  expect(before[0]?.blockHash).toBe(disconnected[0])

  // Deeper than everything that was played, and with fewer revisions after it.
  devnet().reorg(12, { dropTransactions: 'all' })
  await vi.waitFor(async () => expect(await states()).toEqual([]), { timeout: 10_000 })
  await expectEqual()
  expect((await stateRecords()).map(({ kind }) => kind)).toEqual(['disconnected', 'disconnected'])

  await market.stop()
  market = await openMarket({}, { dataDir: market.dataDir })
  await playOn(devnet(), market.config.PAIRING_MAGIC).circle(2)
  await expectEqual()
  // The revision is that of a disconnected state, and its key is that of the new one.
  expect((await states()).map(({ revision }) => revision)).toEqual([1])
  const kinds = (await stateRecords()).map(({ kind, state }) => [state.revision, kind])
  expect(kinds.sort()).toEqual([
    [1, 'connected'],
    [2, 'disconnected'],
  ])
})

test('a line of `market tail` says what a record is about', async () => {
  const { service } = pairing()
  const { tuple } = service.agreementAt({ height: '1' })
  const block = { height: 1, hash: tuple.blockHash }
  const told = (topic: Topic, record: unknown) => {
    const { kind, what } = describeRecord(topic, 0, record)
    return `${kind} ${what}`
  }
  const connected = { schema: 1, kind: 'connected', block, tuple }
  const at = `block 1 ${tuple.blockHash}`
  const envelope = service.agreementAt({ height: '1' })
  expect(told(TOPICS.checkpoints, { ...connected, envelope })).toBe(
    `connected ${at}, checkpoint ${tuple.checkpointHash}, signed with devnet-a`,
  )
  expect(told(TOPICS.checkpoints, { ...connected, envelope: null })).toBe(
    `connected ${at}, checkpoint ${tuple.checkpointHash}, not signed`,
  )
  expect(told(TOPICS.checkpoints, { schema: 1, kind: 'disconnected', block })).toBe(
    `disconnected ${at}`,
  )
  const [state] = await states()
  expect(told(TOPICS.states, { schema: 1, kind: 'disconnected', state })).toBe(
    `disconnected revision ${state?.revision}, state ${state?.stateHash}, block ${state?.height} ${state?.blockHash}`,
  )
  expect(told(TOPICS.states, { schema: 2, kind: 'connected', state })).toMatch(/^unreadable /)
})
