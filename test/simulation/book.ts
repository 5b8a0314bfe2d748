import { parseOutpoint } from '../../src/domain/chain/outpoint.ts'
import { orderIdOf } from '../../src/domain/order/order-id.ts'
import type { SignatureChecker } from '../../src/ports/authorities/signature-checker.ts'
import type { WithdrawalProof, WithdrawCommand } from '../../src/schemas/log.ts'
import type { OfferClaim } from '../../src/schemas/order-record.ts'
import type { OrderId, OutpointText, TxOut } from '../../src/schemas/scalars.ts'
import {
  AT,
  askClaim,
  BUYER,
  bidClaim,
  type ClaimChanges,
  FUNDING,
  hash,
  PREVOUT,
  SELLER,
} from '../support/orders/evidence.ts'
import { sellersProof } from '../support/orders/withdrawals.ts'
import type { SimTransaction } from './transactions.ts'

/**
 * What sellers and bidders made, and the truth about it, which no other part knows. Orders are by
 * id.
 */
/** What becomes an order by its id. */
export interface Terms {
  outpoint: OutpointText
  isSigned: boolean
  /** The wrapper describes the offered output correctly. */
  isTruthful: boolean
  /** An inscription is claimed, and is there or not. */
  asset: 'none' | 'held' | 'absent'
  /** The tip at which a completion may be in the next block; null: at once. */
  lockedUntil: number | null
  payout: TxOut
  /** A bid's own transaction, and what else it spends. */
  bid: { transaction: SimTransaction; funding: OutpointText } | null
  /** Only what the node proves of it may enter the log: it comes by the public route. */
  isBrought: boolean
}

export interface Listing extends Terms {
  orderId: OrderId
}

/** The form of an offered output. */
export const OFFERED: TxOut = PREVOUT
export { FUNDING }

const LISTED = { protocolId: 'rare-sats', token: 'ITEM' }

/** The outputs of a bid's transaction. */
export const bidPayouts = (priceSats: number): TxOut[] => [
  { valueSats: PREVOUT.valueSats, scriptHex: BUYER },
  { valueSats: String(priceSats + 10_000), scriptHex: SELLER },
  { valueSats: '100000', scriptHex: BUYER },
]

export const inscriptionIn = (outpoint: string): string => `${hash(`reveal ${outpoint}`)}i0`

/** All listings of a seed, and the validity of their wrappers' signatures. */
export class Book {
  readonly listings: Listing[] = []
  readonly #byId = new Map<string, Listing>()
  readonly #signed = new Set<string>()
  readonly #withdrawals = new Set<string>()
  #wrappers = 0

  /** Not tracked: it does not count. */
  addJunk(terms: Terms): Listing {
    const listing = { ...terms, orderId: claimedId(claimOf(terms, 'first', AT)) }
    this.#byId.set(listing.orderId, listing)
    return listing
  }

  add(terms: Terms): Listing {
    const listing = this.addJunk(terms)
    this.listings.push(listing)
    return listing
  }

  of(orderId: OrderId): Listing | undefined {
    return this.#byId.get(orderId)
  }

  /** Another wrapper of it; a stranger's may have broken the signature. */
  wrap(listing: Listing, at: string, isBroken = false): OfferClaim {
    const wrapper = `${listing.orderId} ${this.#wrappers++}`
    const claim = claimOf(listing, wrapper, at)
    if (listing.isSigned && !isBroken) this.#signed.add(claim.artifact)
    return claim
  }

  isSigned({ artifact }: Pick<OfferClaim, 'artifact'>): boolean {
    return this.#signed.has(artifact)
  }

  /** The seller's own proof, for a gateway whose clock shows this. */
  withdrawal({ orderId, outpoint }: Listing, at: string): WithdrawalProof {
    const proof = sellersProof({ orderId, outpoint, at })
    this.#withdrawals.add(proofKey(orderId, proof))
    return proof
  }

  /** Sent by an operator, or by the seller of this very order. */
  isByRight(command: WithdrawCommand): boolean {
    return (
      command.by === 'operator' || this.#withdrawals.has(proofKey(command.orderId, command.proof))
    )
  }

  /** Checked once: the validity of a signature never changes. */
  readonly signatures: SignatureChecker = {
    check: async ({ psbt }) =>
      this.#signed.has(psbt)
        ? { status: 'valid' }
        : { status: 'invalid', reason: 'signature_invalid' },
    close: async () => {},
  }
}

const proofKey = (orderId: OrderId, proof: WithdrawalProof): string =>
  `${orderId} ${JSON.stringify(proof)}`

/** The id of the order that a wrapper authorises. */
export const claimedId = (claim: OfferClaim): OrderId =>
  orderIdOf('regtest', { ...claim, digest: claim.inspection.digest })

function claimOf(listing: Terms, wrapper: string, at: string): OfferClaim {
  const { outpoint, payout, bid, lockedUntil, asset, isTruthful } = listing
  const inscriptionId = inscriptionIn(outpoint)
  const told = isTruthful ? OFFERED : { ...OFFERED, valueSats: '1' }
  const changes: ClaimChanges = {
    ...LISTED,
    wrapper,
    claimedPrevout: told,
    offer: { outpoint, payouts: [payout], locktime: lockedUntil ?? 0 },
    inspection: { inputWitnessUtxos: [told] },
    source: {
      sourceId: wrapper,
      observedAt: at,
      ...(asset === 'none'
        ? {}
        : { claimedAsset: { inscriptionId, outpoint: parseOutpoint(outpoint) } }),
    },
  }
  if (!bid) return askClaim(changes)
  const { transaction, funding } = bid
  return bidClaim({
    ...changes,
    offer: {
      outpoint,
      payouts: [...transaction.outputs],
      funding: [funding],
      unsignedTxid: transaction.txid,
    },
    inspection: {
      inputOutpoints: [parseOutpoint(outpoint), parseOutpoint(funding)],
      inputWitnessUtxos: [told, FUNDING],
    },
  })
}
