/** Programs of the threads that the service starts, from files beside its own. */
export const THREADS = {
  'block-worker': 'src/adapters/embedded/threads/block-worker.ts',
  'signature-worker': 'src/adapters/embedded/threads/signature-worker.ts',
}

/** What ClickHouse's tables are made by: `migrations` beside the programs. */
export const MIGRATIONS = 'src/adapters/clickhouse/migrations'
