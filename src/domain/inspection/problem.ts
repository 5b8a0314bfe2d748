import type { InspectionProblem, ProblemPlace } from '../../schemas/api/inspection.ts'
import { EVENT_FAULTS } from '../nostr/nostr-event.ts'
import { CLAIM_NOTES, type ClaimNote } from '../reasons/claim-notes.ts'
import { INSPECTION_REASONS } from '../reasons/inspection-reasons.ts'
import { REASONS, type ReasonCode } from '../reasons/reasons.ts'

/** Problems that only an inspection reports, with their meaning. */
const OWN_PROBLEMS = {
  invalid_psbt: 'The text is not a PSBT that two parsers accept.',
  psbt_too_large: 'The PSBT has more bytes, inputs, outputs or fields than an order may have.',
  text_not_canonical: 'The text holds a PSBT, but is not its canonical base64.',
  transaction_not_psbt: 'It is a transaction; an order is imported as a PSBT.',
  invalid_transaction: 'The text is not a transaction in hex.',
  price_claim_differs: 'The claimed price is not the one that is signed.',
  order_withdrawn: 'The authorisation is that of an order that was withdrawn for good.',
  review_only: 'A buyer is handed a PSBT only of one input and one output.',
  payout_below_input: 'The payout is less than the output that is sold for it.',
  payout_to_anchor: 'The payout is to an anchor, which anyone may spend.',
  payout_unspendable:
    'The payout is lost: its taproot key is not a point of the curve, so no signature can spend it.',
} as const

/** Reasons of a verdict that speak against an artifact. */
type ReasonAgainst = Exclude<
  ReasonCode,
  | 'awaiting_verification'
  | 'verified'
  | 'made_room'
  | 'withdrawn_by_seller'
  | 'withdrawn_by_operator'
>

export type ProblemCode =
  | keyof typeof OWN_PROBLEMS
  | keyof typeof EVENT_FAULTS
  | ClaimNote
  | keyof typeof INSPECTION_REASONS
  | ReasonAgainst

const SIGN_AGAIN =
  'Build the PSBT with `POST /orders/build`, or with one input and one output, and sign it with SINGLE|ANYONECANPAY (0x83).'
const WAIT_NODE = 'Nothing: inspect it again when the node answers.'
const WAIT_INDEX = 'Nothing: inspect it again when the index answers.'
const OVER = 'Nothing: the output is gone. Offer another one.'
const BUYER_AGAIN = 'Ask the buyer for a new bid.'
const PUBLISH_AGAIN =
  'Publish the event again with the output that `details` names, or import its PSBT alone.'

