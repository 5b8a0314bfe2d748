import { LmdbStore } from '../../src/adapters/embedded/lmdb/lmdb-store.ts'
import { openDivergences } from '../../src/adapters/embedded/stores/divergences.ts'
import { openPairingStore } from '../../src/adapters/embedded/stores/pairing-store.ts'
import { systemClock } from '../../src/adapters/embedded/system-clock.ts'
import { openHttpPeer } from '../../src/adapters/peer/http-peer.ts'
import { readBlock } from '../../src/domain/chain/raw-block.ts'
import { DEFAULT_HTTP_SETTINGS } from '../../src/http/app.ts'
import { buildMessageApp } from '../../src/http/message-app.ts'
import { pairingRoutes } from '../../src/http/pairing/routes.ts'
import type { Pipeline } from '../../src/pairing/agreement/signing.ts'
import { openPairingIndex } from '../../src/pairing/fold/pairing-index.ts'
import { openPairingService } from '../../src/pairing/pairing-service.ts'
import { DEVNET_SIGNING, DEVNET_TRUSTED } from '../../src/roles/devnet/devnet-pipelines.ts'
import { openLogger } from '../../src/roles/observe/logger.ts'
import { openMetrics } from '../../src/roles/observe/metrics.ts'
import { Config } from '../../src/schemas/config/config.ts'
import { toBlockHash } from '../../test/support/ids.ts'
import { type Channel, openWire } from '../wire.ts'

// One pipeline in a process of its own, over the blocks that it is given: the node is not measured.

interface Given {
  pipeline: Pipeline
  directory: string
  /** Serialised, in hex, from height 0. */
  blocks: string[]
  peerUrl: string | null
}

let fetches = 0

openWire(process as unknown as Channel, {
  start: async ({ pipeline, directory, blocks, peerUrl }: Given) => {
    const store = await LmdbStore.open(directory)
    const deployment = 'bench'
    const index = openPairingIndex({
      store: openPairingStore(store),
      settings: { deployment, network: 'regtest', startHeight: 0, magic: Buffer.from('PAIR') },
    })
    const placed = blocks.map((hex, height) => {
      const block = readBlock(Buffer.from(hex, 'hex'))
      return { height, hash: block.hash, block }
    })
    await index.connect(placed)
    const last = placed.at(-1)
    const tip = {
      height: last?.height ?? 0,
      hash: last?.hash ?? toBlockHash(''),
      time: 0,
      medianTime: 0,
    }
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
        deployment,
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
      addRoutes: (scope) => pairingRoutes(scope, service, { operators: [], now: Date.now }),
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
