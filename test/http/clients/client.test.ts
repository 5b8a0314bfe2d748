import Fastify from 'fastify'
import { expect, test } from 'vitest'
import { addressOf, networksOf, widestNetworkOf } from '../../../src/http/clients/client.ts'

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
  expect(widestNetworkOf(networks[0] ?? '')).toBe(networks.at(-1))
})

test('a name that is no address is a network of its own', () => {
  expect(widestNetworkOf('devnet')).toBe('devnet')
})

/** The addresses of clients as a server with this trust reads them, request by request. */
async function addressesBehind(
  trustProxy: string | false,
  forwarded: readonly string[],
): Promise<string[]> {
  const app = Fastify({ trustProxy })
  app.get('/', (request) => ({ address: addressOf(request) }))
  const addresses: string[] = []
  for (const text of forwarded) {
    const headers = { 'x-forwarded-for': text }
    const answer = await app.inject({ url: '/', remoteAddress: '10.0.0.1', headers })
    addresses.push(answer.json<{ address: string }>().address)
  }
  await app.close()
  return addresses
}

test('a client whose addresses are remembered is the one that was read, at each server by its own trust', async () => {
  const twice = ['192.0.2.7', '192.0.2.8', '192.0.2.7', '192.0.2.8']
  expect(await addressesBehind('10.0.0.1', twice)).toEqual(twice)
  expect(await addressesBehind(false, twice)).toEqual(twice.map(() => '10.0.0.1'))
})

test('texts that are too long to be remembered are read each time', async () => {
  const long = ['192.0.2.7', '192.0.2.8'].map((own) => `${'203.0.113.9, '.repeat(20)}${own}`)
  expect(await addressesBehind('10.0.0.1', long)).toEqual(['192.0.2.7', '192.0.2.8'])
})
