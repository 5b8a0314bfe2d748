import { useQuery } from '@tanstack/preact-query'
import { type Kept, kept, useKept } from './kept.ts'
import { useSettings } from './settings.ts'

const EVERY_MS = 300_000
const CURRENCY = /^[A-Z]{3}$/
const DEFAULT = 'USD'

export interface FiatPrices {
  /** When a bitcoin cost that. */
  at: string
  prices: Readonly<Record<string, number>>
}

/** Which money estimates are in. */
export const currency: Kept<string> = kept<string>('market.currency', {
  fromText: (text) => (text !== null && CURRENCY.test(text) ? text : DEFAULT),
  toText: (code) => code,
})

/** Null: the operator set no source, or it says nothing of the last day. */
export function useFiatPrices(): FiatPrices | null {
  const { showsFiat } = useSettings()
  const { data } = useQuery({
    queryKey: ['fiat'],
    queryFn: async ({ signal }) =>
      pricesIn(await (await fetch('/console/prices.json', { signal })).json()),
    enabled: showsFiat,
    refetchInterval: EVERY_MS,
    staleTime: EVERY_MS,
  })
  return data ?? null
}

interface OneBitcoin {
  code: string
  price: number
  at: string
}

/** What a bitcoin costs in the money that was chosen, else in the first there is. */
export function useBitcoinPrice(): OneBitcoin | null {
  const chosen = useKept(currency)
  const fiat = useFiatPrices()
  if (!fiat) return null
  const code = chosen in fiat.prices ? chosen : Object.keys(fiat.prices)[0]
  const price = code === undefined ? undefined : fiat.prices[code]
  return code === undefined || price === undefined ? null : { code, price, at: fiat.at }
}

export function pricesIn(said: unknown): FiatPrices | null {
  if (typeof said !== 'object' || said === null) return null
  const [at, prices]: unknown[] = [Reflect.get(said, 'at'), Reflect.get(said, 'prices')]
  const isTime = typeof at === 'string' && Number.isFinite(Date.parse(at))
  if (!isTime || typeof prices !== 'object' || prices === null) return null
  const sound = Object.entries(prices).filter(
    (one): one is [string, number] =>
      CURRENCY.test(one[0]) && typeof one[1] === 'number' && Number.isFinite(one[1]) && one[1] > 0,
  )
  return sound.length > 0 ? { at, prices: Object.fromEntries(sound) } : null
}
