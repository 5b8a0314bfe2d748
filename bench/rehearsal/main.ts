import '../harness/leave-nothing.ts'
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { type Bundle, bundleService } from '../../test/support/bundle.ts'
import { withSection } from '../harness/marked-section.ts'
import { table } from '../harness/table.ts'
import { figureText as format, tableOfFigures, writeFigures } from './figures.ts'
import { foldOfBlocks } from './fold-rows.ts'
import {
  blocksAndTransactions,
  idleDevnet,
  manyInTheMempool,
  mempoolOf,
  quietChain,
  type Row,
} from './rows.ts'
import { startOfAll } from './start-rows.ts'
import { actorsTakeover, ingestTakeover } from './takeover-rows.ts'

// What a first start on mainnet is like, against a node and an index that generate their answers. A
// word selects rows. It writes bench/rehearsal/figures.json and the table in docs/performance.md.
// `--short`: a few minutes of it, with a chain of 20,000 blocks and a mempool of 50,000; `--ci`: two
// minutes of that, which fail where a goal is missed, with allowances for timed figures, and write
// their counts to the file that COUNTS names. These two write neither file.

const isCi = process.argv.includes('--ci')
const isShort = isCi || process.argv.includes('--short')
const [only] = process.argv.slice(2).filter((word) => !word.startsWith('--'))
/** Takes long, and runs only when named. */
const BY_RPC = 'fold-rpc'
const ALL = {
  idle: idleDevnet,
  traffic: blocksAndTransactions,
  quiet: quietChain,
  mempool: manyInTheMempool,
  fold: foldOfBlocks({ hasRest: true }),
  [BY_RPC]: foldOfBlocks({ hasRest: false }),
  start: startOfAll,
  takeover: async (_: Bundle, isShort: boolean) => [
    ...(await ingestTakeover(isShort)),
    ...(await actorsTakeover(isShort)),
  ],
}
const isWanted = (name: string) => (only === undefined ? name !== BY_RPC : name === only)

/**
 * In the short form a block comes twenty times as often as on mainnet, to which the goals apply.
 */
const OF_COUNTS = 1.75
/** For a machine of half the speed that does as much work beside it. */
const OF_TIMES = 4
/** As many as a start processes within a minute. */
const CI_MEMPOOL = 20_000
const allowance = ({ isCount }: Row): number => {
  if (!isCi) return 1
  return isCount ? OF_COUNTS : OF_TIMES
}
const isMet = (row: Row): boolean => row.figure <= row.most * allowance(row)

async function rehearse(program: Bundle): Promise<Row[]> {
  // What is counted mostly waits: it runs while others are timed.
  if (isCi) {
    const all = [
      idleDevnet(program, true),
      blocksAndTransactions(program, true),
      quietChain(program, true),
      mempoolOf(CI_MEMPOOL, OF_TIMES)(program, true),
      ingestTakeover(true),
    ]
    return (await Promise.all(all)).flat().filter(({ isOfIdleMachine }) => !isOfIdleMachine)
  }
  const rows: Row[] = []
  for (const [name, rehearsed] of Object.entries(ALL)) {
    if (!isWanted(name)) continue
    const measured = await rehearsed(program, isShort)
    if (!isShort) note(measured)
    rows.push(...measured)
  }
  return rows
}

function note(rows: readonly Row[]): void {
  const path = (name: string) => fileURLToPath(new URL(name, import.meta.url))
  const section = tableOfFigures(writeFigures(path('figures.json'), rows))
  const page = path('../../docs/performance.md')
  writeFileSync(page, withSection(readFileSync(page, 'utf8'), 'npm run rehearse:mainnet', section))
}

const program = await bundleService()
let rows: Row[]
try {
  rows = await rehearse(program)
} finally {
  program.drop()
}
process.stdout.write(
  `\n${table(
    ['what', 'measured', 'goal', isCi ? 'met, with its allowance' : 'met'],
    rows.map((row) => [
      row.what,
      `${format(row.figure)} ${row.unit}`,
      `≤ ${format(row.most)} ${row.unit}${isCi ? ` times ${allowance(row)}` : ''}`,
      isMet(row) ? 'yes' : 'no',
    ]),
  )}\n`,
)

for (const { what, unit, shares } of rows) {
  if (!shares) continue
  const texts = Object.entries(shares)
    .filter(([, figure]) => figure > 0)
    .map(([share, figure]) => `${format(figure)} ${unit} ${share}`)
  process.stdout.write(`\n${what}: ${texts.join(', ')}\n`)
}

if (isCi) {
  const passed = rows.filter(isMet).length
  const failed = rows.length - passed
  const file = process.env['COUNTS']
  if (file) writeFileSync(file, JSON.stringify({ passed, failed }))
  if (failed > 0) process.exitCode = 1
}
