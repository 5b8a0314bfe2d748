import type { InspectionProblem, InspectRequest } from '../../schemas/api/inspection.ts'
import type { Offer } from '../../schemas/order-record.ts'
import type { TxOut } from '../../schemas/scalars.ts'
import type { NostrEvent } from '../../schemas/wire/nostr.ts'
import { isOtherOutput, outpointText } from '../chain/outpoint.ts'
import type { SaleEvent } from '../nostr/nostr-event.ts'
import { namesSide, notesAt } from '../nostr/sale-claims.ts'
import type { SaleNote } from '../reasons/claim-notes.ts'
import { signedPrice } from '../verdict/payout.ts'
import { problemOf } from './problem.ts'

/** What is claimed beside an artifact; each claim has its place in the request. */
interface Claims {
  prices: { pointer: string; sats: string }[]
  /** `txid:vout`, or a txid alone. */
  output: { pointer: string; text: string } | null
  side: { pointer: string; text: string } | null
}

const TAG_OF_NOTE: Readonly<Record<SaleNote, string>> = {
  price_claim_malformed: 's',
  utxo_without_vout: 'u',
  utxo_claim_malformed: 'u',
  inscription_claim_malformed: 'i',
  expiration_malformed: 'expiration',
  event_expires: 'expiration',
  event_expired: 'expiration',
}

/** The pointer to the first tag of a name, which is the one that counts. */
export function tagPointer(tags: NostrEvent['tags'], name: string): string {
  const at = tags.findIndex((tag) => tag[0] === name)
  return at < 0 ? '/event/tags' : `/event/tags/${at}/1`
}

/**
 * Claims that cannot be read, are over, or differ from what is signed. None of them overrides
 * anything. `now` in Unix milliseconds.
 */
export function claimProblems(
  request: InspectRequest,
  sale: SaleEvent | null,
  signed: { offer: Offer; prevout: TxOut | null } | null,
  now: number,
): InspectionProblem[] {
  const { event } = request
  const noted = sale && event ? notedProblems(sale, event, signed?.offer ?? null, now) : []
  if (!signed) return noted
  const claims = sale && event ? claimsOfEvent(sale, event) : claimsOfRequest(request)
  return [...noted, ...differing(claims, signed)]
}

const notedProblems = (
  sale: SaleEvent,
  { tags }: NostrEvent,
  offer: Offer | null,
  now: number,
): InspectionProblem[] =>
  notesAt(sale, now).map((note) => {
    const place = { pointer: tagPointer(tags, TAG_OF_NOTE[note]) }
    const details = detailsOfNote(note, sale, offer)
    return problemOf(note, 'NOTED', place, details ? { details } : {})
  })

function detailsOfNote(note: SaleNote, { expiresAt }: SaleEvent, offer: Offer | null) {
  if (note.startsWith('utxo')) return offer && { offered: offer.outpoint }
  if (expiresAt === null) return null
  return note.startsWith('event') ? { expiresAt: new Date(expiresAt * 1_000).toISOString() } : null
}

function claimsOfEvent(sale: SaleEvent, { tags }: NostrEvent): Claims {
  const { claimedPriceSats: sats, claimedOutpoint, claimedTxid, claimedSide } = sale
  const output = claimedOutpoint ? outpointText(claimedOutpoint) : claimedTxid
  return {
    prices: sats === null ? [] : [{ pointer: tagPointer(tags, 's'), sats }],
    output: output === null ? null : { pointer: tagPointer(tags, 'u'), text: output },
    side: claimedSide && {
      pointer: `/event/tags/${tags.findIndex(namesSide)}/1`,
      text: claimedSide,
    },
  }
}

function claimsOfRequest({ asset, side, ...prices }: InspectRequest): Claims {
  return {
    prices: (['claimedPriceSats', 'quotedPriceSats'] as const).flatMap((name) => {
      const sats = prices[name]
      return sats === undefined ? [] : [{ pointer: `/${name}`, sats }]
    }),
    output: asset ? { pointer: '/asset/outpoint', text: outpointText(asset.outpoint) } : null,
    side: side === undefined ? null : { pointer: '/side', text: side },
  }
}

function differing(
  { prices, output, side }: Claims,
  { offer, prevout }: { offer: Offer; prevout: TxOut | null },
): InspectionProblem[] {
  const problems: InspectionProblem[] = []
  const price = signedPrice(offer, prevout)
  for (const { pointer, sats } of prices) {
    if (price === null || sats === price) continue
    const details = priceDetails(sats, price, prevout)
    problems.push(problemOf('price_claim_differs', 'NOTED', { pointer }, { details }))
  }
  const { outpoint, sellerIndex } = offer
  if (output && isOtherOutput(output.text, outpoint)) {
    const place = { pointer: output.pointer, input: sellerIndex }
    const details = { claimed: output.text, offered: outpoint }
    problems.push(problemOf('utxo_claim_differs', 'NOTED', place, { details }))
  }
  if (side !== null && side.text !== offer.side) {
    const details = { claimed: side.text, signed: offer.side }
    const place = { pointer: side.pointer }
    problems.push(problemOf('side_claim_differs', 'NOTED', place, { details }))
  }
  return problems
}

/** The likely cause of the difference, if the amounts show it. */
function priceDetails(claimed: string, signed: string, prevout: TxOut | null) {
  const explained = explanationOf(BigInt(claimed), BigInt(signed), prevout)
  return {
    claimedSats: claimed,
    signedSats: signed,
    factor: factorOf(BigInt(claimed), BigInt(signed)),
    ...(explained !== null && { explained }),
  }
}

const COIN = 100_000_000n

function explanationOf(claimed: bigint, signed: bigint, prevout: TxOut | null): string | null {
  if (claimed === signed * COIN) return 'an amount in sats was read as BTC'
  if (signed === claimed * COIN) return 'an amount in BTC was read as sats'
  if (prevout && claimed + BigInt(prevout.valueSats) === signed) {
    return 'the claimed price is without the postage, the signed one with it'
  }
  return null
}

const DECIMALS = 8

/** Claimed divided by signed, as a decimal cut after eight places. */
function factorOf(claimed: bigint, signed: bigint): string {
  if (signed === 0n) return 'infinite'
  const scaled = ((claimed * 10n ** BigInt(DECIMALS)) / signed)
    .toString()
    .padStart(DECIMALS + 1, '0')
  const whole = scaled.slice(0, -DECIMALS)
  const fraction = scaled.slice(-DECIMALS).replace(/0+$/, '')
  return fraction === '' ? whole : `${whole}.${fraction}`
}
