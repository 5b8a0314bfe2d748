import { btcOf, groupedSats } from './amounts.ts'

/** Sats, and the same in BTC. */
export const Amount = ({ sats }: { sats: string }) => (
  <span class="amount">
    <span>{groupedSats(sats)} sats</span> <span class="btc">{btcOf(sats)} BTC</span>
  </span>
)
