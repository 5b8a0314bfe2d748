import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import axe from 'axe-core'
import type { Locator, Page } from 'playwright-core'
import { expect } from 'vitest'

/** What axe describes of an element without a fault is looked at by no test. */
const FAULTS_ALONE = 'resultTypes: ["violations"]'

export const ANY_FAULT = `axe.run({ ${FAULTS_ALONE} })`

export async function expectNoFinding(page: Page, run = ANY_FAULT): Promise<void> {
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(axe.source)
  const { violations } = (await page.evaluate(run)) as axe.AxeResults
  expect(violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`)).toEqual([])
}

/** Between themes only colours differ. */
export const CONTRAST = `axe.run({ runOnly: ["color-contrast"], ${FAULTS_ALONE} })`

const OVERFLOW = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'

export async function expectNoOverflow(page: Page): Promise<void> {
  expect(await page.evaluate(OVERFLOW), page.url()).toBe(0)
}

/** Out of sight until it has the focus. */
const SKIP = '.skip'
/**
 * Where a finger meets what can be used: 44 px in each direction, also where less of it is drawn. A
 * link within a sentence is as high as its line.
 */
const smallTargets = (inText: string) => `(() => {
  const all = 'a[href], button:enabled, input:enabled, select:enabled, textarea:enabled, summary, [tabindex="0"]'
  const reached = (one, x, y) => {
    const at = document.elementFromPoint(x, y)
    return at !== null && (one.contains(at) || at.closest('label')?.control === one)
  }
  const isInSentence = (one) => {
    if (getComputedStyle(one).display !== 'inline') return false
    const words = (of) => (of.textContent ?? '').trim().length
    return words(one.closest('p, li, td, dd, span, div')) > words(one)
  }
  const reach = (one, x, y, dx, dy) => {
    let px = 0
    while (px < 44 && reached(one, x + dx * (px + 1), y + dy * (px + 1))) px += 1
    return px
  }
  const top = scrollY
  const small = []
  for (const one of document.querySelectorAll(all)) {
    if (!one.checkVisibility({ visibilityProperty: true, opacityProperty: true })) continue
    if (one.matches('${SKIP}, ${inText}') || isInSentence(one)) continue
    one.scrollIntoView({ block: 'center', inline: 'center' })
    const { left, top, width, height } = one.getBoundingClientRect()
    const [x, y] = [left + width / 2, top + height / 2]
    const wide = reach(one, x, y, -1, 0) + reach(one, x, y, 1, 0) + 1
    const high = reach(one, x, y, 0, -1) + reach(one, x, y, 0, 1) + 1
    // Each edge is between two pixels.
    if (Math.min(wide, high) < 42) small.push(wide + ' x ' + high + ' px: ' + one.outerHTML.slice(0, 160))
  }
  scrollTo(0, top)
  return small
})()`

/** A phone zooms in where one types into smaller letters. */
const SMALL_INPUTS = `[...document.querySelectorAll('input, select, textarea')]
  .filter((one) => one.checkVisibility() && parseFloat(getComputedStyle(one).fontSize) < 16)
  .map((one) => one.outerHTML.slice(0, 160))`

/** On a phone; `inText`: links that belong to a text wherever they are. */
export async function expectRoomForFingers(page: Page, inText = SKIP): Promise<void> {
  expect(await page.evaluate(smallTargets(inText)), page.url()).toEqual([])
  expect(await page.evaluate(SMALL_INPUTS), page.url()).toEqual([])
}

/** All that was sent for the page until now, with its headers, as compressed. */
const TRANSFERRED = `['navigation', 'resource']
  .flatMap((type) => performance.getEntriesByType(type))
  .reduce((sum, { transferSize }) => sum + transferSize, 0)`

export const transferredBytes = (page: Page): Promise<number> => page.evaluate<number>(TRANSFERRED)

/** The button puts this text into the clipboard. */
export async function expectCopied(page: Page, button: string, text: string): Promise<void> {
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.getByRole('button', { name: button, exact: true }).click()
  await expect.poll(() => page.evaluate('navigator.clipboard.readText()')).toBe(text)
}

/** The file that the button saves. */
export async function savedBy(button: Locator): Promise<{ name: string; bytes: Buffer }> {
  const [file] = await Promise.all([button.page().waitForEvent('download'), button.click()])
  return { name: file.suggestedFilename(), bytes: readFileSync(await file.path()) }
}

/** `PICTURES=folder` saves screenshots of the pages. */
export async function keepPicture(page: Page, name: string): Promise<void> {
  const folder = process.env['PICTURES']
  if (folder === undefined) return
  mkdirSync(folder, { recursive: true })
  await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true })
}
