import type { Command } from 'commander'
import { UnavailableError } from '../ports/runtime/base-errors.ts'
import { DEVNET_BASE } from '../schemas/api/devnet.ts'
import { type Config, localAddress } from '../schemas/config/config.ts'
import { readConfig } from './environment.ts'

/** The running service did not make the move: it is not there, or it refused. */
export class DevnetUnavailableError extends UnavailableError {
  override name = 'DevnetUnavailableError'
  readonly part = 'devnet'
}

export function addDevnet(program: Command): void {
  const devnet = program
    .command('devnet')
    .description('play with the built-in devnet of the running service')
  devnet
    .command('fund <address> <sats>')
    .description('pay an address, in a block')
    .action((address: string, sats: string) => playDevnet(readConfig(), 'fund', { address, sats }))
  devnet
    .command('inscribe <address> <text>')
    .description('inscribe a text on a coin of 10,000 sats of an address')
    .action((address: string, text: string) =>
      playDevnet(readConfig(), 'inscribe', { address, text }),
    )
  devnet
    .command('mine [blocks]')
    .description('mine blocks with what is in the mempool')
    .action((blocks = '1') => playDevnet(readConfig(), 'mine', { blocks: Number(blocks) }))
  devnet
    .command('reorg [depth]')
    .description('replace the last blocks by one more')
    .action((depth = '1') => playDevnet(readConfig(), 'reorg', { depth: Number(depth) }))
  const objects = devnet.command('objects').description('make transactions of the pairing protocol')
  const onCarriers = (move: string) => (carriers: string | string[]) =>
    playDevnet(readConfig(), 'objects', { move, carriers: [carriers].flat() })
  objects
    .command('create [label]')
    .description('make an object on a new carrier')
    .action((label = '') => playDevnet(readConfig(), 'objects', { move: 'create', label }))
  objects
    .command('move <carriers...>')
    .description('move the objects of carriers (txid:vout) to new ones')
    .action(onCarriers('move'))
  objects
    .command('pair <carriers...>')
    .description('make a pair of the objects of two carriers')
    .action(onCarriers('pair'))
  objects
    .command('unpair <carrier>')
    .description('take the object of a carrier out of its pair')
    .action(onCarriers('unpair'))
  objects
    .command('release <carrier>')
    .description('spend a carrier as any other coin')
    .action(onCarriers('release'))
  devnet
    .command('circle [members]')
    .description('make a circle; those whose shards are named go on, the others begin a lineage')
    .option('--shard <txid:vout...>', 'shards that it continues')
    .action((members = '3', { shard = [] }: { shard?: string[] }) =>
      playDevnet(readConfig(), 'circles', {
        move: 'circle',
        members: Number(members),
        shards: shard,
      }),
    )
  devnet
    .command('close <shard>')
    .description('spend a shard outside of any circle: its lineage closes')
    .action((shard: string) =>
      playDevnet(readConfig(), 'circles', { move: 'close', shards: [shard] }),
    )
}

/** Asks the running service for one move of its devnet, and prints the result. */
async function playDevnet(
  config: Config,
  move: 'fund' | 'inscribe' | 'mine' | 'reorg' | 'objects' | 'circles',
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
      `nothing answers on ${address}: start the service first ("market start"), or set HOST and PORT as it has them`,
    )
  })
  const told: unknown = await answer.json().catch(() => null)
  if (answer.status === 404) {
    throw new DevnetUnavailableError(
      `the service on ${address} has no devnet: it runs on a node of its own`,
    )
  }
  if (!answer.ok)
    throw new DevnetUnavailableError(messageOf(told) ?? `the service answered ${answer.status}`)
  process.stdout.write(`${JSON.stringify(told, null, 2)}\n`)
}

const messageOf = (told: unknown): string | null =>
  typeof told === 'object' && told !== null && 'message' in told
    ? [told.message].flat().join('; ')
    : null
