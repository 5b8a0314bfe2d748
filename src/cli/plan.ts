import { type Command, InvalidArgumentError } from 'commander'
import { type FoldName, START_HEIGHTS } from '../schemas/config/start-heights.ts'
import { readConfig } from './terminal/environment.ts'
import { printJson, printLines } from './terminal/output.ts'

/** `plan`, as a subcommand of a fold's command. */
export function addPlan(parent: Command, fold: FoldName): void {
  parent
    .command('plan')
    .description(
      'estimate the cost of a start height in blocks, bytes and hours, from blocks of the node',
    )
    .option(
      '--from <height>',
      `start height to estimate, instead of ${START_HEIGHTS[fold]}`,
      heightOf,
    )
    .option('--json', 'print as JSON')
    .action(async ({ from, json }: { from?: number; json?: true }) => {
      const { planFold, planLines } = await import('../operator/plan-fold.ts')
      const plan = await planFold(readConfig(), fold, from)
      await (json ? printJson(plan) : printLines(planLines(plan)))
    })
}

function heightOf(text: string): number {
  if (/^[0-9]{1,9}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('It must be a block height.')
}
