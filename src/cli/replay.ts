import type { Command } from 'commander'
import { parsePosition } from '../operator/log/place.ts'
import { historyLines, replayHistory } from '../operator/log/replay-history.ts'
import { replayInbox } from '../operator/log/replay-inbox.ts'
import { readConfig } from './environment.ts'
import { printLines, untilInterrupted } from './output.ts'
import { openProgress } from './progress.ts'
import { wholeNumber } from './tail.ts'

/** Both read the lifecycle and never write it. */
export function addReplay(program: Command): void {
  const replay = program
    .command('replay')
    .description('fold the log once more, and compare with what stands')
  replay
    .command('history')
    .description('write the rows of the history again from the log, and compare')
    .requiredOption(
      '--from <position>',
      '"beginning", PARTITION/OFFSET of the lifecycle, or a time',
    )
    .option('--dry-run', 'compare only, and write nothing')
    .action(async ({ from: text, dryRun = false }: { from: string; dryRun?: boolean }) => {
      const from = parsePosition(text)
      const progress = openProgress('replay')
      const options = { from, dryRun }
      const replayed = await untilInterrupted((signal) =>
        replayHistory(readConfig(), options, progress.show, signal),
      ).finally(progress.end)
      await printLines(historyLines(from, replayed))
      const { whole, lacking, foreign } = replayed
      process.exitCode = whole && lacking === 0 && foreign.length === 0 ? 0 : 1
    })
  replay
    .command('inbox')
    .description('step the inbox once more in memory, and compare with the lifecycle')
    .option('--partition <n>', 'of one partition only', wholeNumber)
    .action(async (options: { partition?: number }) => {
      const progress = openProgress('replay')
      const { lines, isClean } = await untilInterrupted((signal) =>
        replayInbox(readConfig(), options, progress.show, signal),
      ).finally(progress.end)
      await printLines(lines)
      process.exitCode = isClean ? 0 : 1
    })
}
