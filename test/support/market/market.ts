import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type AllInOneOverrides, type Running, runAllInOne } from '../../../src/roles/all-in-one.ts'
import { Config } from '../../../src/schemas/config/config.ts'
import { type ApiClient, openApiClient } from './api-client.ts'
import { sharedSignatures } from './shared-signatures.ts'

/** The whole service in one process, on a folder of its own, used over HTTP. */
export interface Market extends Running, ApiClient {
  config: Config
  dataDir: string
  /** Stops the service and keeps its folder. */
  stop(): Promise<void>
  /** Stops the service and removes its folder. */
  end(): Promise<void>
}

/** Without the two indexes, which take a third of a start: for tests of orders alone. */
export const ORDERS_ONLY = { PAIRING_ENABLED: 'false', CIRCLES_ENABLED: 'false' } as const

export async function openMarket(
  variables: Record<string, string> = {},
  {
    dataDir = mkdtempSync(join(tmpdir(), 'market-')),
    ...around
  }: AllInOneOverrides & { dataDir?: string } = {},
): Promise<Market> {
  const config = Config.parse({
    DATA_DIR: dataDir,
    PORT: '0',
    METRICS_PORT: '0',
    LOG_LEVEL: 'silent',
    ORDER_PARTITIONS: '4',
    RATE_LIMIT_IMPORT: '100000',
    RATE_LIMIT_REVALIDATE: '100000',
    RATE_LIMIT_BUILD: '100000',
    RATE_LIMIT_PUBLISH: '100000',
    RATE_LIMIT_ARTIFACT: '100000',
    RATE_LIMIT_PORTABLE_EVENT: '100000',
    RATE_LIMIT_STATISTICS: '100000',
    RATE_LIMIT_STREAM: '100000',
    RATE_LIMIT_OUTPOINT: '100000',
    RATE_LIMIT_OUTPOINT_CHECK: '100000',
    RATE_LIMIT_CONTENT: '100000',
    RATE_LIMIT_READ: '100000',
    RATE_LIMIT_GUIDE: '100000',
    RATE_LIMIT_PROVED_KIB: '1000000',
    RATE_LIMIT_STRANGERS_PROVED_KIB: '1000000',
    ...variables,
  })
  const running = await runAllInOne(config, {
    signatures: sharedSignatures(),
    // The clients and the node of a test share its event loop: their work is no load to shed.
    lagMs: () => 0,
    ...around,
  })
  const stop = () => running.close()
  return {
    ...running,
    config,
    dataDir,
    ...openApiClient(running.address),
    stop,
    end: async () => {
      await stop()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}
