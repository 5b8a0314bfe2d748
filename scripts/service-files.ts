import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Programs of the threads that the service starts, from files beside its own. */
export const THREADS = {
  'block-worker': 'src/adapters/embedded/threads/block-worker.ts',
  'document-worker': 'src/adapters/redis/views/document-worker.ts',
  'signature-worker': 'src/adapters/embedded/threads/signature-worker.ts',
}

/** What ClickHouse's tables are made by: `migrations` beside the programs. */
export const MIGRATIONS = 'src/adapters/clickhouse/migrations'

/** The constants of `src/roles/observe/build-info.ts`, as esbuild's `define` takes them. */
export function buildConstants(commit: string): Record<string, string> {
  const file = join(import.meta.dirname, '../package.json')
  const { version } = JSON.parse(readFileSync(file, 'utf8')) as { version: string }
  return { MARKET_VERSION: JSON.stringify(version), MARKET_COMMIT: JSON.stringify(commit) }
}
