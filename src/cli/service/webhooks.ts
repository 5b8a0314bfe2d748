import { type Command, InvalidArgumentError } from 'commander'
import {
  actOnWebhook,
  askForSecret,
  askForWebhook,
  deadDeliveries,
  deadDeliveryLine,
  fetchWebhooks,
  type WebhookAct,
  webhookLine,
} from '../../operator/service/webhooks.ts'
import type { WebhookWithSecret } from '../../schemas/webhooks/webhook-api.ts'
import { printJson, printLine, printLines } from '../terminal/output.ts'
import { SERVICE_OPTION, serviceAsOperator } from './service-option.ts'

interface WebhooksArguments {
  service?: string
  json?: true
}

const ACTS: readonly [command: string, act: WebhookAct, says: string][] = [
  ['disable', 'pause', 'send nothing until it is enabled again; nothing is lost'],
  ['enable', 'resume', 'continue where it stopped; failures are retried at once'],
  ['retry', 'retry', 'send its dead letters once more'],
  ['delete', 'delete', 'delete it, with its dead letters'],
]

/** Webhooks of a running service, as its operators manage them over the API. */
export function addWebhooks(program: Command): void {
  const webhooks = program
    .command('webhooks')
    .description('manage the webhooks of a running service, with the token of an operator')
    .addHelpText(
      'after',
      '\nOPERATOR_TOKEN, or the file that OPERATOR_TOKEN_FILE names, has the token ("market operator token").',
    )
  addReads(webhooks)
  addSecrets(webhooks)
  for (const [command, act, says] of ACTS)
    commandOf(webhooks, `${command} <name>`, says).action(
      async (name: string, { service, json }: WebhooksArguments) => {
        const view = await actOnWebhook(serviceAsOperator(service), name, act)
        if (json) await printJson(view)
        else await printLine(act === 'delete' ? `${name} is deleted` : webhookLine(view))
      },
    )
}

function addReads(webhooks: Command): void {
  commandOf(webhooks, 'list', 'list them, with the state of their deliveries').action(
    async ({ service, json }: WebhooksArguments) => {
      const all = await fetchWebhooks(serviceAsOperator(service))
      if (json) await printJson(all)
      else await printLines(all.length > 0 ? all.map(webhookLine) : ['no webhooks'])
    },
  )
  commandOf(
    webhooks,
    'deliveries <name>',
    'the state of its deliveries, and its dead letters',
  ).action(async (name: string, { service, json }: WebhooksArguments) => {
    const at = serviceAsOperator(service)
    const deadLetters = await deadDeliveries(at, name)
    const webhook = (await fetchWebhooks(at)).find((one) => one.name === name)
    if (json) return await printJson({ webhook: webhook ?? null, deadLetters })
    if (webhook) await printLine(webhookLine(webhook))
    const dead = deadLetters.map(deadDeliveryLine)
    await printLines(dead.length > 0 ? dead : ['no dead letters'])
  })
}

function addSecrets(webhooks: Command): void {
  commandOf(webhooks, 'create <name> <url>', 'send each change from now on; prints the secret once')
    .option('--filter <json>', 'which changes: the filters of a list, or orderId alone', filterOf)
    .action(async (name: string, url: string, given: WebhooksArguments & { filter?: object }) => {
      const { service, json, filter } = given
      const asked = { name, url, ...(filter && { filter }) }
      await printSecret(await askForWebhook(serviceAsOperator(service), asked), json)
    })
  commandOf(webhooks, 'rotate <name>', 'make a new secret; the old one signs too for a day').action(
    async (name: string, { service, json }: WebhooksArguments) =>
      printSecret(await askForSecret(serviceAsOperator(service), name), json),
  )
}

async function printSecret(webhook: WebhookWithSecret, json: true | undefined): Promise<void> {
  if (json) return await printJson(webhook)
  const { secret, ...view } = webhook
  await printLines([webhookLine(view), `secret (not shown again)  ${secret}`])
}

const commandOf = (webhooks: Command, name: string, says: string): Command =>
  webhooks
    .command(name)
    .description(says)
    .option(...SERVICE_OPTION)
    .option('--json', 'print as JSON')

function filterOf(text: string): object {
  try {
    const filter: unknown = JSON.parse(text)
    if (typeof filter === 'object' && filter !== null && !Array.isArray(filter)) return filter
  } catch {
    // Said below.
  }
  throw new InvalidArgumentError('It must be a JSON object, such as {"state":"LIVE"}.')
}
