import type { Command } from 'commander'
import { lag, lagTable } from '../operator/log/lag.ts'
import { readConfig } from './environment.ts'
import { printJson, printLines } from './output.ts'

export const addLag = (program: Command): Command =>
  program
    .command('lag')
    .description('records that actors, views and history have left to read, by partition')
    .option('--json', 'print it as JSON')
    .action(async ({ json }: { json?: true }) => {
      const lags = await lag(readConfig())
      await (json ? printJson(lags) : printLines(lagTable(lags)))
    })
