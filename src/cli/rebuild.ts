import type { Command } from 'commander'
import { rebuildStoredViews } from '../operator/rebuild-views.ts'
import { readConfig } from './environment.ts'
import { printLine, untilInterrupted } from './output.ts'
import { openProgress } from './progress.ts'

export const addRebuild = (program: Command): Command =>
  program
    .command('rebuild')
    .description('make again what is made from the log')
    .command('views')
    .description(
      'make the order views again from the log, and put them in the place of the old ones',
    )
    .action(async () => {
      const config = readConfig()
      const progress = openProgress('rebuild views')
      const options = { onProgress: progress.show }
      const isDone = await untilInterrupted((signal) =>
        rebuildStoredViews(config, signal, options),
      ).finally(progress.end)
      await printLine(
        isDone ? 'the views are made again' : 'interrupted: the views are as they were',
      )
      process.exitCode = isDone ? 0 : 1
    })
