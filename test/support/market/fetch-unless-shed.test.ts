import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { fetchUnlessShed } from './fetch-unless-shed.ts'

/** As often as a service that is overloaded for a second or two sheds a request. */
const SHED = 8
let requests = 0
const server = createServer((request, response) => {
  requests += 1
  if (request.url === '/away') response.writeHead(503).end('{"code":"STORAGE_UNAVAILABLE"}')
  else if (requests > SHED) response.end('{}')
  else if (request.url === '/unanswered') request.socket.destroy()
  else response.writeHead(503).end('{"code":"OVERLOADED"}')
})

beforeAll(() => once(server.listen(0, '127.0.0.1'), 'listening'))
afterAll(() => server.close())

const address = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`

test.each(['unanswered', 'overloaded'])(
  'a request that was shed (%s) is repeated',
  async (path) => {
    requests = 0
    const answer = await fetchUnlessShed(`${address()}/${path}`)
    expect([answer.status, await answer.text()]).toEqual([200, '{}'])
    expect(requests).toBe(SHED + 1)
  },
)

test('another refusal is returned, with its body', async () => {
  requests = 0
  const answer = await fetchUnlessShed(`${address()}/away`)
  expect([answer.status, await answer.json()]).toEqual([503, { code: 'STORAGE_UNAVAILABLE' }])
  expect(requests).toBe(1)
})
