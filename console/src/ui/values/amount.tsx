import { btcOf, groupedSats } from './amounts.ts'
import { Fiat } from './fiat.tsx'

/** Sats, and the same in BTC; about the same in other money, where its price is known. */
export const Amount = ({ sats }: { sats: string }) => (
  <span class="amount">
    <span>{groupedSats(sats)} sats</span> <span class="btc">{btcOf(sats)} BTC</span>
    <Fiat sats={sats} before=" " />
  </span>
)
