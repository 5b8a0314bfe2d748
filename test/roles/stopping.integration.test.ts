import { afterAll, expect, test } from 'vitest'
import type { CrashPoint } from '../../src/ports/log/crash-points.ts'
import { openLogger } from '../../src/roles/observe/logger.ts'
import { temporaryDirectory } from '../support/embedded.ts'
import { ORDERS_ONLY, openMarket } from '../support/market/market.ts'
import { listInscription } from '../support/market/trader.ts'
import { waitUntil } from '../support/services/programs.ts'

// A stop that begins in the middle of a step: what the step uses is closed after it.

const POINTS: readonly CrashPoint[] = [
  'before compute',
  'after compute',
  'before append',
  'after offset',
  'before view',
  'after view',
]

const directory = temporaryDirectory()
afterAll(() => directory.drop())

test.each(POINTS)('a service that is stopped %s ends without a fault', async (point) => {
  const lines: string[] = []
  const logger = openLogger({ LOG_LEVEL: 'warn' }, { write: (line) => lines.push(line) })
  let isAwaited = false
  const stopping: { end?: Promise<void> } = {}
  const onPoint = (passed: CrashPoint) => {
    if (isAwaited && passed === point) stopping.end ??= market.stop()
  }
  const market = await openMarket(ORDERS_ONLY, { dataDir: directory.path, logger, onPoint })
  isAwaited = true
  // It passes all points; its answer may be that the service stops.
  const listing = listInscription(market).catch(() => undefined)
  await waitUntil(`it is stopped ${point}`, () => stopping.end !== undefined)
  await stopping.end
  await listing
  expect(lines).toEqual([])
})
