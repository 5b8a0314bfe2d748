import Fastify from 'fastify'
import { expect, test } from 'vitest'
import { networksOf } from '../../../src/http/clients/client.ts'

async function networksAt(address: string): Promise<readonly string[]> {
  const app = Fastify()
  app.get('/', (request) => networksOf(request))
  const answer = await app.inject({ url: '/', remoteAddress: address })
  await app.close()
  return answer.json()
}

test.each([
  ['192.0.2.7', ['192.0.2.7', '192.0.2.0/24']],
  ['::ffff:192.0.2.7', ['192.0.2.7', '192.0.2.0/24']],
  ['2a00:1:2:3::7', ['2a00:1:2:3::', '2a00:1:2::/56', '2a00:1:2::/48']],
  // 6to4: any address below the owner's.
  ['2002:c000:207::1', ['192.0.2.7', '192.0.2.0/24']],
  ['2002:c000:207:ffff::9', ['192.0.2.7', '192.0.2.0/24']],
  // Teredo: server, flags, port and address, the last two inverted.
  ['2001:0:4136:e378:8000:63bf:3fff:fdf8', ['192.0.2.7', '192.0.2.0/24']],
])('the client at %s counts in its networks', async (address, networks) => {
  expect(await networksAt(address)).toEqual(networks)
})
