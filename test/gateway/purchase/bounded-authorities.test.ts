import { expect, test } from 'vitest'
import type { Gateway } from '../../../src/gateway/gateway.ts'
import { askAuthorities } from '../../../src/gateway/purchase/bounded-authorities.ts'
import { indexWith, nodeWith } from '../../support/chain/scripted-authorities.ts'
import { ManualClock } from '../../support/manual-clock.ts'

const never = () => new Promise<never>(() => {})
const NODE_OVER = { name: 'NodeUnavailableError', message: 'the request may ask no more' }
const INDEX_OVER = { name: 'IndexUnavailableError', message: 'the request may ask no more' }

function gatewayWith(changes: Partial<Gateway> = {}) {
  const clock = new ManualClock()
  const gateway = { node: nodeWith(), index: indexWith(), clock, settings: {}, ...changes }
  return { gateway: gateway as Gateway, clock }
}

test('a request asks the node 41 times and the index 12 times, and no more', async () => {
  const { gateway } = gatewayWith()
  const { signal } = new AbortController()
  await askAuthorities(gateway, signal, async ({ node, index }) => {
    for (let asked = 0; asked < 41; asked += 1) await node.chain()
    for (let asked = 0; asked < 12; asked += 1) await index.status()
    await expect(node.chain()).rejects.toMatchObject(NODE_OVER)
    await expect(index.status()).rejects.toMatchObject(INDEX_OVER)
  })
})

test('nothing is asked, or awaited, after ten seconds', async () => {
  const { gateway, clock } = gatewayWith({ node: nodeWith({ chain: never }) })
  const { signal } = new AbortController()
  const asked = askAuthorities(gateway, signal, async ({ node, index }) => {
    await expect(node.chain()).rejects.toMatchObject(NODE_OVER)
    await expect(index.status()).rejects.toMatchObject(INDEX_OVER)
    return 'over'
  })
  clock.advance(10_000)
  expect(await asked).toBe('over')
})

test('or for a client that has left', async () => {
  const { gateway } = gatewayWith({ index: indexWith({ status: never }) })
  const client = new AbortController()
  const asked = askAuthorities(gateway, client.signal, ({ index }) => index.status())
  client.abort()
  await expect(asked).rejects.toMatchObject(INDEX_OVER)
  await expect(
    askAuthorities(gateway, client.signal, ({ node }) => node.chain()),
  ).rejects.toMatchObject(NODE_OVER)
})
