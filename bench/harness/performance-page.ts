import { tableRow, withSection } from './marked-section.ts'
import type { Comparison, MeasuredLine, Results } from './results.ts'
import { type Spread, spreadOf } from './spread.ts'
import { besideOf, boundText, isWithin, ratioOf } from './verdict.ts'

const COMMAND = 'npm run bench'
const HEADING = [
  '#',
  'work',
  'sizes',
  'unit',
  'ours',
  'peer',
  'CPU a unit: ours, peer',
  'ratio',
  'target',
  'met',
]

/** The page with the table of these results in its marked section. */
export const pageWithTable = (page: string, results: Results): string =>
  withSection(page, COMMAND, tableOf(results))

/** Medians of the rounds, with both quartiles. */
export function tableOf({ lines }: Results): string {
  return [
    tableRow(HEADING),
    tableRow(HEADING.map(() => '---')),
    ...lines.flatMap((line) => line.comparisons.flatMap((of) => rowsOf(line, of))).map(tableRow),
    '',
    'What each line measures:',
    '',
    ...lines.map(({ number, work, peer }) => `- line ${number}: ${work}; beside ${peer}`),
    '',
    'Measured:',
    '',
    ...lines.map(circumstances),
    ...lines.flatMap((line) => line.comparisons.flatMap((of) => detailsOf(line, of))),
  ].join('\n')
}

function rowsOf(line: MeasuredLine, comparison: Comparison): string[][] {
  const { rounds, target } = comparison
  const work = [line.name, comparison.name].filter(Boolean).join(': ')
  const ratio = ratioOf(comparison)
  const cpu = [cpuText(rounds.map(({ ours }) => ours)), cpuText(rounds.map(({ peer }) => peer))]
  const first = [
    String(line.number),
    work,
    comparison.sizes,
    comparison.unit,
    spreadText(spreadOf(rounds.map(({ ours }) => ours.figure))),
    spreadText(spreadOf(rounds.map(({ peer }) => peer.figure))),
    cpu.every((text) => text === '') ? '' : cpu.join(', '),
    `${spreadText(ratio)} ${comparison.ratio}`,
    target ? boundText(target) : '',
    target ? metText(isWithin(ratio.median, target)) : '',
  ]
  const beside = Object.entries(comparison.beside).map(([name, { target: wanted }]) => {
    const spread = besideOf(comparison, name)
    const theirs = rounds.map(({ peer }) => peer.beside?.[name]).filter((one) => one !== undefined)
    return [
      String(line.number),
      `the same: ${name}`,
      comparison.sizes,
      '',
      spreadText(spread),
      theirs.length > 0 ? spreadText(spreadOf(theirs)) : '',
      '',
      '',
      wanted ? boundText(wanted) : '',
      wanted ? metText(isWithin(spread.median, wanted)) : '',
    ]
  })
  return [first, ...beside]
}

/** A table of its own for each comparison that has parts. */
function detailsOf({ number }: MeasuredLine, { name, details = [] }: Comparison): string[] {
  if (details.length === 0) return []
  const heading = ['part', 'ours: median', 'p99', 'peer: median', 'p99', 'peer/ours: median', 'p99']
  const rows = details.map(({ name: part, ours, peer }) => [
    part,
    ...[ours.median, ours.p99, peer.median, peer.p99].map(figureText),
    ...[peer.median / ours.median, peer.p99 / ours.p99].map(figureText),
  ])
  return [
    '',
    `Line ${number}${name && `, ${name}`}: its parts, in milliseconds.`,
    '',
    ...[heading, heading.map(() => '---'), ...rows].map(tableRow),
  ]
}

const metText = (isMet: boolean): string => (isMet ? 'yes' : 'no')

function cpuText(samples: readonly Comparison['rounds'][number]['ours'][]): string {
  const known = samples.map(({ cpuUs }) => cpuUs).filter((us) => us !== null)
  return known.length > 0 ? `${figureText(spreadOf(known).median)} µs` : ''
}

const spreadText = ({ lower, median, upper }: Spread): string =>
  lower === upper
    ? figureText(median)
    : `${figureText(median)} (${figureText(lower)} to ${figureText(upper)})`

function figureText(value: number): string {
  return value.toLocaleString('en', { maximumSignificantDigits: 3 })
}

function circumstances({ number, at, commit, seconds, load, machine, comparisons }: MeasuredLine) {
  const rounds = Math.max(...comparisons.map((comparison) => comparison.rounds.length))
  const loads = [load.began, load.ended].map((one) => one.toFixed(1)).join(' to ')
  return `- line ${number}: ${at.slice(0, 10)}, ${commit}, ${rounds} rounds in ${Math.round(seconds)} s, load ${loads}; ${machine}`
}
