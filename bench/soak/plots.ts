import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'
import { MEASURES, type Second } from './figures.ts'

const WIDTH = 1_000
const HEIGHT = 220
const CHROMIUM_MS = 30_000

/** A page that draws each measure over time; it loads nothing. */
export function pageOf(seconds: readonly Second[]): string {
  const resolve = createRequire(import.meta.url).resolve
  const read = (file: string) => readFileSync(resolve(`uplot/dist/${file}`), 'utf8')
  const data = MEASURES.map((measure) => ({
    measure,
    points: [seconds.map(({ at }) => at), seconds.map((second) => second[measure])],
  }))
  return `<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Soak</title>
<style>${read('uPlot.min.css')}</style>
<body><script>${read('uPlot.iife.min.js')}</script><script>
for (const { measure, points } of ${JSON.stringify(data)})
  new uPlot({ title: measure, width: ${WIDTH}, height: ${HEIGHT}, scales: { x: { time: false } },
    series: [{ label: 'second' }, { label: measure, stroke: '#1b6ac9' }] }, points, document.body)
</script></body></html>
`
}

/**
 * Writes the page and, where there is a browser (`CHROMIUM`), a picture of it. False: there is
 * none.
 */
export function writePlots(seconds: readonly Second[], path: string, browser: string): boolean {
  writeFileSync(`${path}.html`, pageOf(seconds))
  const window = `--window-size=${WIDTH + 40},${(HEIGHT + 80) * MEASURES.length}`
  const args = ['--headless', '--no-sandbox', '--disable-gpu', window, `--screenshot=${path}.png`]
  try {
    execFileSync(browser, [...args, pathToFileURL(`${path}.html`).href], {
      stdio: 'ignore',
      timeout: CHROMIUM_MS,
    })
    return true
  } catch {
    return false
  }
}
