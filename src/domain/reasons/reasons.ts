import type { OrderState } from '../../schemas/scalars.ts'

interface Meaning {
  /** The states that this reason may be given with. */
  states: readonly OrderState[]
  /** The events of the order's statechart that produce it. */
  events: readonly string[]
  /** What follows the code, if anything. */
  detail?: string
  says: string
}

const NEWS_OF_OUTPUT = ['EVIDENCE', 'OUTPUT_UNCONFIRMED']

/**
 * Why an order is in its state: closed, and documented in `docs/order-states.md`. No other reason
 * can be given, except the reasons of the inspection that refused a wrapper.
 */
export const REASONS = {
  awaiting_verification: {
    states: ['PENDING_NODE'],
    events: ['CREATE'],
    says: 'the order is new and the authorities have been asked',
  },
  node_unconfigured: node('no full node is configured'),
  node_unavailable: node('the full node gives no usable answer'),
  node_unauthorized: node('the full node refuses the credentials'),
  node_warming_up: node('the full node is starting'),
  node_in_ibd: node('the full node is in initial block download, or behind the chain'),
  node_wrong_network: node('the full node follows another network'),
  node_mempool_loading: node('the full node is still reading its mempool from disk'),
  not_final_until: {
    ...node(
      'a lock time, a relative lock (BIP68) or the maturity of a coinbase output has not passed',
    ),
    detail: 'the height that the next block must have, or the median time past in Unix seconds',
  },
  output_unconfirmed: {
    states: ['PENDING_ASSET'],
    events: NEWS_OF_OUTPUT,
    says: 'the offered output has no confirmation: no index can have examined it',
  },
  asset_index_unconfigured: index('no asset index is configured, and the order needs one'),
  asset_index_unreachable: index('the asset index gives no answer'),
  asset_index_malformed: index('the asset index gives a malformed answer'),
  asset_index_behind: index('the asset index has not reached the block of the offered output'),
  asset_index_reorged: index('the asset index says that it cannot recover from a reorg'),
  asset_index_not_asked: index('the asset index could not be asked'),
  output_not_indexed: index('the asset index has not examined the offered output'),
  verified: {
    states: ['LIVE'],
    events: ['EVIDENCE'],
    says: 'it is proved: unspent, signed, relayable, final, and what is claimed of its assets',
  },
  mempool_conflict: {
    states: ['MEMPOOL_CONFLICTED'],
    events: ['EVIDENCE', 'SPEND_SEEN', 'SPEND_UNCONFIRMED'],
    detail: 'the transaction that spends the offered output',
    says: 'a transaction of the mempool spends the offered output',
  },
  spent: {
    states: ['SPENT'],
    events: ['EVIDENCE', 'SPEND_CONFIRMED'],
    says: 'a confirmed transaction spends the offered output, without the exact payout',
  },
  spender_unknown: {
    states: ['SPENT'],
    events: ['EVIDENCE'],
    says: 'the offered output is spent in a block, by a transaction that no source can name',
  },
  settled: {
    states: ['SETTLED'],
    events: ['EVIDENCE', 'SPEND_CONFIRMED'],
    says: 'a confirmed transaction spends the offered output and carries the exact payout',
  },
  unsupported: {
    states: ['REJECTED'],
    events: ['CREATE', 'EVIDENCE'],
    says: 'the inspection refused the wrapper and names no reason',
  },
  outpoint_missing: {
    states: ['REJECTED'],
    events: ['EVIDENCE', 'OUTPUT_GONE'],
    says: 'no source knows the offered output',
  },
  witness_utxo_mismatch: refused("an output that the PSBT describes is not as the node's"),
  bid_funding_spent: refused("one of a bid's own outputs is spent or missing"),
  bid_funding_unsigned: refused(
    "one of a bid's own inputs is not signed against the node's output",
  ),
  bid_funding_short: refused('the outputs of a bid take all that its inputs bring, or more'),
  signature_invalid: refused("the signature is not valid for the node's output"),
  signature_unverifiable: refused('no authority can judge the signature'),
  signature_beyond_bound: refused(
    'the PSBT can be completed in more ways than are tried, or its script is longer than is run: whether it is valid is unknown',
  ),
  script_sig_missing: refused(
    "the node's output is nested segwit, and the final scriptSig that pushes its program is missing: " +
      'anyone can add it, so the authorisation is public',
  ),
  witness_not_standard: refused(
    'no node relays the witness: an annex, an item of more than 80 bytes, a script of more than 3,600, ' +
      'a high S, or a key that is not compressed; an ask is signed all the same, and a miner may take it',
  ),
  sighash_byte_missing_recoverable: refused(
    'a taproot signature that is valid only with the byte 83 appended: anyone can append it, so ' +
      'the authorisation is public',
  ),
  sighash_not_single_anyonecanpay: refused(
    'the signature is valid, but commits to more than its own input and the output beside it',
  ),
  legacy_input: refused(
    "by the node's output the seller's input is not segwit: its signature binds its index",
  ),
  not_relayable: refused(
    'no node relays a completion: the transaction version, more than 10,000 vB in version 3, a fee ' +
      'of a bid below 0.1 sat/vB in another version, a payout of dust, or one to a script that is ' +
      'not standard',
  ),
  too_many_inscriptions: refused(
    'the offered output holds more than 25 inscriptions: what is offered is not looked up',
  ),
  asset_mismatch: refused('the claimed inscription is not in the offered output'),
  asset_missing: refused('the market is of inscriptions, and there is none in the offered output'),
  undeclared_assets: refused('the offered output holds more than is offered'),
  withdrawn_by_seller: withdrawn('the seller withdrew it, with a proof of ownership'),
  withdrawn_by_operator: withdrawn('an operator withdrew it'),
  made_room: {
    states: ['REJECTED', 'WITHDRAWN'],
    events: ['MAKE_ROOM'],
    says: 'newer orders of the same output took its place: a limited number is kept for one output',
  },
} as const satisfies Record<string, Meaning>

