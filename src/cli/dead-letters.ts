import type { Command } from 'commander'
import {
  deadLine,
  listDead,
  type Retry,
  retryDead,
  retryLine,
  showDead,
} from '../operator/log/dead-letters.ts'
import { parsePlace } from '../operator/log/place.ts'
import { readConfig } from './environment.ts'
import { printJson, printLine, printLines } from './output.ts'

/** A place is the record's in the inbox, as `list` prints it. */
export function addDeadLetters(program: Command): void {
  const dlq = program.command('dlq').description('inbox records that no worker could take')
  dlq
    .command('list')
    .description(
      'every dead letter with its place in the inbox, its reason, and whether it was retried',
    )
    .option('--json', 'a JSON line a letter')
    .action(async ({ json }: { json?: true }) => {
      const letters = await listDead(readConfig())
      if (json) for (const letter of letters) await printJson(letter)
      else await printLines(letters.length > 0 ? letters.map(deadLine) : ['no dead letters'])
    })
  dlq
    .command('show <place>')
    .description('a dead letter, and its record as the inbox still has it')
    .action(async (place: string) => {
      const shown = await showDead(readConfig(), parsePlace(place))
      if (shown.letter) await printLines(JSON.stringify(shown, null, 2).split('\n'))
      else await printLine(`there is no dead letter ${place}`)
      process.exitCode = shown.letter ? 0 : 1
    })
  dlq
    .command('retry [places...]')
    .description('append to the inbox once more what can be read now')
    .option('--all', 'every one that was not retried')
    .action(async (places: string[], { all }: { all?: true }, command: Command) => {
      if (!all && places.length === 0) command.error('error: name a place, or say --all')
      const retries = await retryDead(readConfig(), all ? 'all' : places.map(parsePlace))
      await printLines(retries.length > 0 ? retries.map(retryLine) : ['no dead letters'])
      process.exitCode = retries.every(isRetried) ? 0 : 1
    })
}

const isRetried = ({ toPartition }: Retry): boolean => toPartition !== null
