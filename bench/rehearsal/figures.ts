import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { z } from 'zod'
import { commitText, loadNow, machineText } from '../harness/machine.ts'
import { tableRow } from '../harness/marked-section.ts'
import type { Row } from './rows.ts'

// What the long form writes, and the table in docs/performance.md is made from.

const Figure = z.object({
  what: z.string(),
  figure: z.number(),
  unit: z.string(),
  most: z.number(),
  before: z.number().optional(),
  day: z.string(),
  commit: z.string(),
  /** Of the last minute. */
  load: z.number(),
  machine: z.string(),
})
const Figures = z.array(Figure)
type Figure = z.infer<typeof Figure>

/** New figures replace the known ones of the same name, in their places. */
export function writeFigures(path: string, rows: readonly Row[]): Figure[] {
  const known = existsSync(path) ? Figures.parse(JSON.parse(readFileSync(path, 'utf8'))) : []
  const measured = {
    day: new Date().toISOString().slice(0, 10),
    commit: commitText(),
    load: loadNow(),
    machine: machineText(),
  }
  const figures = new Map(known.map((figure) => [figure.what, figure]))
  for (const { what, figure, unit, most, before } of rows)
    figures.set(what, { what, figure, unit, most, before, ...measured })
  const all = [...figures.values()]
  writeFileSync(path, `${JSON.stringify(all, null, 2)}\n`)
  return all
}

export function tableOfFigures(figures: readonly Figure[]): string {
  const heading = ['figure', 'before', 'now', 'goal', 'met', 'at']
  const rows = figures.map(({ what, figure, unit, most, before, commit }) => [
    what,
    before === undefined ? '' : `${figureText(before)} ${unit}`,
    `${figureText(figure)} ${unit}`,
    `≤ ${figureText(most)} ${unit}`,
    figure <= most ? 'yes' : 'no',
    commit,
  ])
  return [
    ...[heading, heading.map(() => '---'), ...rows].map(tableRow),
    '',
    ...new Set(figures.map((figure) => runText(figure, figures))),
  ].join('\n')
}

/** All that was measured at one commit, on one day and machine. */
function runText({ day, commit, machine }: Figure, figures: readonly Figure[]): string {
  const loads = figures.filter((other) => other.commit === commit).map(({ load }) => load)
  const [least, most] = [Math.min(...loads), Math.max(...loads)].map((load) => load.toFixed(1))
  return `- ${commit}: ${day}, load ${least} to ${most}; ${machine}`
}

export const figureText = (figure: number): string =>
  figure.toLocaleString('en', { maximumSignificantDigits: 3 })
