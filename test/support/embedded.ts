import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A directory of the test's own; removed by `drop`. */
export function temporaryDirectory(): { path: string; drop(): void } {
  const path = mkdtempSync(join(tmpdir(), 'market-'))
  return { path, drop: () => rmSync(path, { recursive: true, force: true }) }
}
