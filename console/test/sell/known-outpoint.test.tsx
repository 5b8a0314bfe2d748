import { afterEach, expect, test, vi } from 'vitest'
import { market } from '../../src/api/market.ts'
import { knownOutpointOf } from '../../src/sell/known-outpoint.ts'

afterEach(() => void vi.restoreAllMocks())

const ID = `${'a'.repeat(64)}i0`
const naming = (txid: string) => ({ assets: [{ inscriptionId: ID, outpoint: { txid, vout: 0 } }] })
/** An order that claims the inscription, of an output that lacks it. */
const claiming = { assets: [] }

const answering = (live: object[], all: object[]) =>
  vi.spyOn(market, 'get').mockImplementation((async (_: string, { query }: { query: object }) => ({
    orders: 'state' in query ? live : all,
  })) as never)

test('the output of a live order is found behind later claims of others', async () => {
  answering([naming('live')], [claiming, naming('old'), naming('live')])
  expect(await knownOutpointOf(ID)).toBe('live:0')
})

test('without a live one it is that of the newest order that holds it, and of none without', async () => {
  answering([], [claiming, naming('newer'), naming('older')])
  expect(await knownOutpointOf(ID)).toBe('newer:0')
  answering([], [claiming])
  expect(await knownOutpointOf(ID)).toBeNull()
})

test('orders are asked for by the inscription alone, not by whatever begins so', async () => {
  const asked = answering([], [])
  await knownOutpointOf(ID)
  for (const [, question] of asked.mock.calls)
    expect(question).toMatchObject({ query: { assetInscriptionId: ID } })
})
