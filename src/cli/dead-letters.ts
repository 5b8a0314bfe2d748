import type { Command } from 'commander'
import { parsePlace } from '../operator/log/place.ts'
import type { LetterRetry } from '../schemas/operations.ts'
import { readConfig } from './terminal/environment.ts'
import { printJson, printLine, printLines } from './terminal/output.ts'

/** A place is the record's in the inbox, as `list` prints it. */
export function addDeadLetters(program: Command): void {
  const dlq = program.command('dlq').description('inspect and retry dead-lettered inbox records')
  dlq
    .command('list')
    .description('list dead letters: place in the inbox, reason, and whether retried')
    .option('--json', 'print one JSON line per dead letter')
    .action(async ({ json }: { json?: true }) => {
      const { deadLine, listDead } = await deadLetters()
      const letters = await listDead(readConfig())
      if (json) for (const letter of letters) await printJson(letter)
      else await printLines(letters.length > 0 ? letters.map(deadLine) : ['no dead letters'])
    })
  dlq
    .command('show <place>')
    .description('print a dead letter and its inbox record')
    .option('--json', 'print as JSON in one line')
    .action(async (place: string, { json }: { json?: true }) => {
      const { showDead } = await deadLetters()
      const shown = await showDead(readConfig(), parsePlace(place))
      if (json) await printJson(shown)
      else if (shown.letter) await printLines(JSON.stringify(shown, null, 2).split('\n'))
      else await printLine(`there is no dead letter ${place}`)
      process.exitCode = shown.letter ? 0 : 1
    })
  dlq
    .command('retry [places...]')
    .description('append dead letters to the inbox again, if they can now be read')
    .option('--all', 'retry all that were not retried yet')
    .option('--json', 'print one JSON line per retry')
    .action(
      async (places: string[], { all, json }: { all?: true; json?: true }, command: Command) => {
        if (!all && places.length === 0)
          command.error('error: give at least one place, or use --all')
        const { retryDead, retryLine } = await deadLetters()
        const retries = await retryDead(readConfig(), all ? 'all' : places.map(parsePlace))
        if (json) for (const retry of retries) await printJson(retry)
        else await printLines(retries.length > 0 ? retries.map(retryLine) : ['no dead letters'])
        process.exitCode = retries.every(isRetried) ? 0 : 1
      },
    )
}

const deadLetters = () => import('../operator/log/dead-letters.ts')

const isRetried = ({ toPartition }: LetterRetry): boolean => toPartition !== null
