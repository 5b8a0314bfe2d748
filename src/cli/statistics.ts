import { Argument, type Command, Option } from 'commander'
import type { AskedStatistic, QueriedStatistic } from '../operator/statistics/query-statistic.ts'
import { statisticLines, statisticNames } from '../operator/statistics/statistic-lines.ts'
import type { StatisticRow } from '../ports/views/statistics.ts'
import { readConfig } from './terminal/environment.ts'
import { fittedTable, wholeTable } from './terminal/fit-table.ts'
import { requireNew, writeNew } from './terminal/new-file.ts'
import {
  printBytes,
  printJson,
  printLine,
  printLines,
  untilInterrupted,
} from './terminal/output.ts'
import { openTerminalProgress } from './terminal/progress.ts'

interface QueryOptions extends Omit<AskedStatistic, 'name'> {
  output?: string
  wide?: true
  json?: true
}

export function addStatistics(program: Command): void {
  program
    .command('query')
    .addArgument(nameArgument())
    .description('answer a named question from the history')
    .addOption(
      new Option('--format <format>', 'how to answer')
        .choices(['table', 'csv', 'json', 'parquet'])
        .default('table'),
    )
    .option('--json', 'the same as --format json')
    .option('--limit <rows>', 'maximum number of rows', '1000')
    .option('--from <time>', 'from this day or time in UTC')
    .option('--to <time>', 'up to this day or time in UTC, excluded')
    .option('--protocol <id>', 'of this market')
    .option('--token <text>', 'of this token, ignoring case')
    .option('--inscription <id>', 'of this inscription')
    .option('--txid <id>', 'of this transaction')
    .option('--seller <script>', 'of this script in hex, or of this address')
    .option('--at <time>', 'of the book: as of this day or time in UTC, or height of a block')
    .addOption(
      new Option('--interval <interval>', 'of candles and of the floor').choices([
        'hour',
        'day',
        'week',
      ]),
    )
    .option('--columns <names>', 'of the table: only these, comma separated')
    .option('--wide', 'of the table on a terminal: all columns, uncut')
    .option('--output <file>', 'write the answer to this new file')
    .addHelpText('after', () => `\nNames:\n${indented(statisticLines())}`)
    .action(async (name: string, options: QueryOptions) => {
      const { queryStatistic } = await import('../operator/statistics/query-statistic.ts')
      const { output, json, wide, ...given } = options
      const asked = json ? { ...given, format: 'json' } : given
      if (output !== undefined) requireNew(output)
      const { answer, isWhole } = await queryStatistic(readConfig(), { name, ...asked })
      if (output !== undefined) await writeNew(output, contentOf(answer))
      else if ('bytes' in answer) printBytes(answer.bytes)
      else if ('lines' in answer) await printLines(answer.lines)
      else await printTable(answer.rows, wide === true)
      if (!isWhole)
        process.stderr.write(`market: the first ${asked.limit} rows: there are more (--limit)\n`)
    })
  program
    .command('export <folder>')
    .description('write each past day of the history to Parquet files; run again, it resumes')
    .option('--today', 'write today as far as it is; run again, it is written anew')
    .option('--json', 'print one JSON line per file, and one for the result')
    .action(async (folder: string, { today, json }: { today?: true; json?: true }) => {
      const { exportHistory } = await import('../operator/statistics/export-history.ts')
      const config = readConfig()
      const onFile = (path: string, rows: number) =>
        json ? printJson({ path, rows }) : printLine(`${path}: ${rows} rows`)
      const progress = openTerminalProgress('export')
      const options = { withToday: today === true, onFile, onProgress: progress.show }
      const { written, kept, shrunk, whole, isTodayLeft } = await untilInterrupted((signal) =>
        exportHistory(config, folder, options, signal),
      ).finally(progress.end)
      process.exitCode = whole && shrunk === 0 ? 0 : 1
      if (json) return await printJson({ written, kept, shrunk, whole })
      const days = `${written} files written, ${kept} already existed`
      await printLine(whole ? days : `${days}, then interrupted: run it again`)
      if (shrunk > 0)
        await printLine(`${shrunk} files left that have more rows than the history: ${SHRUNK}`)
      if (isTodayLeft) await printLine('today is written tomorrow; --today writes it now')
    })
}

const SHRUNK = 'it is being filled again: run this again later'

/** What is piped is whole. */
async function printTable(rows: readonly StatisticRow[], isWide: boolean): Promise<void> {
  const { isTTY, columns } = process.stdout
  const isFitted = isTTY && !isWide && columns > 0
  const { lines, left } = isFitted ? fittedTable(rows, columns) : wholeTable(rows)
  await printLines(lines)
  if (left.length > 0)
    process.stderr.write(`market: not shown: ${left.join(', ')} (--columns, or --wide for all)\n`)
}

function contentOf(answer: QueriedStatistic['answer']): [Uint8Array] | string {
  if ('bytes' in answer) return [answer.bytes]
  const lines = 'rows' in answer ? wholeTable(answer.rows).lines : answer.lines
  return `${lines.join('\n')}\n`
}

/** The names are for the shell alone: a wrong one is refused in the words of the question. */
function nameArgument(): Argument {
  const argument = new Argument('<name>')
  argument.argChoices = statisticNames()
  return argument
}

const indented = (lines: readonly string[]): string => lines.map((line) => `  ${line}`).join('\n')
