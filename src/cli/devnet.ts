import type { Command } from 'commander'
import { whyAway } from '../operator/service/ask-service.ts'
import { UnavailableError } from '../ports/base-errors.ts'
import { DEVNET_BASE } from '../schemas/api/devnet.ts'
import { localAddress } from '../schemas/config/config.ts'
import { readConfig } from './terminal/environment.ts'
import { printJson, printLines } from './terminal/output.ts'

const JSON_OPTION = ['--json', 'print as JSON in one line'] as const
interface PlayOptions {
  json?: true
}

/** The running service did not make the move: it is not there, or it refused. */
export class DevnetUnavailableError extends UnavailableError {
  override name = 'DevnetUnavailableError'
  readonly part = 'devnet'
}

export function addDevnet(program: Command): void {
  const devnet = program
    .command('devnet')
    .description('control the built-in devnet of the running service')
  devnet
    .command('fund <address> <sats>')
    .description('send sats to an address and mine a block')
    .option(...JSON_OPTION)
    .action((address: string, sats: string, { json }: PlayOptions) =>
      playDevnet('fund', { address, sats }, json),
    )
  devnet
    .command('inscribe <address> <text>')
    .description('inscribe a text on an output of 10,000 sats owned by an address')
    .option(...JSON_OPTION)
    .action((address: string, text: string, { json }: PlayOptions) =>
      playDevnet('inscribe', { address, text }, json),
    )
  devnet
    .command('send <hex>')
    .description('broadcast a final transaction: it waits in the mempool for a block')
    .option(...JSON_OPTION)
    .action((hex: string, { json }: PlayOptions) => playDevnet('send', { hex }, json))
  devnet
    .command('mine [blocks]')
    .description('mine blocks, the first with the mempool transactions')
    .option(...JSON_OPTION)
    .action((blocks: string | undefined, { json }: PlayOptions) =>
      playDevnet('mine', { blocks: Number(blocks ?? '1') }, json),
    )
  devnet
    .command('reorg [depth]')
    .description('replace the last blocks by a chain one block longer')
    .option(...JSON_OPTION)
    .action((depth: string | undefined, { json }: PlayOptions) =>
      playDevnet('reorg', { depth: Number(depth ?? '1') }, json),
    )
  const objects = devnet.command('objects').description('create pairing transactions')
  const onCarriers =
    (move: string) =>
    (carriers: string | string[], { json }: PlayOptions) =>
      playDevnet('objects', { move, carriers: [carriers].flat() }, json)
  objects
    .command('create [label]')
    .description('create an object on a new carrier')
    .option(...JSON_OPTION)
    .action((label: string | undefined, { json }: PlayOptions) =>
      playDevnet('objects', { move: 'create', label: label ?? '' }, json),
    )
  objects
    .command('move <carriers...>')
    .description('move the objects of carriers (txid:vout) to new ones')
    .option(...JSON_OPTION)
    .action(onCarriers('move'))
  objects
    .command('pair <carriers...>')
    .description('pair the objects of two carriers')
    .option(...JSON_OPTION)
    .action(onCarriers('pair'))
  objects
    .command('unpair <carrier>')
    .description('unpair the object of a carrier')
    .option(...JSON_OPTION)
    .action(onCarriers('unpair'))
  objects
    .command('release <carrier>')
    .description('spend a carrier like any other output')
    .option(...JSON_OPTION)
    .action(onCarriers('release'))
  devnet
    .command('circle [members]')
    .description(
      'create a circle; members given as shards continue their lineage, the others start one',
    )
    .option('--shard <txid:vout...>', 'shards whose lineages the circle continues')
    .option(...JSON_OPTION)
    .action(
      (members: string | undefined, { shard = [], json }: PlayOptions & { shard?: string[] }) =>
        playDevnet(
          'circles',
          { move: 'circle', members: Number(members ?? '3'), shards: shard },
          json,
        ),
    )
  devnet
    .command('close <shard>')
    .description('spend a shard outside any circle, which closes its lineage')
    .option(...JSON_OPTION)
    .action((shard: string, { json }: PlayOptions) =>
      playDevnet('circles', { move: 'close', shards: [shard] }, json),
    )
}

/** Asks the running service for one move of its devnet, and prints the result. */
async function playDevnet(
  move: 'fund' | 'inscribe' | 'send' | 'mine' | 'reorg' | 'objects' | 'circles',
  body: Record<string, unknown>,
  json: true | undefined,
): Promise<void> {
  const own = { address: localAddress(readConfig()), isOwn: true }
  const { address } = own
  const answer = await fetch(`${address}${DEVNET_BASE}/${move}`, {
    method: 'POST',
    redirect: 'manual',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  }).catch((cause: unknown) => {
    throw new DevnetUnavailableError(whyAway(own, cause), { cause })
  })
  const received: unknown = await answer.json().catch(() => null)
  if (answer.status === 404) {
    throw new DevnetUnavailableError(`the service at ${address} has no devnet: it uses a real node`)
  }
  if (!answer.ok)
    throw new DevnetUnavailableError(
      messageOf(received) ?? `the service answered with status ${answer.status}`,
    )
  if (json) await printJson(received)
  else await printLines(JSON.stringify(received, null, 2).split('\n'))
}

const messageOf = (body: unknown): string | null =>
  typeof body === 'object' && body !== null && 'message' in body
    ? [body.message].flat().join('; ')
    : null
