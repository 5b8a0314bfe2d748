import { type ImportRequest, NetworkError } from 'psbt-market-client'

interface MoveAnswers {
  offer: ImportRequest
  buy: { txid: string }
  mine: { blocks: string[] }
  reorg: { forkHeight: number; connected: string[]; disconnected: string[] }
  send: { txid: string }
  inscribe: { inscriptionId: string; outpoint: { txid: string; vout: number } }
  fund: { outpoint: { txid: string; vout: number } }
}
type DevnetMove = keyof MoveAnswers

/**
 * One move on the devnet. Its routes are not part of the API, and the client knows none of them.
 * @throws NetworkError if nothing answers
 * @throws Error with the service's own words
 */
export async function play<M extends DevnetMove>(move: M, body: object): Promise<MoveAnswers[M]> {
  const answer = await fetch(`/devnet/${move}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  }).catch((cause: unknown) => {
    throw new NetworkError('the devnet does not answer', { cause })
  })
  const told: unknown = await answer.json()
  if (!answer.ok) throw new Error(refusalOf(told) ?? `the devnet answered ${answer.status}`)
  return told as MoveAnswers[M]
}

const refusalOf = (told: unknown): string | null =>
  typeof told === 'object' && told !== null && 'message' in told
    ? [told.message].flat().map(String).join('; ')
    : null
