import type { Command } from 'commander'
import { lastDayOf, makeOperatorToken, TOKEN_DAYS } from '../operator/operator-token.ts'
import { printJson, printLines } from './terminal/output.ts'

/** Operators: people who moderate orders. */
export function addOperator(program: Command): void {
  const operator = program.command('operator').description('manage operator tokens')
  operator
    .command('token <name>')
    .description('create a token; it is printed once and not stored')
    .option(
      '--expires <date>',
      `last day on which the token is accepted (UTC, YYYY-MM-DD), or never (default: in ${TOKEN_DAYS} days)`,
    )
    .option('--json', 'print as JSON')
    .action(async (name: string, { expires, json }: { expires?: string; json?: true }) => {
      const lastDay = lastDayOf(expires, Date.now())
      const { token, entry } = makeOperatorToken(name, lastDay)
      if (json) return await printJson({ token, entry, lastDay: lastDay ?? null })
      await printLines([
        `token (give it to ${name} only)   ${token}`,
        `setting of the service${' '.repeat(name.length)}     OPERATOR_TOKENS=${entry}`,
        lastDay === undefined ? 'it does not expire' : `accepted to the end of ${lastDay} (UTC)`,
      ])
    })
}
