import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { offerJudge } from '../../src/actors/judge-unproved.ts'
import { systemClock } from '../../src/adapters/embedded/system-clock.ts'
import { offerExaminer } from '../../src/authorities/gather-evidence.ts'
import { marketRules } from '../../src/domain/catalog/market-rules.ts'
import { walletOf } from '../support/chain/keys.ts'
import { chainStatus, indexWith, nodeWith } from '../support/chain/scripted-authorities.ts'
import { openTestApp, type TestApp } from '../support/http/http.ts'
import { listingOf } from '../support/market/listing.ts'
import { makeAsk, outpointOf } from '../support/orders/psbt-orders.ts'
import { saleEvent } from '../support/orders/sale-event.ts'

const ORDERS = '/api/market/orders'
const outpoint = outpointOf('asset')
const asset = { inscriptionId: `${'ab'.repeat(32)}i0`, outpoint }
const { psbt } = makeAsk()

/** A node that hangs at its first query, and then says that it knows of no output. */
let asked: string[]
let answered: Promise<void>
let answer: () => void
let it: TestApp
let port: number
const signatures = {
  check: async () => {
    throw new Error('no output, no signature to check')
  },
  close: async () => undefined,
}

beforeEach(async () => {
  hold()
  const node = nodeWith({
    chain: async () => {
      asked.push('chain')
      await answered
      return chainStatus()
    },
    output: async () => {
      asked.push('output')
      return { status: 'absent' }
    },
  })
  const index = indexWith()
  const examiner = offerExaminer({ node, index, signatures, clock: systemClock })
  const judge = offerJudge({
    offers: { incoming: examiner, again: examiner },
    network: 'regtest',
    marketOf: marketRules,
  })
  it = await openTestApp({
    ports: { node, index, offers: examiner, inspections: examiner, judge },
  })
  port = await it.listen()
})
afterEach(() => it.close())

/** From now on the first query hangs until it is answered. */
function hold(): void {
  asked = []
  answered = new Promise<void>((resolve) => {
    answer = resolve
  })
}

const until = async (holds: () => boolean | Promise<boolean>) => {
  while (!(await holds())) await delay(5)
}
const connections = () =>
  new Promise<number>((resolve, reject) => {
    it.app.server.getConnections((error, count) => (error ? reject(error) : resolve(count)))
  })

/** Whoever leaves is no failure of the service. */
const failures = () => it.logLines.map((line) => JSON.parse(line)).filter(({ level }) => level > 30)

/** Posts over a connection of its own, and resolves once the node was queried. */
async function post(path: string, body: object): Promise<Socket> {
  const text = JSON.stringify(body)
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => undefined)
  socket.resume()
  socket.write(
    `POST ${path} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n` +
      `content-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`,
  )
  await until(() => asked.length > 0)
  return socket
}

const ROUTES: [name: string, body: object][] = [
  ['build', listingOf(asset, walletOf('p2tr', 'seller'))],
  ['publish', { psbt }],
  ['import', { psbt }],
  ['inspect', { psbt }],
  [
    'portable-event',
    saleEvent(psbt, [
      ['n', 'regtest'],
      ['t', 'sell'],
      ['i', asset.inscriptionId],
      ['u', `${outpoint.txid}:${outpoint.vout}`],
      ['s', '50000'],
      ['x', 'market'],
    ]),
  ],
]

describe.each(ROUTES)('POST /orders/%s', (name, body) => {
  test('keeps querying while its client waits', async () => {
    const socket = await post(`${ORDERS}/${name}`, body)
    const replied = once(socket, 'data')
    answer()
    await replied
    expect(asked).toContain('output')
    socket.destroy()
  })

  test('asks nothing more, and stores nothing, once its client has left', async () => {
    const socket = await post(`${ORDERS}/${name}`, body)
    const before = [...asked]
    socket.destroy()
    await until(async () => (await connections()) === 0)
    answer()
    await delay(100)
    expect(asked).toEqual(before)
    const page = (await it.get(`${ORDERS}?state=REJECTED`)).json()
    expect(page.orders).toEqual([])
    expect(failures()).toEqual([])
  })
})

test('POST /orders/{id}/revalidate asks nothing more once its client has left', async () => {
  const importing = it.post(`${ORDERS}/import`, { psbt })
  answer()
  const { id } = (await importing).json()
  hold()
  const before = (await it.get(`${ORDERS}/${id}`)).json()
  const socket = await post(`${ORDERS}/${id}/revalidate`, {})
  // The first check: one request to the node for both.
  const looked = [...asked]
  expect(looked).toEqual(['chain', 'output'])
  socket.destroy()
  await until(async () => (await connections()) === 0)
  answer()
  await delay(100)
  expect(asked).toEqual(looked)
  expect(failures()).toEqual([])
  expect((await it.get(`${ORDERS}/${id}`)).json()).toEqual(before)
})
