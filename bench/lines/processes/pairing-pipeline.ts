import { LmdbStore } from '../../../src/adapters/embedded/lmdb/lmdb-store.ts'
import { openDivergences } from '../../../src/adapters/embedded/stores/divergences.ts'
import { openPairingStore } from '../../../src/adapters/embedded/stores/pairing-store.ts'
import { systemClock } from '../../../src/adapters/embedded/system-clock.ts'
import { openHttpPeer } from '../../../src/adapters/http-peer.ts'
import { DEFAULT_HTTP_SETTINGS } from '../../../src/http/app.ts'
import { buildMessageApp } from '../../../src/http/message-app.ts'
import { pairingRoutes } from '../../../src/http/pairing/routes.ts'
import type { Pipeline } from '../../../src/pairing/agreement/signing.ts'
import { openPairingIndex, type PairingIndex } from '../../../src/pairing/pairing-index.ts'
import { openPairingService } from '../../../src/pairing/pairing-service.ts'
import { DEVNET_SIGNING, DEVNET_TRUSTED } from '../../../src/roles/devnet/devnet-pipelines.ts'
import { openLogger } from '../../../src/roles/observe/logger.ts'
import { openMetrics } from '../../../src/roles/observe/metrics.ts'
import { Config } from '../../../src/schemas/config/config.ts'
import type { BlockRef } from '../../../src/schemas/scalars.ts'
import { hereOpened } from '../../../src/streams/blocks/open-block.ts'
import { TEST_CURSORS } from '../../../test/support/http/test-cursors.ts'
import { toBlockHash } from '../../../test/support/ids.ts'
import { serveParent } from '../../market/wire.ts'
import { BlockMaker } from '../books/fold-blocks.ts'

// One pipeline in a process of its own, over blocks that it makes itself, the same in each process:
// the node is not measured.

const OBJECTS_A_BLOCK = 1_000

interface Given {
  pipeline: Pipeline
  directory: string
  /** New ones, a thousand a block. */
  objects: number
}

interface Filled {
  pipeline: Pipeline
  store: LmdbStore
  index: PairingIndex
  tip: BlockRef
}

const DEPLOYMENT = 'bench'

let filled: Filled
let fetches = 0

serveParent({
  fill: async ({ pipeline, directory, objects }: Given) => {
    const store = await LmdbStore.open(directory)
    const index = openPairingIndex({
      store: openPairingStore(store),
      settings: {
        deployment: DEPLOYMENT,
        network: 'regtest',
        startHeight: 0,
        magic: Buffer.from('PAIR'),
      },
    })
    const maker = new BlockMaker()
    let tip = { height: 0, hash: toBlockHash('') }
    for (let made = 0; made < objects; made += OBJECTS_A_BLOCK) {
      const count = Math.min(OBJECTS_A_BLOCK, objects - made)
      const { height, hash, bytes } = maker.next({ objects: count, circles: 0, others: 0 })
      await index.connect([{ height, hash, block: await hereOpened.open(hash, bytes) }])
      tip = { height, hash }
    }
    filled = { pipeline, store, index, tip }
  },
  start: async ({ peerUrl }: { peerUrl: string | null }) => {
    const { pipeline, store, index } = filled
    const tip = { ...filled.tip, time: 0, medianTime: 0 }
    const chain = async () => ({
      network: 'regtest' as const,
      tip,
      initialBlockDownload: false,
      mempoolLoaded: true,
      prunedBelow: 0,
      version: 'bench',
    })
    const http = peerUrl === null ? null : openHttpPeer({ url: peerUrl, timeoutMs: 2_000 })
    const service = openPairingService({
      settings: {
        deployment: DEPLOYMENT,
        network: 'regtest',
        pipeline,
        maxBlockLag: 2,
        mainnetVerified: false,
        signing: DEVNET_SIGNING[pipeline],
        trusted: DEVNET_TRUSTED,
        readiness: { timeoutMs: 2_000, cacheForMs: 250 },
      },
      views: index,
      node: { chain },
      peer: http && {
        fetch: (height) => {
          fetches += 1
          return http.fetch(height)
        },
      },
      divergences: openDivergences(store),
      clock: systemClock,
      onMetric: () => {},
      onWithheld: (cause, detail) => process.stderr.write(`withheld: ${cause} ${detail}\n`),
      onFault: (_part, error) => process.stderr.write(`${String(error)}\n`),
    })
    const app = buildMessageApp({
      lagMs: () => 0,
      addRoutes: (scope, limiters) =>
        pairingRoutes(scope, service, {
          operators: [],
          limiters,
          now: Date.now,
          cursors: TEST_CURSORS,
        }),
      logger: openLogger(Config.parse({ LOG_LEVEL: 'silent' })),
      registry: openMetrics().registry,
      readiness: async () => ({ missing: [], degraded: [] }),
      clock: systemClock,
      settings: {
        ...DEFAULT_HTTP_SETTINGS,
        drainMs: 1_000,
        rateLimits: { ...DEFAULT_HTTP_SETTINGS.rateLimits, read: 10_000_000 },
      },
    })
    return await app.listen({ host: '127.0.0.1', port: 0 })
  },
  fetches: () => fetches,
  /** Processor time of all threads, microseconds. */
  cpu: () => {
    const { user, system } = process.cpuUsage()
    return user + system
  },
  end: () => {
    setImmediate(() => process.exit(0))
  },
})
