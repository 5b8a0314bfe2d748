import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import {
  UNREADABLE_ADDRESS_METRIC,
  UNTRUSTED_PROXY_METRIC,
} from '../../src/http/plugins/proxies.ts'
import { proxyChecks } from '../../src/operator/doctor/proxy.ts'
import { Config } from '../../src/schemas/config/config.ts'

async function lookAt(metrics: RequestListener) {
  const server = createServer(metrics)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  try {
    const found = proxyChecks(Config.parse({ METRICS_PORT: String(port) })).map(({ look }) =>
      look(),
    )
    return (await Promise.all(found)).flat()
  } finally {
    server.closeAllConnections()
    server.close()
  }
}

test('forwarded addresses from an untrusted proxy are a warning', async () => {
  const found = await lookAt((_request, response) => {
    response.end(`# HELP ${UNTRUSTED_PROXY_METRIC} x\n${UNTRUSTED_PROXY_METRIC} 12\nother 1\n`)
  })
  expect(found).toMatchObject([{ status: 'warn', cure: expect.stringContaining('TRUST_PROXY') }])
  expect(found[0]?.what).toMatch(/^12 requests/)
})

test('what is no address, from a trusted proxy, is another', async () => {
  const found = await lookAt((_request, response) => {
    response.end(`${UNTRUSTED_PROXY_METRIC} 0\n${UNREADABLE_ADDRESS_METRIC} 7\n`)
  })
  expect(found).toMatchObject([{ status: 'warn', cure: expect.stringContaining('IP address') }])
  expect(found[0]?.what).toMatch(/^7 requests/)
})

test('a service without them is well, and another listener is ignored', async () => {
  const none = await lookAt((_request, response) => {
    response.end(`${UNTRUSTED_PROXY_METRIC} 0\n`)
  })
  expect(none).toMatchObject([{ status: 'ok' }])
  expect(await lookAt((_request, response) => response.end('hello'))).toEqual([])
  const elsewhere = await lookAt((_request, response) => {
    response.writeHead(302, { location: 'http://127.0.0.1:9/' }).end()
  })
  expect(elsewhere).toEqual([])
})
