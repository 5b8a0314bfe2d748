import { type Bundle, bundleService } from '../../test/support/bundle.ts'
import { table } from '../table.ts'
import { foldOfBlocks } from './fold-rows.ts'
import { blocksAndTransactions, idleDevnet, manyInTheMempool, type Row } from './rows.ts'
import { startOfAll } from './start-rows.ts'
import { actorsTakeover, ingestTakeover } from './takeover-rows.ts'

// What a person meets who starts this on mainnet, against a node and an index that generate what they tell.
// `--short` for a few minutes of it, with a chain of 20,000 blocks and a mempool of 50,000. A word names the
// rows that are wanted alone.

const isShort = process.argv.includes('--short')
const [only] = process.argv.slice(2).filter((word) => !word.startsWith('--'))
/** Takes long, and is run when it is named. */
const BY_RPC = 'fold-rpc'
const ALL = {
  idle: idleDevnet,
  traffic: blocksAndTransactions,
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
const program = await bundleService()
const rows: Row[] = []
try {
  for (const [name, rehearse] of Object.entries(ALL)) {
    if (isWanted(name)) rows.push(...(await rehearse(program, isShort)))
  }
} finally {
  program.drop()
}
process.stdout.write(
  `\n${table(
    ['what', 'measured', 'goal', 'met'],
    rows.map(({ what, figure, unit, most }) => [
      what,
      `${format(figure)} ${unit}`,
      `≤ ${format(most)} ${unit}`,
      figure <= most ? 'yes' : 'no',
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

function format(figure: number): string {
  return figure.toLocaleString('en', { maximumSignificantDigits: 3 })
}
