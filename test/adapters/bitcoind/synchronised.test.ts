import { afterEach, describe, expect, test } from 'vitest'
import { GENESIS_HASH } from '../../../src/domain/chain/genesis.ts'
import type { Network } from '../../../src/schemas/scalars.ts'
import { rpcAnswers } from '../../support/chain/recorded-answers.ts'
import { toTxid } from '../../support/ids.ts'
import { systemClock } from '../../support/system-clock.ts'
import { openRecordedNode, type RecordedNode, resultOf } from './recorded-node.ts'

// Core leaves its initial block download once and for all, and after a start counts a tip of the
// last 24 hours as synchronised: what is visibly not the chain's tip counts as a download all the
// same.

const HOUR_S = 3_600
const NOW_S = 1_800_000_000

const info = (JSON.parse(rpcAnswers['chain']?.body ?? '{}') as { result: { blocks: number } })
  .result

let recorded: RecordedNode
afterEach(() => recorded.close())

/** Does a node of this network count as synchronised that says of its chain what is in `fields`? */
async function isSynchronised(network: Network, fields: object): Promise<boolean> {
  const chain = { ...info, time: NOW_S, initialblockdownload: false, ...fields }
  recorded = await openRecordedNode(
    { getblockchaininfo: resultOf(chain), getblockhash: resultOf(GENESIS_HASH[network]) },
    { network, clock: { ...systemClock, now: () => NOW_S * 1_000, sleep: async () => undefined } },
  )
  const { initialBlockDownload } = await recorded.node.chain()
  return !initialBlockDownload
}

describe('a tip of mainnet', () => {
  test.each([
    ['of now', 0, true],
    ['of two hours in the future', -2 * HOUR_S, true],
    ['two hours old, as by chance now and then', 2 * HOUR_S, true],
    ['three hours old', 3 * HOUR_S, true],
    ['a second older than that', 3 * HOUR_S + 1, false],
    ['of yesterday', 23 * HOUR_S, false],
  ])('%s', async (_, age, expected) => {
    expect(await isSynchronised('mainnet', { time: NOW_S - age })).toBe(expected)
  })
})

test.each(['regtest', 'signet'] as const)('on %s no block may come for years', async (network) => {
  expect(await isSynchronised(network, { time: NOW_S - 10_000 * HOUR_S })).toBe(true)
})

describe.each(['mainnet', 'regtest'] as const)('headers of %s ahead of the blocks', (network) => {
  test.each([
    [0, true],
    [2, true],
    [3, false],
    [100_000, false],
  ])('%i', async (ahead, expected) => {
    expect(await isSynchronised(network, { headers: info.blocks + ahead })).toBe(expected)
  })
})

test('the answer about an output says so too', async () => {
  recorded = await openRecordedNode({
    getblockchaininfo: resultOf({ ...info, headers: info.blocks + 3 }),
    gettxout: resultOf(null),
  })
  const { chain } = await recorded.node.outputAtTip({ txid: toTxid('f'.repeat(64)), vout: 0 })
  expect(chain.initialBlockDownload).toBe(true)
})
