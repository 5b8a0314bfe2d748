import { expect, test } from 'vitest'
import { coalesceCalls } from '../../src/authorities/coalesce-calls.ts'
import { openDevnet } from '../../src/devnet/devnet.ts'
import { watchAuthorities } from '../support/chain/watched-authorities.ts'
import { systemClock as clock } from '../support/system-clock.ts'

test('one call answers all callers before it, and none after', async () => {
  const devnet = openDevnet({ dataDir: null, clock, network: 'regtest' })
  const watched = watchAuthorities(devnet)
  const signatures = { check: () => Promise.reject(new Error('not asked')), close: async () => {} }
  const { node, index } = coalesceCalls({ ...watched, signatures, clock })
  if (!node || !index) throw new Error('both are there')

  const together = await Promise.all([node.chain(), node.chain(), index.status(), index.status()])
  expect(watched.requests()).toBe(2)
  expect(together[0]).toEqual(together[1])

  const early = node.chain()
  await Promise.resolve()
  // The call is in flight: its answer may be older than a question asked now.
  const late = node.chain()
  devnet.mine(1)
  const heights = [await early, await late].map(({ tip }) => tip.height)
  expect(heights[1]).toBe((heights[0] ?? 0) + 1)

  devnet.stopNode()
  await expect(Promise.all([node.chain(), node.chain()])).rejects.toThrow('node')
  devnet.startNode()
  expect((await node.chain()).tip.height).toBe(heights[1])
  await devnet.close()
})
