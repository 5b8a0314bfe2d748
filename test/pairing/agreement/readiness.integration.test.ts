import { describe, expect, test } from 'vitest'
import { pairingReadiness, type ReadinessParts } from '../../../src/pairing/agreement/readiness.ts'
import { NodeUnavailableError } from '../../../src/ports/authorities/authority-errors.ts'
import { StorageUnavailableError } from '../../../src/ports/log/storage-errors.ts'
import { READINESS_REASONS, ReadinessSnapshot } from '../../../src/schemas/api/pairing.ts'
import type { NodeTrouble } from '../../../src/schemas/evidence.ts'
import { MemoryPairingViews } from '../../support/folds/memory-pairing-views.ts'
import { hash, recordsOf, TIP } from '../../support/pairing/pairing-pipeline.ts'

// Spec 2: the readiness snapshot, its ten gates and their order.

const chain = (height = TIP, initialBlockDownload = false) => ({
  chain: async () => ({
    network: 'regtest' as const,
    tip: { height, hash: hash('tip'), medianTime: 0, time: 0 },
    initialBlockDownload,
    mempoolLoaded: true,
    prunedBelow: 0,
    version: 'test',
  }),
})
const failing = (reason: NodeTrouble) => ({
  chain: async () => {
    throw new NodeUnavailableError(reason, 'as the test says')
  },
})
const brokenViews = () => {
  const views = new MemoryPairingViews(recordsOf())
  views.broken = new StorageUnavailableError('io', 'as the test says')
  return views
}
const viewsAt = (changes: Partial<MemoryPairingViews['records']>) =>
  new MemoryPairingViews({ ...recordsOf(), ...changes })

const partsWith = (changes: Partial<ReadinessParts>): ReadinessParts => ({
  configurationValid: true,
  signerConfigured: true,
  node: chain(),
  views: viewsAt({}),
  maxBlockLag: 2,
  timeoutMs: 50,
  cacheForMs: 0,
  ...changes,
})
const snapshotWith = (changes: Partial<ReadinessParts>) => pairingReadiness(partsWith(changes))()
const reasonsWith = async (changes: Partial<ReadinessParts>) =>
  (await snapshotWith(changes)).reasons

const UNREACHABLE = [
  'bitcoin_core_unavailable',
  'bitcoin_network_mismatch',
  'bitcoin_core_initial_block_download',
  'node_height_unknown',
]

describe('each gate, alone [pairing 2 rule 3]', () => {
  test.each<[string[], Partial<ReadinessParts>]>([
    [[], {}],
    [['configuration_invalid'], { configurationValid: false }],
    [
      ['database_unavailable', 'canonical_tip_missing', 'checkpoint_incomplete'],
      { views: brokenViews() },
    ],
    [UNREACHABLE, { node: null }],
    [UNREACHABLE, { node: failing('node_unavailable') }],
    [UNREACHABLE.slice(1), { node: failing('node_wrong_network') }],
    [['bitcoin_core_initial_block_download'], { node: chain(TIP, true) }],
    [['canonical_tip_missing', 'checkpoint_incomplete'], { views: viewsAt({ tip: null }) }],
    [['block_lag_exceeded'], { node: chain(TIP + 3) }],
    [['block_lag_exceeded'], { node: chain(TIP - 3) }],
    [[], { node: chain(TIP + 2) }],
    [[], { node: chain(TIP - 2) }],
    [['checkpoint_incomplete'], { views: viewsAt({ checkpoints: [] }) }],
    [
      ['checkpoint_incomplete'],
      { views: viewsAt({ checkpoints: recordsOf().checkpoints.slice(1) }) },
    ],
    [['agreement_signer_unavailable'], { signerConfigured: false }],
  ])('%j', async (reasons, changes) => {
    const snapshot = await snapshotWith(changes)
    expect(snapshot.reasons).toEqual(reasons)
    expect(snapshot.ready).toBe(reasons.length === 0)
    expect(ReadinessSnapshot.parse(snapshot)).toEqual(snapshot)
  })
})

test('every failing gate is reported, in the order of evaluation [pairing 2 rule 1] [pairing 2 rule 2]', async () => {
  const all = await reasonsWith({
    configurationValid: false,
    views: brokenViews(),
    node: null,
    signerConfigured: false,
  })
  // The lag is unknown where a height is.
  expect(all).toEqual(READINESS_REASONS.filter((reason) => reason !== 'block_lag_exceeded'))
  const some = { configurationValid: false, node: chain(TIP + 9), signerConfigured: false }
  expect(await reasonsWith(some)).toEqual([
    'configuration_invalid',
    'block_lag_exceeded',
    'agreement_signer_unavailable',
  ])
})

test('an unreachable node is exactly four entries [pairing 2 rule 2]', async () => {
  const node = { chain: () => new Promise<never>(() => {}) }
  const snapshot = await snapshotWith({ node })
  expect(snapshot.reasons).toEqual(UNREACHABLE)
  expect(snapshot).toMatchObject({
    coreAvailable: false,
    coreNetworkMatches: false,
    coreInitialBlockDownload: true,
    nodeHeight: null,
    canonicalHeight: TIP,
    checkpointHeight: TIP,
  })
})

test.each([
  ['configurationValid', false],
  ['databaseAvailable', false],
  ['coreAvailable', false],
  ['coreNetworkMatches', false],
  ['coreInitialBlockDownload', true],
  ['nodeHeight', null],
  ['canonicalHeight', null],
  ['checkpointHeight', null],
  ['maxBlockLag', 2],
  ['signerConfigured', false],
  ['ready', false],
  ['reasons', expect.any(Array)],
] as const)(
  'a snapshot has the same keys when all is well and when nothing is [pairing 2 Readiness.%s]',
  async (field, value) => {
    const failed = await snapshotWith({
      configurationValid: false,
      views: brokenViews(),
      node: null,
      signerConfigured: false,
    })
    const well = await snapshotWith({})
    expect(failed[field]).toEqual(value)
    expect(Object.keys(failed)).toEqual(Object.keys(well))
    expect(Object.keys(failed)).toEqual(Object.keys(ReadinessSnapshot.shape))
  },
)

test('concurrent callers share one snapshot', async () => {
  let asked = 0
  const node = {
    chain: () => {
      asked += 1
      return chain().chain()
    },
  }
  const readiness = pairingReadiness(partsWith({ node, cacheForMs: 10_000 }))
  const [one, other] = await Promise.all([readiness(), readiness()])
  expect(one).toBe(other)
  expect(await readiness()).toBe(one)
  expect(asked).toBe(1)
})
