import { writeFileSync } from 'node:fs'
import { type Command, Option } from 'commander'
import type { AskedStatistic, QueriedStatistic } from '../operator/statistics/query-statistic.ts'
import { statisticLines } from '../operator/statistics/statistic-lines.ts'
import { readConfig } from './terminal/environment.ts'
import { printJson, printLine, printLines, untilInterrupted } from './terminal/output.ts'
import { openTerminalProgress } from './terminal/progress.ts'

interface QueryOptions extends Omit<AskedStatistic, 'name'> {
  output?: string
  json?: true
}

export function addStatistics(program: Command): void {
  program
    .command('query <name>')
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
    .option('--seller <script>', 'of this script in hex')
    .option('--at <time>', 'of the book: as of this day or time in UTC, or height of a block')
    .addOption(
      new Option('--interval <interval>', 'of candles and of the floor').choices([
        'hour',
        'day',
        'week',
      ]),
    )
    .option('--output <file>', 'write the answer to this new file')
    .addHelpText('after', () => `\nNames:\n${indented(statisticLines())}`)
    .action(async (name: string, options: QueryOptions) => {
      const { queryStatistic } = await import('../operator/statistics/query-statistic.ts')
      const { output, json, ...given } = options
      const asked = json ? { ...given, format: 'json' } : given
      const { answer, isWhole } = await queryStatistic(readConfig(), { name, ...asked })
      if (output !== undefined) writeFileSync(output, bytesOf(answer), { flag: 'wx' })
      else if ('lines' in answer) await printLines(answer.lines)
      else process.stdout.write(answer.bytes)
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
      const { written, kept, whole, isTodayLeft } = await untilInterrupted((signal) =>
        exportHistory(config, folder, options, signal),
      ).finally(progress.end)
      process.exitCode = whole ? 0 : 1
      if (json) return await printJson({ written, kept, whole })
      const days = `${written} files written, ${kept} already existed`
      await printLine(whole ? days : `${days}, then interrupted: run it again`)
      if (isTodayLeft) await printLine('today is written tomorrow; --today writes it now')
    })
}

const bytesOf = (answer: QueriedStatistic['answer']): Buffer | string =>
  'bytes' in answer ? answer.bytes : `${answer.lines.join('\n')}\n`

const indented = (lines: readonly string[]): string => lines.map((line) => `  ${line}`).join('\n')
