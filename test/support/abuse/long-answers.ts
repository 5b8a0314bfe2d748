import { setTimeout as delay } from 'node:timers/promises'
import { openStream } from '../http/stream-client.ts'

const TRIES = 10
const PAUSE_MS = 500

/** `closed`: the connection ended without an answer, as where a contract has no body for a refusal. */
type Refused = number | 'closed'

/** What an honest client got at last, by what it asked for. */
export interface LongAnswers {
  stream: 'whole' | Refused
  circles: 'whole' | Refused
}

/**
 * Opens a stream until its snapshot, and reads the snapshot of the circles, one after the other. Each
 * is asked for again for a few seconds, since a bucket of all clients may have no token just then.
 */
export async function readLongAnswers(address: string, from: string): Promise<LongAnswers> {
  const headers = { 'x-forwarded-for': from }
  const stream = await untilServed(async () => {
    const opened = await openStream(`${address}/api/market/activity/stream?limit=1`, headers)
    try {
      if (opened.status === 200) await opened.nextOf('snapshot')
      return opened.status
    } finally {
      opened.kill()
    }
  })
  const circles = await untilServed(async () => {
    const answer = await fetch(`${address}/circles/snapshot`, { headers })
    const text = await answer.text()
    if (answer.ok) JSON.parse(text)
    return answer.status
  })
  return { stream, circles }
}

async function untilServed(ask: () => Promise<number>): Promise<'whole' | Refused> {
  let refused: Refused = 'closed'
  for (let tries = 0; tries < TRIES; tries += 1) {
    if (tries > 0) await delay(PAUSE_MS)
    refused = await ask().catch(() => 'closed' as const)
    if (refused === 200) return 'whole'
  }
  return refused
}
