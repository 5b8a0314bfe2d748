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
    inspection: {
      inputWitnessUtxos: [{ scriptHex: OWNER, valueSats: '10000' }],
      outputValuesSats: ['40000'],
      outputScriptsHex: ['00'],
    },
    validation: { checkedAt: AT, reasons: [] },
    ...changes,
  }) as unknown as OrderSummary

export const INSPECTION = {
  orderClass: 'ASK_ANYONECANPAY',
  signatureStatus: 'VALID',
  safety: 'PUBLIC_RACEABLE',
  inputCount: 1,
  outputCount: 1,
  inputOutpoints: [{ txid: 'd'.repeat(64), vout: 0 }],
  inputWitnessUtxos: [{ scriptHex: OWNER, valueSats: '10000' }],
  outputValuesSats: ['40000'],
  outputScriptsHex: ['00'],
}
/** All that the page of an order reads of it. */
export const wholeOrder = (changes: object = {}) =>
  orderOf({
    inspection: INSPECTION,
    validation: {
      checkedAt: AT,
      reasons: ['runes_not_examined'],
      nodeStatus: 'READY',
      assetStatus: 'READY',
    },
    ...changes,
  } as never)

export const sourceOf = (changes: Partial<OrderSummary['sources'][number]>) =>
  ({
    source: 'direct-import',
    sourceId: 'import',
    observedAt: AT,
    ...changes,
  }) as OrderSummary['sources'][number]

/** A bid that pays 5,000 sats for an output that holds 10,000: it has no price. */
export const BID_AT_LOSS = {
  side: 'BID',
  actionability: 'REVIEW_ONLY',
  quotedPriceSats: undefined,
  inspection: {
    ...INSPECTION,
    orderClass: 'BID',
    outputValuesSats: ['10000', '5000'],
    outputScriptsHex: ['00', OWNER],
  },
} as unknown as Partial<OrderSummary>
