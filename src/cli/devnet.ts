import type { Command } from 'commander'
import { UnavailableError } from '../ports/base-errors.ts'
import { DEVNET_BASE } from '../schemas/api/devnet.ts'
import { type Config, localAddress } from '../schemas/config/config.ts'
import { readConfig } from './terminal/environment.ts'

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
    .action((address: string, sats: string) => playDevnet(readConfig(), 'fund', { address, sats }))
  devnet
    .command('inscribe <address> <text>')
    .description('inscribe a text on an output of 10,000 sats owned by an address')
    .action((address: string, text: string) =>
      playDevnet(readConfig(), 'inscribe', { address, text }),
    )
  devnet
    .command('send <hex>')
    .description('broadcast a final transaction: it waits in the mempool for a block')
    .action((hex: string) => playDevnet(readConfig(), 'send', { hex }))
  devnet
    .command('mine [blocks]')
    .description('mine blocks, the first with the mempool transactions')
    .action((blocks = '1') => playDevnet(readConfig(), 'mine', { blocks: Number(blocks) }))
  devnet
    .command('reorg [depth]')
    .description('replace the last blocks by a chain one block longer')
    .action((depth = '1') => playDevnet(readConfig(), 'reorg', { depth: Number(depth) }))
  const objects = devnet.command('objects').description('create pairing transactions')
  const onCarriers = (move: string) => (carriers: string | string[]) =>
    playDevnet(readConfig(), 'objects', { move, carriers: [carriers].flat() })
  objects
    .command('create [label]')
    .description('create an object on a new carrier')
    .action((label = '') => playDevnet(readConfig(), 'objects', { move: 'create', label }))
  objects
    .command('move <carriers...>')
    .description('move the objects of carriers (txid:vout) to new ones')
    .action(onCarriers('move'))
  objects
    .command('pair <carriers...>')
    .description('pair the objects of two carriers')
    .action(onCarriers('pair'))
  objects
    .command('unpair <carrier>')
    .description('unpair the object of a carrier')
    .action(onCarriers('unpair'))
  objects
    .command('release <carrier>')
    .description('spend a carrier like any other output')
    .action(onCarriers('release'))
  devnet
    .command('circle [members]')
    .description(
      'create a circle; members given as shards continue their lineage, the others start one',
    )
    .option('--shard <txid:vout...>', 'shards whose lineages the circle continues')
    .action((members = '3', { shard = [] }: { shard?: string[] }) =>
      playDevnet(readConfig(), 'circles', {
        move: 'circle',
        members: Number(members),
        shards: shard,
      }),
    )
  devnet
    .command('close <shard>')
    .description('spend a shard outside any circle, which closes its lineage')
    .action((shard: string) =>
      playDevnet(readConfig(), 'circles', { move: 'close', shards: [shard] }),
    )
}

/** Asks the running service for one move of its devnet, and prints the result. */
async function playDevnet(
  config: Config,
  move: 'fund' | 'inscribe' | 'send' | 'mine' | 'reorg' | 'objects' | 'circles',
  body: Record<string, unknown>,
): Promise<void> {
  const address = localAddress(config)
  const answer = await fetch(`${address}${DEVNET_BASE}/${move}`, {
    method: 'POST',
    redirect: 'manual',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  }).catch(() => {
    throw new DevnetUnavailableError(
      `cannot reach the service at ${address}: start it first ("market start"), or set HOST and PORT to the values it uses`,
    )
  })
  const received: unknown = await answer.json().catch(() => null)
  if (answer.status === 404) {
    throw new DevnetUnavailableError(`the service at ${address} has no devnet: it uses a real node`)
  }
  if (!answer.ok)
    throw new DevnetUnavailableError(
      messageOf(received) ?? `the service answered with status ${answer.status}`,
    )
  process.stdout.write(`${JSON.stringify(received, null, 2)}\n`)
}

const messageOf = (body: unknown): string | null =>
  typeof body === 'object' && body !== null && 'message' in body
    ? [body.message].flat().join('; ')
    : null
