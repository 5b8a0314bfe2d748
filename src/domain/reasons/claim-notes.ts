/** What is noted of claims that are not what is signed: the signatures count. */
export const DIFFERENCES = {
  utxo_claim_differs: 'The claimed output is not the one that the PSBT offers.',
  side_claim_differs: 'The claimed side is not the one that the signatures make it.',
} as const

/** Notes on the tags of an event. */
export const SALE_NOTES = {
  price_claim_malformed: 'The tag s is not an amount of sats.',
  utxo_without_vout: 'The tag u names a transaction without the index of the output.',
  utxo_claim_malformed: 'The tag u is not a <txid>:<vout>.',
  inscription_claim_malformed: 'The tag i is not an inscription id.',
  expiration_malformed: 'The tag expiration is not a time in Unix seconds (NIP-40).',
  event_expires:
    'The event has a time at which it expires (NIP-40). The order does not end then: only a spend of the output ends the signature.',
  event_expired:
    'The event had expired (NIP-40) when it came: its publisher let the offer end. The signature is still usable.',
} as const
export type SaleNote = keyof typeof SALE_NOTES

/** What an order keeps of the claims of its sources, with their meaning: a closed list. */
export const CLAIM_NOTES = { ...SALE_NOTES, ...DIFFERENCES } as const
export type ClaimNote = keyof typeof CLAIM_NOTES
