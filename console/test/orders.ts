import type { OrderSummary } from 'psbt-market-client'

const AT = '2026-01-20T00:00:00.000Z'
const OWNER = `0014${'11'.repeat(20)}`

/** What the components read of an order: a LIVE ask of 40,000 sats. */
export const orderOf = (changes: Partial<OrderSummary> = {}): OrderSummary =>
  ({
    id: 'a'.repeat(64),
    state: 'LIVE',
    side: 'ASK',
    actionability: 'HANDOFF_READY',
    quotedPriceSats: '40000',
    assets: [],
    sources: [],
    sellerScriptHex: OWNER,
    inspection: { inputWitnessUtxos: [{ scriptHex: OWNER, valueSats: '10000' }] },
    validation: { checkedAt: AT, reasons: [] },
    ...changes,
  }) as unknown as OrderSummary

export const sourceOf = (changes: Partial<OrderSummary['sources'][number]>) =>
  ({
    source: 'direct-import',
    sourceId: 'import',
    observedAt: AT,
    ...changes,
  }) as OrderSummary['sources'][number]