/** What a seller can do about each problem: a closed list. */
export const REMEDIES: Readonly<Record<ProblemCode, string>> = {
  invalid_psbt: 'Send the PSBT as the wallet exports it: base64 or hex, and nothing around it.',
  psbt_too_large:
    'Import `repaired.psbt` if there is one; else send the offered input and its payout alone, without previous transactions.',
  text_not_canonical: 'Import `repaired.psbt`, which is the same bytes.',
  transaction_not_psbt: 'Import `repaired.psbt`, which carries the same signatures.',
  invalid_transaction: 'Send the whole transaction in hex, or the PSBT as `psbt`.',
  price_claim_differs: 'Nothing if the signed price is meant: it counts. Else sign another one.',
  utxo_claim_differs: 'Claim the output in `details`, or sign for the one that is meant.',
  side_claim_differs: 'Leave the side out, or name the signed one.',
  order_withdrawn: 'Build it again, at whatever price, and sign that.',
  review_only: 'Sign the offered input and its payout alone: then the order is ready to buy.',
  payout_below_input:
    'Sign a payout above the value of the output, unless a gift is meant; for a bid, ask for another.',
  payout_to_anchor: 'Sign a payout to a script of your own.',
  payout_unspendable: 'Sign a payout to a script of your own.',
  event_kind: 'Publish the sale as kind 802, or import its PSBT alone.',
  event_too_large: 'Publish the event with less in it, or import its PSBT alone.',
  event_ambiguous:
    'Publish the event without control characters below U+0020, or import its PSBT alone.',
  wrong_network:
    'Send it to a market of that network. If the PSBT is of this one, import it alone.',
  event_id_differs: 'Send the event as it was published, unchanged, or import its PSBT alone.',
  event_signature_invalid: 'Send the event as its key signed it, or import its PSBT alone.',
  price_claim_malformed:
    'Publish the event again with the signed price in whole sats, or import its PSBT alone.',
  utxo_without_vout: PUBLISH_AGAIN,
  utxo_claim_malformed: PUBLISH_AGAIN,
  expiration_malformed:
    'Publish the event again with a time in Unix seconds or without one, or import its PSBT alone.',
  event_expires:
    'Nothing if that is meant. To end the offer, withdraw the order and spend the output.',
  event_expired:
    'Publish the event again with a later expiration or without one, or import its PSBT alone. If the offer is over, spend the output.',
  inscription_claim_malformed: 'Publish the event again with `<txid>i<index>`, or import its PSBT.',
  unsigned: 'Sign the offered input with SINGLE|ANYONECANPAY (0x83).',
  signature_unreadable: SIGN_AGAIN,
  sighash_not_single_anyonecanpay: SIGN_AGAIN,
  sighash_default: SIGN_AGAIN,
  sighash_field_differs: 'Import `repaired.psbt` if there is one; else sign it again.',
  no_output_at_index: SIGN_AGAIN,
  legacy_input: 'Move the asset to a segwit or taproot address, and offer it from there.',
  several_offered_inputs: 'Offer each output in a PSBT of its own.',
  several_unsigned_inputs: BUYER_AGAIN,
  bid_too_many_inputs: BUYER_AGAIN,
  bid_value_unknown: 'Ask the buyer for a PSBT that states the utxo of every input.',
  bid_not_funded: BUYER_AGAIN,
  bid_pays_owner_nothing: BUYER_AGAIN,
  node_unconfigured: 'Ask the operator, or another market: this one has no node.',
  node_unavailable: WAIT_NODE,
  node_unauthorized: WAIT_NODE,
  node_warming_up: WAIT_NODE,
  node_in_ibd: WAIT_NODE,
  node_wrong_network: WAIT_NODE,
  node_mempool_loading: WAIT_NODE,
  not_final_until: 'Wait until the chain is there, or sign again without a lock.',
  output_unconfirmed: 'Wait for a block with the transaction that makes the output.',
  asset_index_unconfigured: 'Ask the operator, or another market: this one has no asset index.',
  asset_index_unreachable: WAIT_INDEX,
  asset_index_malformed: WAIT_INDEX,
  asset_index_behind: WAIT_INDEX,
  asset_index_reorged: WAIT_INDEX,
  asset_index_not_asked: WAIT_INDEX,
  output_not_indexed: WAIT_INDEX,
  mempool_conflict: 'Wait: if that transaction is replaced or dropped, the order is open again.',
  spent: OVER,
  spender_unknown: OVER,
  settled: 'Nothing: it is sold, and the payout is made.',
  unsupported: SIGN_AGAIN,
  outpoint_missing:
    'Check the network and the outpoint; if its transaction was never sent, send it.',
  witness_utxo_mismatch: 'Put the output of `details` into the PSBT as its witness utxo.',
  bid_funding_spent: BUYER_AGAIN,
  bid_funding_unsigned: BUYER_AGAIN,
  bid_funding_short: BUYER_AGAIN,
  signature_invalid: 'Sign again, with the key of the offered output, the amounts of the node.',
  signature_beyond_bound:
    'Send the PSBT finalised, with one leaf and only the signatures it needs.',
  script_sig_missing:
    'Finalise it again with the scriptSig, or send it with partial signatures. If the price is no longer meant, spend the output: anyone who has the PSBT can add it and buy.',
  witness_not_standard:
    'Sign a spend by another leaf or script, or move the asset, and offer it anew.',
  signature_unverifiable: 'Send the PSBT finalised, or with its redeem and witness scripts.',
  sighash_byte_missing_recoverable:
    'Import `repaired.psbt`: the same order with its byte. If the price is no longer meant, spend the output: anybody who has the PSBT can append the byte and buy.',
  not_relayable: 'Sign again within the policy that `details` names.',
  too_many_inscriptions: 'Move the inscription to an output of its own, and offer that.',
  asset_mismatch:
    'Claim an inscription of `details`, or offer the output that holds the claimed one.',
  asset_missing: 'Offer an output that holds an inscription, or name another market.',
  undeclared_assets: 'Move what is not for sale to another output first, then sign again.',
}

/** The meaning of every problem, from the list that defines it. */
export const PROBLEM_MEANINGS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(Object.entries(REASONS).map(([code, { says }]) => [code, sentence(says)])),
  ...INSPECTION_REASONS,
  ...CLAIM_NOTES,
  ...EVENT_FAULTS,
  ...OWN_PROBLEMS,
}

const isProblem = (code: string): code is ProblemCode => Object.hasOwn(REMEDIES, code)

/**
 * A problem with its meaning and remedy.
 *
 * @throws Error for a code of no list
 */
export function problemOf(
  code: string,
  effect: InspectionProblem['effect'],
  place: ProblemPlace,
  more: { message?: string; details?: InspectionProblem['details'] } = {},
): InspectionProblem {
  if (!isProblem(code)) throw new Error(`${code} is not a problem of an inspection`)
  return {
    code,
    effect,
    place,
    message: more.message ?? PROBLEM_MEANINGS[code] ?? code,
    remedy: REMEDIES[code],
    ...(more.details && { details: more.details }),
  }
}

function sentence(words: string): string {
  return `${words.slice(0, 1).toUpperCase()}${words.slice(1)}.`
}
