import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import axe from 'axe-core'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'

export async function expectNoFinding(page: Page, run = 'axe.run()'): Promise<void> {
  await page.evaluate(axe.source)
  const { violations } = (await page.evaluate(run)) as axe.AxeResults
  expect(violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`)).toEqual([])
}

/** Between themes only colours differ. */
export const CONTRAST = 'axe.run({ runOnly: ["color-contrast"] })'

/** `PICTURES=folder` saves screenshots of the pages. */
export async function keepPicture(page: Page, name: string): Promise<void> {
  const folder = process.env['PICTURES']
  if (folder === undefined) return
  mkdirSync(folder, { recursive: true })
  await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true })
}
