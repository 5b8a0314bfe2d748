import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { auditStore } from '../../src/operator/audit/audit-store.ts'
import { answersOf, baselineAnswers, unpack } from '../support/baseline/baseline.ts'
import { ORDERS_ONLY, openMarket } from '../support/market/market.ts'

test('a DATA_DIR of the baseline is opened, answers as it did, and is continued', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'market-'))
  unpack(dataDir)
  const { closed, live, answers } = baselineAnswers()
  const market = await openMarket(ORDERS_ONLY, { dataDir })
  try {
    expect(await answersOf(market, closed)).toEqual(answers)
    await market.orderUntil(live, ({ actionability }) => actionability === 'HANDOFF_READY')
  } finally {
    await market.stop()
  }
  const report = await auditStore(market.config)
  expect(report.violations).toEqual([])
  await market.end()
})
