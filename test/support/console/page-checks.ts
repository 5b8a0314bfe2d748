import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import axe from 'axe-core'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'

export async function expectNoFinding(page: Page): Promise<void> {
  await page.evaluate(axe.source)
  const findings = (await page.evaluate('axe.run()')) as axe.AxeResults
  const serious = findings.violations.filter(
    ({ impact }) => impact === 'serious' || impact === 'critical',
  )
  expect(serious.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`)).toEqual([])
}

/** `PICTURES=folder` saves screenshots of the pages. */
export async function keepPicture(page: Page, name: string): Promise<void> {
  const folder = process.env['PICTURES']
  if (folder === undefined) return
  mkdirSync(folder, { recursive: true })
  await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true })
}
