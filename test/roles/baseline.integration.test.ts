import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { auditStore } from '../../src/operator/audit/audit-store.ts'
import { answersOf, baselineAnswers, unpack } from '../support/baseline/baseline.ts'
import { ORDERS_ONLY, openMarket } from '../support/market/market.ts'

/** It took 2 s when the folder was new, and 25 s with the clock a month or a year ahead of it. */
const PATIENCE_MS = 150_000

vi.setConfig({ testTimeout: 2 * PATIENCE_MS })

test('a DATA_DIR of the baseline is opened, answers as it did, and is continued', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'market-'))
  unpack(dataDir)
  const { closed, live, answers } = baselineAnswers()
  const market = await openMarket(ORDERS_ONLY, { dataDir })
  try {
    expect(await answersOf(market, closed)).toEqual(answers)
    await vi.waitFor(
      async () =>
        expect(await market.order(live)).toMatchObject({ actionability: 'HANDOFF_READY' }),
      { timeout: PATIENCE_MS, interval: 200 },
    )
  } finally {
    await market.stop()
  }
  const report = await auditStore(market.config)
  expect(report.violations).toEqual([])
  await market.end()
})