export type ReasonCode = keyof typeof REASONS

type Detailed = {
  [Code in ReasonCode]: (typeof REASONS)[Code] extends { detail: string } ? Code : never
}[ReasonCode]
type ReasonText<Code extends ReasonCode> = Code extends Detailed ? `${Code} ${string}` : Code

/** The reasons possible in this state. */
export type ReasonOf<State extends OrderState> = {
  [Code in ReasonCode]: State extends (typeof REASONS)[Code]['states'][number]
    ? ReasonText<Code>
    : never
}[ReasonCode]

/** What the owner or a buyer of a LIVE order should know: none of it refuses the order. */
export const REMARKS = {
  payout_below_input:
    'the owner of the offered output gets less than the output holds: it is given away at a loss',
  assets_not_examined: 'no asset index is configured: what else the output holds is unknown',
  runes_not_examined:
    'the asset index does not follow runes: whether the output holds any is unknown',
  holds_no_runes: 'the market is of runes, and the offered output holds none',
} as const
export type Remark = keyof typeof REMARKS

/** Reasons added to an order's own when it is shown. */
export const SHOWN_REASONS = {
  still_spendable:
    'withdrawn only here: anyone who kept the signed PSBT can still complete it, until its seller ' +
    'spends the offered output, for instance to an address of their own',
  holds_rune: 'the offered output of a LIVE order holds this amount of this rune',
  price_claim_differs: 'a source claims another price than the signatures say',
  hidden_by_operator: 'an operator of this service hides the order: its text is withheld',
} as const
export type ShownReason = keyof typeof SHOWN_REASONS

function node<const Says extends string>(says: Says) {
  return { states: ['PENDING_NODE'], events: ['EVIDENCE'], says } as const
}

function index<const Says extends string>(says: Says) {
  return { states: ['PENDING_ASSET'], events: ['EVIDENCE'], says } as const
}

function refused<const Says extends string>(says: Says) {
  return { states: ['REJECTED'], events: ['EVIDENCE'], says } as const
}

function withdrawn<const Says extends string>(says: Says) {
  return { states: ['WITHDRAWN'], events: ['WITHDRAW'], says } as const
}
