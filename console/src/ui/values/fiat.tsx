import { currency, useBitcoinPrice, useFiatPrices } from '../../api/fiat.ts'
import { ageText } from './age.tsx'
import { groupedSats } from './amounts.ts'

const SATS_PER_BTC = 100_000_000

/** An amount in other money, to two decimals: an estimate, never what is signed. */
export function estimateOf(sats: string, price: number): string {
  const [whole = '0', cents = '00'] = ((Number(sats) / SATS_PER_BTC) * price).toFixed(2).split('.')
  return `${groupedSats(whole)}.${cents}`
}

interface FiatParts {
  sats: string
  /** What comes before it where it is shown: without it, a sentence goes on with no gap. */
  before?: string
}

/** About what an amount is in the money that was chosen; nothing where no price is known. */
export function Fiat({ sats, before = '' }: FiatParts) {
  const one = useBitcoinPrice()
  if (!one || !/^-?[0-9]+$/.test(sats)) return null
  const age = ageText((Date.now() - Date.parse(one.at)) / 1_000)
  return (
    <>
      {before}
      <span class="fiat" title={`An estimate, by a price of ${age} ago`}>
        ≈ {estimateOf(sats, one.price)} {one.code}
      </span>
    </>
  )
}

/** Which money estimates are in, where there are any. */
export function CurrencyChoice() {
  const fiat = useFiatPrices()
  const one = useBitcoinPrice()
  if (!fiat || !one) return null
  const age = ageText((Date.now() - Date.parse(one.at)) / 1_000)
  return (
    <label class="beside" title={`Estimates by a price of ${age} ago`}>
      <span class="unseen">Estimates in</span> ≈{' '}
      <select
        value={one.code}
        onChange={({ currentTarget }) => currency.write(currentTarget.value)}
      >
        {Object.keys(fiat.prices).map((code) => (
          <option key={code} value={code}>
            {code}
          </option>
        ))}
      </select>
    </label>
  )
}
