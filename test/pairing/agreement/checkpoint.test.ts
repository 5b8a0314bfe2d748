import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { outpointText } from '../../../src/domain/chain/outpoint.ts'
import { sealCheckpoint } from '../../../src/pairing/agreement/checkpoint.ts'
import { openPairingIndex } from '../../../src/pairing/pairing-index.ts'
import type {
  CheckpointTuple,
  PairingCarrier,
  PairingEvent,
  PairingObject,
} from '../../../src/schemas/api/pairing.ts'
import type { BlockHash } from '../../../src/schemas/scalars.ts'
import { memoryPairingStore } from '../../support/folds/memory-pairing-store.ts'
import { toBlockHash } from '../../support/ids.ts'
import { drawnBlocks, mineDrawn } from '../../support/pairing/pairing-lives.ts'
import { SETTINGS } from '../../support/pairing/pairing-story.ts'

const sha256 = (...parts: (string | Buffer)[]): Buffer =>
  createHash('sha256')
    .update(Buffer.concat(parts.map((part) => Buffer.from(part))))
    .digest()
/**
 * RFC 8785 for what records are made of: flat objects of texts, whole numbers, booleans and null.
 */
const canonical = (record: object): string =>
  `{${Object.entries(record)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([key, value]) => `"${key}":${JSON.stringify(value)}`)
    .join(',')}}`
const canonicalArray = (records: readonly object[]): string =>
  `[${records.map(canonical).join(',')}]`

const ZEROS = '00'.repeat(32)
const place = {
  deployment: 'd',
  network: 'regtest',
  height: 7,
  blockHash: toBlockHash('ab'.repeat(32)),
} as const
const nothing = { transactions: [], objects: new Map(), carriers: new Map() }

test('an empty block at the start: every root from zeros and the empty array', () => {
  const empty = sha256('[]')
  const root = sha256(Buffer.alloc(32), empty).toString('hex')
  const content =
    `{"blockHash":"${'ab'.repeat(32)}","carriersRoot":"${root}","deployment":"d",` +
    `"eventsRoot":"${empty.toString('hex')}","height":"7","network":"regtest",` +
    `"objectsRoot":"${root}","previousCheckpointHash":"${ZEROS}"}`
  expect(sealCheckpoint(place, nothing, null)).toEqual({
    deployment: 'd',
    network: 'regtest',
    height: '7',
    blockHash: 'ab'.repeat(32),
    previousCheckpointHash: ZEROS,
    objectsRoot: root,
    carriersRoot: root,
    eventsRoot: empty.toString('hex'),
    checkpointHash: sha256(content).toString('hex'),
  })
})

test('by hand: SHA-256 of [] is the known value', () => {
  expect(sealCheckpoint(place, nothing, null).eventsRoot).toBe(
    '4f53cda18c2baa0c0354bb5f9a3ecbe5ed12ab4d8e11ba873c2f11161202b945',
  )
})

test('an empty block on another continues from its roots', () => {
  const first = sealCheckpoint(place, nothing, null)
  const second = sealCheckpoint({ ...place, height: 8 }, nothing, first)
  const next = sha256(Buffer.from(first.objectsRoot, 'hex'), sha256('[]')).toString('hex')
  expect(second).toMatchObject({
    height: '8',
    previousCheckpointHash: first.checkpointHash,
    objectsRoot: next,
    carriersRoot: next,
    eventsRoot: first.eventsRoot,
  })
})

test('carriers sort by txid, then by vout as a number; objects by key', () => {
  const carrier = (txid: string, vout: number) =>
    ({ txid: txid.repeat(32), vout }) as PairingCarrier
  const object = (key: string) => ({ objectKey: key.repeat(32) }) as PairingObject
  const carriers = [carrier('bb', 2), carrier('bb', 10), carrier('aa', 3), carrier('bb', 0)]
  const objects = [object('b0'), object('0b'), object('ff')]
  const sealed = sealCheckpoint(
    place,
    {
      transactions: [],
      carriers: new Map(carriers.map((one) => [outpointText(one), one])),
      objects: new Map(objects.map((one) => [one.objectKey, one])),
    },
    null,
  )
  const inOrder = [carrier('aa', 3), carrier('bb', 0), carrier('bb', 2), carrier('bb', 10)]
  const zeros = Buffer.alloc(32)
  expect(sealed.carriersRoot).toBe(sha256(zeros, sha256(canonicalArray(inOrder))).toString('hex'))
  const keys = [object('0b'), object('b0'), object('ff')]
  expect(sealed.objectsRoot).toBe(sha256(zeros, sha256(canonicalArray(keys))).toString('hex'))
})

test('every checkpoint of a chain follows from the records that are read at its height', async () => {
  await fc.assert(
    fc.asyncProperty(drawnBlocks(5), async (drawn) => {
      const blocks = mineDrawn(drawn)
      const index = openPairingIndex({ store: memoryPairingStore(), settings: SETTINGS })
      let before = recordsOf(index)
      let previous: CheckpointTuple | null = null
      for (const block of blocks) {
        await index.connect([block])
        const after = recordsOf(index)
        const events = block.block.transactions.flatMap((tx): PairingEvent[] =>
          index.read((view) => view.events(tx.txid)),
        )
        const expected = expectedTuple(block, previous, before, after, events)
        previous = index.read((view) => view.latestCheckpoint())
        expect(previous).toEqual(expected)
        before = after
      }
    }),
    { numRuns: 40 },
  )
})

const MAX = 10_000
type Records = ReturnType<typeof recordsOf>
const recordsOf = (index: ReturnType<typeof openPairingIndex>) =>
  index.read((view) => ({ objects: view.objects(MAX), carriers: view.carriers(MAX) }))

function expectedTuple(
  { height, hash }: { height: number; hash: BlockHash },
  previous: CheckpointTuple | null,
  before: Records,
  after: Records,
  events: PairingEvent[],
): CheckpointTuple {
  const changed = <T extends object>(earlier: readonly T[], later: readonly T[]): T[] => {
    const known = new Set(earlier.map(canonical))
    return later.filter((record) => !known.has(canonical(record)))
  }
  const objects = changed(before.objects, after.objects).sort((one, other) =>
    one.objectKey < other.objectKey ? -1 : 1,
  )
  const carriers = changed(before.carriers, after.carriers).sort((one, other) =>
    one.txid === other.txid ? one.vout - other.vout : one.txid < other.txid ? -1 : 1,
  )
  const root = (from: string | undefined, records: readonly object[]): string =>
    sha256(Buffer.from(from ?? ZEROS, 'hex'), sha256(canonicalArray(records))).toString('hex')
  const content = {
    deployment: 'test',
    network: 'regtest' as const,
    height: String(height),
    blockHash: hash,
    previousCheckpointHash: previous?.checkpointHash ?? ZEROS,
    objectsRoot: root(previous?.objectsRoot, objects),
    carriersRoot: root(previous?.carriersRoot, carriers),
    eventsRoot: sha256(canonicalArray(events)).toString('hex'),
  }
  return { ...content, checkpointHash: sha256(canonical(content)).toString('hex') }
}
