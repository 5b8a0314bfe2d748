import type { Config } from '../schemas/config.ts'
import { DEVNET_BASE } from '../schemas/devnet.ts'

/** Asks the running service for one move of its devnet, and prints what came of it. */
export async function playDevnet(
  { HOST, PORT }: Config,
  move: 'fund' | 'inscribe' | 'mine' | 'reorg',
  body: Record<string, unknown>,
): Promise<void> {
  const address = `http://${HOST}:${PORT}`
  const answer = await fetch(`${address}${DEVNET_BASE}/${move}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  }).catch(() => {
    throw new DevnetAway(`nothing answers on ${address}: is the service running with its devnet?`)
  })
  const told = await answer.json()
  if (!answer.ok) throw new DevnetAway(messageOf(told) ?? `the service answered ${answer.status}`)
  process.stdout.write(`${JSON.stringify(told, null, 2)}\n`)
}

class DevnetAway extends Error {
  override name = 'DevnetAway'
  readonly reason = 'devnet_away'
}

const messageOf = (told: unknown): string | null =>
  typeof told === 'object' && told !== null && 'message' in told
    ? [told.message].flat().join('; ')
    : null
