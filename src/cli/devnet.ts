import { type Config, localAddress } from '../schemas/config.ts'
import { DEVNET_BASE } from '../schemas/devnet.ts'

/** The running service did not play: it is not there, or it refused. */
export class DevnetAway extends Error {
  override name = 'DevnetAway'
}

/** Asks the running service for one move of its devnet, and prints what came of it. */
export async function playDevnet(
  config: Config,
  move: 'fund' | 'inscribe' | 'mine' | 'reorg',
  body: Record<string, unknown>,
): Promise<void> {
  const address = localAddress(config)
  const answer = await fetch(`${address}${DEVNET_BASE}/${move}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  }).catch(() => {
    throw new DevnetAway(
      `nothing answers on ${address}: start the service first ("market start"), or set HOST and PORT as it has them`,
    )
  })
  const told: unknown = await answer.json().catch(() => null)
  if (answer.status === 404) {
    throw new DevnetAway(`the service on ${address} has no devnet: it runs on a node of its own`)
  }
  if (!answer.ok) throw new DevnetAway(messageOf(told) ?? `the service answered ${answer.status}`)
  process.stdout.write(`${JSON.stringify(told, null, 2)}\n`)
}

const messageOf = (told: unknown): string | null =>
  typeof told === 'object' && told !== null && 'message' in told
    ? [told.message].flat().join('; ')
    : null
