import { once } from 'node:events'
import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type OrdServer, openOrdServer } from '../../../src/adapters/ord/server.ts'
import { LANES, type Lane } from '../../../src/runtime/lanes.ts'

/** A server that hangs until the test answers for it. */
let server: Server
let ord: OrdServer
/** Requests received, in order, and the answers still due. */
let sent: string[]
let owed: Map<string, ServerResponse>

beforeEach(async () => {
  sent = []
  owed = new Map()
  server = createServer(({ url = '' }, response) => {
    sent.push(url)
    owed.set(url, response)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  ord = openOrdServer(
    `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    undefined,
    () => {},
  )
})
afterEach(async () => {
  await ord.close()
  server.closeAllConnections()
  server.close()
})

const ask = (lane: keyof typeof LANES, many: number): Promise<string>[] =>
  Array.from({ length: many }, (_, n) => ord.inLane(LANES[lane] as Lane).text(`/${lane}/${n}`))
const reply = (path: string) => {
  owed.get(path)?.end('said')
  owed.delete(path)
}
const untilSent = async (many: number) => {
  while (sent.length < many) await delay(5)
}
const sentIn = (lane: keyof typeof LANES) => sent.filter((path) => path.startsWith(`/${lane}/`))

test('of a server that hangs, each lane leaves places to earlier lanes, and the first goes first', async () => {
  const later = ask('later', 10)
  await untilSent(2)
  const judgement = ask('judgement', 10)
  await untilSent(6)
  const first = ask('first', 4)
  await untilSent(8)
  await delay(100)
  expect([sentIn('later').length, sentIn('judgement').length, sentIn('first').length]).toEqual([
    2, 4, 2,
  ])

  // Any free place goes to the first lane, while a request waits in it.
  reply('/later/0')
  await untilSent(9)
  reply('/judgement/0')
  await untilSent(10)
  expect(sent.slice(8)).toEqual(['/first/2', '/first/3'])

  // Nothing of a later lane begins before there are places beyond those that it reserves.
  for (const n of [0, 1]) reply(`/first/${n}`)
  await Promise.all(first.slice(0, 2))
  expect(sent).toHaveLength(10)
  reply('/first/2')
  await untilSent(11)
  expect(sent.at(-1)).toBe('/judgement/4')

  for (let at = 0; at < 24; at += 1) {
    await untilSent(at + 1)
    reply(sent[at] ?? '')
  }
  const said = await Promise.all([...first, ...judgement, ...later])
  expect(said).toEqual(Array.from({ length: 24 }, () => 'said'))
})

test('while a flood of first judgements hangs, what is published is asked about at once', async () => {
  const flood = ask('judgement', 1_000).map((answer) => answer.catch((error: Error) => error))
  await untilSent(6)
  for (let n = 0; n < 10; n += 1) {
    const [publish] = ask('first', 1)
    await untilSent(7 + n)
    reply('/first/0')
    expect(await publish).toBe('said')
  }
  expect(sentIn('judgement')).toHaveLength(6)
  await ord.close()
  await Promise.all(flood)
})
