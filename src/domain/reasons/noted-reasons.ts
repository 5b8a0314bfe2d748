/** By the event: reasons for changes that are neither a transition nor a verdict. A closed, documented list. */
export const NOTED_REASONS = {
  IMPORT: { reason: 'source_added', says: 'another source, or another wrapper, of the same order' },
  SPEND_SEEN: {
    reason: 'spend_seen',
    says: 'another transaction of the mempool spends the output',
  },
  SPEND_CONFIRMED: { reason: 'spend_confirmed', says: 'a spend was confirmed, in another block' },
  SPEND_UNCONFIRMED: {
    reason: 'spend_unconfirmed',
    says: 'the block of the spend left the chain, and the order is withdrawn',
  },
  OUTPUT_CONFIRMED: {
    reason: 'output_confirmed',
    says: 'the output is in a block, or in another one',
  },
  OUTPUT_UNCONFIRMED: {
    reason: 'output_unconfirmed',
    says: 'the block of the output left the chain',
  },
  EVIDENCE: {
    reason: 'authority_away',
    says: 'an authority could not answer a recheck: until it does the order grows stale',
  },
  CONTINUITY_LOST: {
    reason: 'continuity_lost',
    says: 'the order is again only as fresh as its own verification, not as its partition',
  },
  HIDE: {
    reason: 'hidden_by_operator',
    says: 'an operator took the order out of every list: it is still verified',
  },
  UNHIDE: { reason: 'shown_by_operator', says: 'an operator shows the order again' },
  CLOSE: { reason: 'closed', says: 'nothing more is expected to happen to it' },
  MAKE_ROOM: {
    reason: 'made_room',
    says: 'closed: newer orders of the same output took its place',
  },
} as const
