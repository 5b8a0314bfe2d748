import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { auditStore } from '../../src/operator/audit/audit-store.ts'
import { openMarket } from '../support/market/market.ts'
import {
  answersIn,
  answersTo,
  releaseFixtures,
  spenderIn,
  unpack,
} from '../support/releases/fixtures.ts'

/** It took 2 s when the folder was new, and 25 s with the clock a month or a year ahead of it. */
const PATIENCE_MS = 150_000

vi.setConfig({ testTimeout: 2 * PATIENCE_MS })

test.each(releaseFixtures())(
  'a DATA_DIR of $version is opened, answers as it did, and is continued',
  async ({ dataDir: packed, dataDirAnswers }) => {
    const dataDir = mkdtempSync(join(tmpdir(), 'market-'))
    unpack(packed, dataDir)
    const left = answersIn(dataDirAnswers)
    const { closed, hidden, live, listed, answers } = left
    const market = await openMarket({ ORDER_PARTITIONS: '16' }, { dataDir })
    try {
      const now = await answersTo(market, Object.keys(answers))
      expect(now).toEqual(answers)
      const { body } = await market.get('orders?limit=100&includeWithdrawn=true')
      const ids = (body as { orders: { id: string }[] }).orders.map(({ id }) => id)
      expect(ids.toSorted()).toEqual(listed)
      expect(ids).not.toContain(hidden)
      const found = await market.get(`orders?search=${spenderIn(left)}`)
      expect(found.body).toMatchObject({ total: 1, orders: [{ id: closed }] })
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
  },
)
