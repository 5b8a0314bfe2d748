import type { Command } from 'commander'
import { parsePosition } from '../operator/log/place.ts'
import { wholeNumber } from './tail.ts'
import { readConfig } from './terminal/environment.ts'
import { printJson, printLines, untilInterrupted } from './terminal/output.ts'
import { openProgress } from './terminal/progress.ts'

interface HistoryReplayOptions {
  from: string
  dryRun?: boolean
  json?: true
}

/** Both read the lifecycle and never write it. */
export function addReplay(program: Command): void {
  const replay = program
    .command('replay')
    .description('replay the log and compare with stored data')
  replay
    .command('history')
    .description('rewrite the rows of the history from the log, then compare')
    .requiredOption(
      '--from <position>',
      '"beginning", PARTITION/OFFSET of the lifecycle, or a time (RFC 3339)',
    )
    .option('--dry-run', 'compare only, write nothing')
    .option('--json', 'print the result as JSON')
    .action(async ({ from: text, dryRun = false, json }: HistoryReplayOptions) => {
      const { historyLines, replayHistory } = await import('../operator/log/replay-history.ts')
      const from = parsePosition(text)
      const progress = openProgress('replay')
      const options = { from, dryRun }
      const replayed = await untilInterrupted((signal) =>
        replayHistory(readConfig(), options, progress.show, signal),
      ).finally(progress.end)
      await (json ? printJson(replayed) : printLines(historyLines(from, replayed)))
      const { whole, lacking, foreign } = replayed
      process.exitCode = whole && lacking === 0 && foreign.length === 0 ? 0 : 1
    })
  replay
    .command('inbox')
    .description('replay the inbox in memory and compare with the lifecycle')
    .option('--partition <n>', 'only this partition', wholeNumber)
    .option('--json', 'print the result as JSON')
    .action(async ({ json, ...options }: { partition?: number; json?: true }) => {
      const { replayInbox } = await import('../operator/audit/replay-inbox.ts')
      const progress = openProgress('replay')
      const { lines, isClean } = await untilInterrupted((signal) =>
        replayInbox(readConfig(), options, progress.show, signal),
      ).finally(progress.end)
      await (json ? printJson({ isClean, lines }) : printLines(lines))
      process.exitCode = isClean ? 0 : 1
    })
}
