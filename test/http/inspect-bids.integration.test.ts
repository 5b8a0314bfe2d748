import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeBid } from '../../src/devnet/people/trade.ts'
import { accountOf } from '../../src/devnet/people/wallet.ts'
import { type InspectionProblem, InspectResult } from '../../src/schemas/api/inspection.ts'
import { type Market, ORDERS_ONLY, openMarket } from '../support/market/market.ts'
import { coinOf } from '../support/market/trader.ts'
import { changePsbt } from '../support/orders/psbt-changes.ts'
import { outpointOf } from '../support/orders/psbt-orders.ts'

// Nothing is said of an authority's answer that was not asked for, and what is wrong is said of the
// input that it is about.

const WITNESS_UTXO = 0x01
const [OFFERED, OWN] = [0, 1]
const owner = accountOf('inspected owner', 'p2tr')
const bidder = accountOf('inspected bidder of bids', 'p2wpkh')

let market: Market
beforeAll(async () => {
  market = await openMarket(ORDERS_ONLY)
})
afterAll(() => market.end())

async function inspect(psbt: string): Promise<InspectResult> {
  const answer = await market.post('orders/inspect', { psbt })
  expect(answer.status, JSON.stringify(answer.body)).toBe(200)
  return InspectResult.parse(answer.body)
}
const codes = ({ problems }: InspectResult) => problems.map(({ code }) => code)

function bid(change: Partial<Parameters<typeof makeBid>[0]> = {}) {
  const wanted = coinOf(market, owner, 10_000n)
  const funding = coinOf(market, bidder, 100_000n)
  const parts = { wanted, seller: owner, buyer: bidder, funding, priceSats: 20_000n, ...change }
  return { ...parts, psbt: makeBid(parts) }
}

/** The PSBT with another amount in what it says of the output that an input spends. */
const claiming = (psbt: string, sats: bigint, ...inputs: readonly number[]): string =>
  changePsbt(psbt, (open) => {
    for (const at of inputs) {
      const utxo = open.inputs[at]?.find(({ type }) => type === WITNESS_UTXO)
      if (utxo) Buffer.from(utxo.value.buffer, utxo.value.byteOffset).writeBigUInt64LE(sats)
    }
  })

describe('of a bid that is not read as one, no output was asked about', () => {
  test('it does not state the value of every input', async () => {
    const psbt = changePsbt(bid().psbt, ({ inputs }) => {
      inputs[OFFERED] = (inputs[OFFERED] ?? []).filter(({ type }) => type !== WITNESS_UTXO)
    })
    expect(codes(await inspect(psbt))).toEqual(['bid_value_unknown'])
  })

  test('it pays the owner nothing', async () => {
    const { psbt } = bid({ seller: { ...owner, scriptHex: bidder.scriptHex } })
    expect(codes(await inspect(psbt))).toEqual(['bid_pays_owner_nothing'])
  })

  test('its inputs do not cover its outputs', async () => {
    expect(codes(await inspect(claiming(bid().psbt, 20_000n, OWN)))).toEqual(['bid_not_funded'])
  })
})

test('of a bid for an output that is not there, its own outputs were not asked about', async () => {
  const { psbt } = bid({
    wanted: { ...coinOf(market, owner, 10_000n), outpoint: outpointOf('nowhere') },
  })
  expect(codes(await inspect(psbt))).toEqual(['outpoint_missing'])
})

test('a bid whose own output is gone names it, and no index that was not asked', async () => {
  const outpoint = outpointOf('spent long ago')
  const funding = { ...coinOf(market, bidder, 100_000n), outpoint }
  const found = await inspect(bid({ funding }).psbt)
  expect(found.problems).toMatchObject([
    { code: 'bid_funding_spent', details: { outpoints: [`${outpoint.txid}:${outpoint.vout}`] } },
  ])
})

/** The coin with another amount, which a PSBT made of it then states and signs. */
const misstated = (coin: ReturnType<typeof coinOf>) => ({ ...coin, valueSats: '99999' })

test('a wrong utxo: the problem names its input, with the true output', async () => {
  const mismatch = (
    input: number,
    { outpoint, valueSats }: ReturnType<typeof coinOf>,
    { scriptHex }: { scriptHex: string },
  ): Partial<InspectionProblem> => ({
    code: 'witness_utxo_mismatch',
    place: { pointer: '/psbt', input },
    details: {
      outpoint: `${outpoint.txid}:${outpoint.vout}`,
      valueSats,
      scriptHex,
      claimedValueSats: '99999',
    },
  })
  const wanted = coinOf(market, owner, 10_000n)
  const funding = coinOf(market, bidder, 100_000n)
  const ofOffered = mismatch(OFFERED, wanted, owner)
  const ofOwn = mismatch(OWN, funding, bidder)
  const unsigned = { code: 'bid_funding_unsigned', place: { pointer: '/psbt' } }

  const one = claiming(bid({ wanted, funding }).psbt, 99_999n, OFFERED)
  expect((await inspect(one)).problems).toMatchObject([ofOffered])
  const other = bid({ wanted, funding: misstated(funding) }).psbt
  expect((await inspect(other)).problems).toMatchObject([ofOwn, unsigned])
  const both = claiming(other, 99_999n, OFFERED)
  expect((await inspect(both)).problems).toMatchObject([ofOffered, ofOwn, unsigned])
  expect((await inspect(both)).problems.at(-1)?.place).toEqual(unsigned.place)
})

test('a signed bid that is refused before its signatures are judged is not unsigned', async () => {
  const outpoint = outpointOf('spent before that')
  const funding = { ...coinOf(market, bidder, 100_000n), outpoint }
  for (const psbt of [bid({ funding }).psbt, claiming(bid().psbt, 20_000n, OWN)]) {
    expect((await inspect(psbt)).inspection?.signatureStatus).toBe('UNAVAILABLE')
  }
})
