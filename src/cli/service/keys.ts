import { type Command, InvalidArgumentError } from 'commander'
import {
  askForKey,
  askForRevocation,
  askForRotation,
  fetchKeys,
  keyLine,
} from '../../operator/service/keys.ts'
import type { KeyWithSecret } from '../../schemas/customers/key-api.ts'
import { printJson, printLine, printLines } from '../terminal/output.ts'
import { SERVICE_OPTION, serviceAsOperator } from './service-option.ts'

interface KeysArguments {
  service?: string
  json?: true
}

/** Keys of a running service's customers, as its operators manage them over the API. */
export function addKeys(program: Command): void {
  const keys = program
    .command('keys')
    .description('manage the keys of customers, with the token of an operator')
    .addHelpText(
      'after',
      '\nOPERATOR_TOKEN, or the file that OPERATOR_TOKEN_FILE names, has the token ("market operator token").',
    )
  commandOf(keys, 'list', 'list them, with their tiers').action(async (given: KeysArguments) => {
    const all = await fetchKeys(serviceAsOperator(given.service))
    if (given.json) await printJson(all)
    else await printLines(all.length > 0 ? all.map(keyLine) : ['no keys'])
  })
  commandOf(keys, 'create <name> <tier>', 'make a key of a tier; prints it once').action(
    async (name: string, tier: string, given: KeysArguments) =>
      printKey(await askForKey(serviceAsOperator(given.service), { name, tier }), given),
  )
  commandOf(keys, 'rotate <name>', 'make a new secret; the one before is accepted for a day')
    .option('--previous-for <seconds>', 'accept those before for so long; 0: end them', secondsOf)
    .action(async (name: string, given: KeysArguments & { previousFor?: number }) =>
      printKey(
        await askForRotation(serviceAsOperator(given.service), name, given.previousFor),
        given,
      ),
    )
  commandOf(keys, 'revoke <name>', 'end it with all its secrets').action(
    async (name: string, given: KeysArguments) => {
      const view = await askForRevocation(serviceAsOperator(given.service), name)
      if (given.json) await printJson(view)
      else await printLine(`${name} is revoked`)
    },
  )
}

async function printKey(made: KeyWithSecret, { json }: KeysArguments): Promise<void> {
  if (json) return await printJson(made)
  const { key, ...view } = made
  await printLines([keyLine(view), `key (not shown again)  ${key}`])
}

const commandOf = (keys: Command, name: string, says: string): Command =>
  keys
    .command(name)
    .description(says)
    .option(...SERVICE_OPTION)
    .option('--json', 'print as JSON')

function secondsOf(text: string): number {
  if (/^\d{1,6}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('It must be a number of seconds.')
}
