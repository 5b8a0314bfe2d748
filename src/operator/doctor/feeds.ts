import { WebSocket } from 'ws'
import type { Config } from '../../schemas/config/config.ts'
import { type Check, type Finding, messageOf, ok, warn } from './finding.ts'

const ASKED_MS = 5_000
const RELAY_LISTS = [
  { variable: 'NOSTR_RELAYS', name: 'relays' },
  { variable: 'NOSTR_TRUSTED_RELAYS', name: 'trusted relays' },
] as const

/** Relays and the offers, if configured: an unavailable one stops no order. */
export const feedChecks = ({ OFFERS_URL, ...config }: Config): Check[] => [
  ...RELAY_LISTS.flatMap(({ variable, name }) => {
    const urls = config[variable]
    if (!urls) return []
    const cure = `set ${variable} to relays that are reachable`
    return [
      {
        name,
        needs: [variable] as const,
        cure,
        look: () => Promise.all(urls.map((url) => relayFinding(url, variable))),
      },
    ]
  }),
  ...(OFFERS_URL
    ? [
        {
          name: 'offers',
          needs: ['OFFERS_URL'] as const,
          cure: 'set OFFERS_URL to an ord server with --accept-offers',
          look: async () => [await offersFinding(OFFERS_URL)],
        },
      ]
    : []),
]

const relayFinding = (url: string, variable: string): Promise<Finding> =>
  new Promise((done) => {
    const socket = new WebSocket(url, { handshakeTimeout: ASKED_MS, maxPayload: 2 ** 20 })
    socket.once('open', () => {
      done(ok(`${url} answers`))
      socket.close()
    })
    socket.once('error', (error) => {
      done(
        warn(
          `${url} is unreachable: ${messageOf(error)}`,
          `remove it from ${variable} if this persists`,
        ),
      )
      socket.terminate()
    })
  })

async function offersFinding(url: string): Promise<Finding> {
  const cure = 'start ord there with --accept-offers, or set OFFERS_URL to its address'
  try {
    const answer = await fetch(url, {
      headers: { accept: 'application/json' },
      redirect: 'manual',
      signal: AbortSignal.timeout(ASKED_MS),
    })
    await answer.body?.cancel()
    return answer.status < 500
      ? ok(`${url} answers`)
      : warn(`${url} answered with status ${answer.status}`, cure)
  } catch (error) {
    return warn(`${url} is unreachable: ${messageOf(error)}`, cure)
  }
}
