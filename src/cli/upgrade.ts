import type { Command } from 'commander'
import { readConfig } from './terminal/environment.ts'
import { printJson, printLines } from './terminal/output.ts'

/** An upgrade ends once no process of the release before runs any more. */
export function addUpgrade(program: Command): void {
  const upgrade = program.command('upgrade').description('the form of records that releases share')
  upgrade
    .command('status')
    .description('whether the release before this one can still be started')
    .option('--json', 'print as JSON')
    .action(async ({ json }: { json?: true }) => {
      const { upgradeLines, upgradeStatus } = await import('../operator/upgrade.ts')
      const status = await upgradeStatus(readConfig())
      await (json ? printJson(status) : printLines(upgradeLines(status)))
    })
  upgrade
    .command('finish')
    .description('let records have the newest form: there is no way back to the release before')
    .option('--json', 'print as JSON')
    .action(async ({ json }: { json?: true }) => {
      const { finishUpgrade, upgradeLines } = await import('../operator/upgrade.ts')
      const status = await finishUpgrade(readConfig())
      await (json ? printJson(status) : printLines(upgradeLines(status)))
    })
}
