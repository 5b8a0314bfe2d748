import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { LmdbStore } from '../../../src/adapters/embedded/lmdb/lmdb-store.ts'
import { openIngestStore } from '../../../src/adapters/embedded/log/ingest-store.ts'
import { IngestRun, type RunParts } from './ingest-run.ts'

/** Runs a test with ingest on a store of its own, and cleans up after it. */
export async function withRun(
  parts: Omit<RunParts, 'store'>,
  test: (run: IngestRun) => Promise<void>,
): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'ingest-'))
  const database = await LmdbStore.open(directory)
  const run = new IngestRun({ ...parts, store: openIngestStore(database) })
  try {
    await test(run)
  } finally {
    await run.stop()
    await database.close()
    rmSync(directory, { recursive: true })
  }
}
