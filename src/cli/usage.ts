import type { Command } from 'commander'
import { readConfig } from './terminal/environment.ts'
import { printJson, printLines } from './terminal/output.ts'

export const addUsage = (program: Command): Command =>
  program
    .command('usage')
    .description('stored bytes by topic, store and table, and growth per month')
    .option('--json', 'print as JSON')
    .action(async ({ json }: { json?: true }) => {
      const { usage } = await import('../operator/usage/usage.ts')
      const { usageLines } = await import('../operator/usage/usage-table.ts')
      const found = await usage(readConfig())
      await (json ? printJson(found) : printLines(usageLines(found)))
    })
