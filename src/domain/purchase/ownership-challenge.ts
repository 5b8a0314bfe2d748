import type { OwnershipChallenge } from '../../schemas/api/ownership.ts'
import type { Network, OrderId, OutpointText } from '../../schemas/scalars.ts'

export interface ChallengeTerms {
  /** PUBLIC_ORIGIN: a proof made for another service is not valid here. */
  origin: string
  network: Network
  orderId: OrderId
  /** `txid:vout` of the offered output. */
  outpoint: OutpointText
  /** The address of the offered output's script on this network. */
  address: string
  /** OWNERSHIP_WINDOW_SECONDS. */
  windowSeconds: number
}

/** A challenge is accepted in its own window and in the next one. */
const WINDOWS = 2

/**
 * The challenge of the window that holds `now` (Unix milliseconds). It is stateless: the same for
 * all clients in that window (docs/design/purchases.md#ownership-and-operators).
 */
export function challengeAt(terms: ChallengeTerms, now: number): OwnershipChallenge {
  const windowMs = terms.windowSeconds * 1_000
  const start = Math.floor(now / windowMs) * windowMs
  const windowStart = new Date(start).toISOString()
  const expiresAt = new Date(start + WINDOWS * windowMs).toISOString()
  const { orderId, address } = terms
  const message = challengeText({ ...terms, windowStart, expiresAt })
  return { orderId, address, message, windowStart, expiresAt }
}

type ChallengeFacts = Omit<ChallengeTerms, 'windowSeconds'> &
  Pick<OwnershipChallenge, 'windowStart' | 'expiresAt'>

/** The text of a challenge: one fact a line. */
export const challengeText = (facts: ChallengeFacts): string =>
  [
    'service: market',
    `origin: ${facts.origin}`,
    'purpose: withdraw this order',
    `network: ${facts.network}`,
    `order: ${facts.orderId}`,
    `outpoint: ${facts.outpoint}`,
    `address: ${facts.address}`,
    `windowStart: ${facts.windowStart}`,
    `expiresAt: ${facts.expiresAt}`,
  ].join('\n')

/** The challenges accepted from a proof at `now`, newest first. */
export const acceptedChallenges = (terms: ChallengeTerms, now: number): OwnershipChallenge[] =>
  Array.from({ length: WINDOWS }, (_, back) =>
    challengeAt(terms, now - back * terms.windowSeconds * 1_000),
  )
