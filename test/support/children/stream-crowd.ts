import { get, type IncomingMessage } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { serveParty } from '../abuse/party.ts'
import { type CrowdReport, type CrowdSkills, crowdedAddress } from '../streams/stream-crowd.ts'

// A thousand streams of different queries that match the same orders, read at once.

const OPENED_AT_ONCE = 32
const LONGEST_PAUSE_S = 10
const CHANGE = /"orderId":"([0-9a-f]{64})","seq":([0-9]+),"observedAt":"([^"]+)"/

let open = 0
let times = new Map<string, number>()
let latestMs = 0

const pathOf = (n: number): string => {
  const since = new Date(Date.UTC(2020, 0, 1) + n).toISOString()
  return `/api/market/activity/stream?limit=1&includeWithdrawn=true&updatedSince=${since}`
}

/** Asks until it is served, as a client does. */
async function follow(address: string, n: number): Promise<void> {
  for (;;) {
    const answer = await answerOf(`${address}${pathOf(n)}`, crowdedAddress(n))
    if (answer.statusCode === 200) return read(answer)
    answer.resume()
    const seconds = Number(answer.headers['retry-after'] ?? LONGEST_PAUSE_S)
    await delay(Math.min(seconds, LONGEST_PAUSE_S) * 1_000)
  }
}

const answerOf = (url: string, from: string): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    const headers = { 'x-forwarded-for': from }
    get(url, { headers, agent: false }, resolve).on('error', reject)
  })

function read(answer: IncomingMessage): void {
  open += 1
  let tail = ''
  answer.setEncoding('latin1')
  answer.on('data', (text: string) => {
    const blocks = (tail + text).split('\n\n')
    tail = blocks.pop() ?? ''
    for (const block of blocks) if (block.includes('event: change')) take(block)
  })
  answer.on('error', () => {})
  answer.once('close', () => {
    open -= 1
  })
}

function take(block: string): void {
  const [, id, seq, at = ''] = CHANGE.exec(block) ?? []
  const key = `${id}:${seq}`
  times.set(key, (times.get(key) ?? 0) + 1)
  latestMs = Math.max(latestMs, Date.now() - Date.parse(at))
}

const skills: CrowdSkills = {
  open: async ({ address, streams }) => {
    let next = 0
    const work = async () => {
      while (next < streams) await follow(address, next++)
    }
    await Promise.all(Array.from({ length: OPENED_AT_ONCE }, work))
  },
  report: () => {
    const counts = [...times.values()]
    const report: CrowdReport = {
      open,
      changes: counts.length,
      leastTimes: Math.min(...counts),
      mostTimes: Math.max(...counts),
      latestMs,
    }
    times = new Map()
    latestMs = 0
    return report
  },
}
serveParty(skills)
