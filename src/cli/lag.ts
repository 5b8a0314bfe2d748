import type { Command } from 'commander'
import { readConfig } from './terminal/environment.ts'
import { printJson, printLines } from './terminal/output.ts'

export const addLag = (program: Command): Command =>
  program
    .command('lag')
    .description('records not yet read by actors, views and history, per partition')
    .option('--json', 'print as JSON')
    .action(async ({ json }: { json?: true }) => {
      const { lag, lagTable } = await import('../operator/log/lag.ts')
      const lags = await lag(readConfig())
      await (json ? printJson(lags) : printLines(lagTable(lags)))
    })
