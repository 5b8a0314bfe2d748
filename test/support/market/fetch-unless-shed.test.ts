import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { fetchUnlessShed } from './fetch-unless-shed.ts'

/** As often as a service that is overloaded for a second or two closes a connection unanswered. */
const SHED = 8
let requests = 0
const server = createServer((request, response) => {
  requests += 1
  if (requests <= SHED) request.socket.destroy()
  else response.end('{}')
})

beforeAll(() => once(server.listen(0, '127.0.0.1'), 'listening'))
afterAll(() => server.close())

const address = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`

test('a read that was shed is repeated until it is answered', async () => {
  requests = 0
  expect((await fetchUnlessShed(address())).status).toBe(200)
  expect(requests).toBe(SHED + 1)
})
