import { GATEWAY_API } from '../../test/spec/gateway-api.ts'
import { type TestTitle, testTitles } from './test-titles.ts'

const TAG = / ?\[spec ([^\]]+)\]/g

const SECTIONS = [
  ['1', 'What the service does'],
  ['2.1', 'Scalar types and enumerations'],
  ['2.2', 'Records'],
  ['3', 'States and transitions'],
  ['4', 'Endpoints'],
  ['4.1', 'Query of GET /orders'],
  ['4.2', 'Route rules'],
  ['5', 'Authentication'],
  ['6', 'Events'],
  ['7', 'Errors'],
  ['8', 'Limits'],
  ['9', 'Versioning'],
] as const

/**
 * The tests, or blocks of tests, that name each row or rule, by its id; ids without a row
 * separately.
 */
export function specCoverage(titles: readonly TestTitle[] = testTitles('test', '[spec ')): {
  rows: ReadonlyMap<string, readonly TestTitle[]>
  unknown: readonly string[]
} {
  const rows = new Map<string, TestTitle[]>(Object.keys(GATEWAY_API).map((id) => [id, []]))
  const unknown: string[] = []
  for (const { id, title } of titles.flatMap(tagsOf)) {
    const row = rows.get(id)
    if (row) row.push(title)
    else unknown.push(`${title.file}: ${id}`)
  }
  return { rows, unknown }
}

/** A tag of a block means all rows of the block. */
const tagsOf = ({ file, path }: TestTitle): { id: string; title: TestTitle }[] =>
  path.flatMap((part, at) =>
    [...part.matchAll(TAG)].map(([, id = '']) => ({
      id,
      title: { file, path: path.slice(0, at + 1) },
    })),
  )

/** `docs/spec-coverage.md`: which tests prove which row of the specification. */
export function specCoveragePage(): string {
  const { rows } = specCoverage()
  const proved = [...rows.values()].filter((tests) => tests.length > 0).length
  const lines = [
    '# Tests by row of the specification',
    '',
    'Generated from `test/spec/gateway-api.ts` and the titles of the tests by `npm run docs`; a test',
    'compares it. A test that ends on `[spec <row>]` fails when that row is violated.',
    '',
    `${rows.size} rows and rules, ${proved} with a test.`,
    ...SECTIONS.flatMap(([section, name]) => [
      '',
      `## ${section} ${name}`,
      '',
      '| row | in short | tests |',
      '| --- | --- | --- |',
      ...[...rows]
        .filter(([id]) => id.split(' ')[0] === section)
        .map(([id, tests]) => `| ${rowName(id)} | ${shortly(id)} | ${linksTo(tests)} |`),
    ]),
    '',
  ]
  return lines.join('\n')
}

const rowName = (id: string): string => cell(id.replace(/^\S+ /, ''))
const shortly = (id: string): string => cell(GATEWAY_API[id as keyof typeof GATEWAY_API])

/** One link a title: the rows of a table share it. */
function linksTo(tests: readonly TestTitle[]): string {
  const links = tests.map(({ file, path }) => {
    const title = path.map((part) => part.replace(TAG, '')).join(' › ')
    return `[${cell(title).replace(/[[\]]/g, '\\$&')}](../${file})`
  })
  return [...new Set(links)].join('<br>')
}

const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('<', '&lt;')
