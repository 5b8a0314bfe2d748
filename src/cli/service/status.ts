import type { Command } from 'commander'
import { nextSteps, statusLines, statusOf } from '../../operator/service/service-status.ts'
import { commandHere, readConfig } from '../terminal/environment.ts'
import { printJson, printLine, printLines } from '../terminal/output.ts'
import { byWord, styled } from '../terminal/style.ts'

const WORDS = byWord(/\b(?:ready|active|not running|not ready|degraded|disabled)\b/g, {
  ready: 'green',
  active: 'green',
  'not running': 'yellow',
  'not ready': 'yellow',
  degraded: 'yellow',
  disabled: 'yellow',
})

/** What `market` alone does. */
export const addStatus = (program: Command): Command =>
  program
    .command('status')
    .description('what runs here, and what to do next; the same without a command')
    .option('--json', 'print as JSON')
    .action(async ({ json }: { json?: true }) => {
      const status = await statusOf(readConfig())
      if (json) return await printJson(status)
      await printLine('market', (line) => styled('bold', line))
      await printLine('')
      await printLines(statusLines(status), WORDS)
      await printLine('')
      await printLine('Next:')
      const market = commandHere()
      const steps: [string, string][] = [
        ...nextSteps(status, market),
        [`${market} --help`, 'all commands'],
      ]
      const width = Math.max(...steps.map(([step]) => step.length))
      await printLines(steps.map(([step, what]) => `  ${step.padEnd(width)}  ${what}`))
    })
