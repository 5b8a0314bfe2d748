import type { Command } from 'commander'
import { makeOperatorToken } from '../operator/operator-token.ts'
import { printLines } from './output.ts'

/** Operators: people who moderate orders. */
export function addOperator(program: Command): void {
  const operator = program.command('operator').description('manage operator tokens')
  operator
    .command('token <name>')
    .description('create a token; it is printed once and not stored')
    .option('--expires <date>', 'last day on which the token is accepted (UTC, YYYY-MM-DD)')
    .action(async (name: string, { expires }: { expires?: string }) => {
      const { token, entry } = makeOperatorToken(name, expires)
      await printLines([
        `token (give it to ${name} only)   ${token}`,
        `setting of the service${' '.repeat(name.length)}     OPERATOR_TOKENS=${entry}`,
      ])
    })
}
