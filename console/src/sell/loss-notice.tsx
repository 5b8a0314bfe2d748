import type { Outpoint } from 'psbt-market-client'
import { Link } from 'wouter-preact'
import { market } from '../api/market.ts'
import { outpointText } from '../ui/forms/outpoints.ts'
import { groupedSats, satsIn } from '../ui/values/amounts.ts'
import { NetNotice } from '../ui/values/net-notice.tsx'

/** A loss is asked about before anything is signed. */
export const GiftCheck = ({
  isGift,
  change,
}: {
  isGift: boolean
  change(isGift: boolean): void
}) => (
  <label class="check">
    <input
      type="checkbox"
      checked={isGift}
      onChange={({ currentTarget }) => change(currentTarget.checked)}
    />{' '}
    It is a gift: I sell it at a loss
  </label>
)

/** The lowest price, sats, that an output was signed for before; null: for none that is known here. */
export async function signedPriceOf(outpoint: Outpoint): Promise<string | null> {
  const { lowest } = await market.get('/api/market/outpoints/{outpoint}', {
    path: { outpoint: outpointText(outpoint) },
  })
  return lowest.ever?.signedPriceSats ?? null
}

interface Earlier {
  outpoint: Outpoint
  paid: string
  /** As `signedPriceOf` says. */
  signed: string | null
}

/** A dearer signature ends no cheaper one. */
export function EarlierNotice({ outpoint, paid, signed }: Earlier) {
  if (signed === null || BigInt(signed) >= BigInt(paid)) return null
  return (
    <p class="stale" role="alert">
      An earlier signature sells this output for {groupedSats(signed)} sats, also beside a dearer
      one: <Link href={`/console/sell/outputs?of=${outpointText(outpoint)}`}>end it first</Link>.
    </p>
  )
}

/** The same before anything is built, for a price as it was typed; nothing while a part is unknown. */
export function NetOf({ price, held }: { price: string; held: string | undefined }) {
  const paid = satsIn(price)
  if (held === undefined || !/^[0-9]+$/.test(paid)) return null
  return <NetNotice paid={paid} held={held} />
}
