import { expect, test, vi } from 'vitest'
import type { GatewaySettings } from '../../../src/gateway/gateway.ts'
import { feesOf } from '../../../src/gateway/purchase/read-fees.ts'
import { nodeWith } from '../../support/chain/scripted-authorities.ts'
import { ManualClock } from '../../support/manual-clock.ts'

const settings = { network: 'mainnet' } as GatewaySettings

test('what the node estimates is kept for 30 s, and what it does not is left out', async () => {
  const clock = new ManualClock()
  const feeEstimates = vi.fn(async () => ['12.5', null, '1.001'])
  const node = nodeWith({ feeEstimates, minimumFeeRate: async () => '1' })
  const read = feesOf({ node, clock, settings }, new AbortController().signal)
  const fees = await read()
  expect(fees).toMatchObject({
    network: 'mainnet',
    minimumFeeRateSatsPerVb: '1',
    estimates: [
      { blocks: 2, feeRateSatsPerVb: '12.5' },
      { blocks: 144, feeRateSatsPerVb: '1.001' },
    ],
  })
  clock.advance(29_999)
  expect(await read()).toBe(fees)
  expect(feeEstimates).toHaveBeenCalledTimes(1)
  clock.advance(1)
  expect(await read()).not.toBe(fees)
  expect(feeEstimates).toHaveBeenCalledTimes(2)
  expect(feeEstimates).toHaveBeenLastCalledWith([2, 6, 144])
})
