/** What one bitcoin costs, as another server says: shown as an estimate, and used for nothing. */
export interface FiatPrices {
  /** When it was so, RFC 3339. */
  at: string
  /** By ISO 4217 code: `USD`. */
  prices: Readonly<Record<string, number>>
}

export interface FiatPriceSource {
  /** Null: none are known of the last day. */
  read(): Promise<FiatPrices | null>
}
