import type { Command } from 'commander'
import { makeOperatorToken } from '../operator/operator-token.ts'
import { printLines } from './output.ts'

/** Operators: those who moderate. */
export function addOperator(program: Command): void {
  const operator = program.command('operator').description('those who moderate')
  operator
    .command('token <name>')
    .description('make a token; it is printed once, and kept nowhere')
    .option('--expires <date>', 'the last day on which it is accepted (UTC, YYYY-MM-DD)')
    .action(async (name: string, { expires }: { expires?: string }) => {
      const { token, entry } = makeOperatorToken(name, expires)
      await printLines([
        `token, for ${name} alone   ${token}`,
        `for the service${' '.repeat(name.length)}    OPERATOR_TOKENS=${entry}`,
      ])
    })
}
