import type { Command } from 'commander'
import { readConfig } from './terminal/environment.ts'
import { printJson, printLine, untilInterrupted } from './terminal/output.ts'
import { openProgress } from './terminal/progress.ts'

export const addRebuild = (program: Command): Command =>
  program
    .command('rebuild')
    .description('rebuild data derived from the log')
    .command('views')
    .description('rebuild the order views from the log, then switch to them')
    .option('--json', 'print the result as JSON')
    .action(async ({ json }: { json?: true }) => {
      const { rebuildStoredViews } = await import('../operator/rebuild-views.ts')
      const config = readConfig()
      const progress = openProgress('rebuild views')
      const options = { onProgress: progress.show }
      const isDone = await untilInterrupted((signal) =>
        rebuildStoredViews(config, signal, options),
      ).finally(progress.end)
      if (json) await printJson({ isRebuilt: isDone })
      else
        await printLine(isDone ? 'the views are rebuilt' : 'interrupted: the views are unchanged')
      process.exitCode = isDone ? 0 : 1
    })
