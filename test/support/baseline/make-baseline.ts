import { writeFileSync } from 'node:fs'
import { accountOf } from '../../../src/devnet/people/wallet.ts'
import { FINAL_CONFIRMATIONS } from '../../../src/domain/order/due.ts'
import { ORDERS_ONLY, openMarket } from '../market/market.ts'
import { coinOf, devnetOf, listInscription, spendAll } from '../market/trader.ts'
import { ANSWERS, answersOf, type BaselineAnswers, pack } from './baseline.ts'

// Makes the fixture of a baseline: a DATA_DIR with an order that was sold and is closed, and one that is
// LIVE. It is made once; a later build must open it. `npx tsx test/support/baseline/make-baseline.ts`

const PRICE_SATS = 50_000n
const market = await openMarket(ORDERS_ONLY)
try {
  const sold = await listInscription(market, { priceSats: PRICE_SATS })
  const live = await listInscription(market)
  const seller = accountOf('seller', 'p2tr')
  const payout = { scriptHex: seller.scriptHex, valueSats: `${PRICE_SATS}` }
  const paid = spendAll([sold.offered, coinOf(market, seller, 100_000n)], seller, [payout])
  const devnet = devnetOf(market)
  devnet.submit(paid)
  devnet.mine(1)
  await market.orderUntil(sold.order.id, ({ state }) => state === 'SETTLED')
  devnet.mine(FINAL_CONFIRMATIONS)
  await market.orderUntil(
    sold.order.id,
    ({ settlement }) => (settlement?.confirmations ?? 0) >= FINAL_CONFIRMATIONS,
  )
  const answers: BaselineAnswers = {
    closed: sold.order.id,
    live: live.order.id,
    answers: await answersOf(market, sold.order.id),
  }
  await market.stop()
  pack(market.dataDir)
  writeFileSync(ANSWERS, `${JSON.stringify(answers, null, 2)}\n`)
} finally {
  await market.end()
}
