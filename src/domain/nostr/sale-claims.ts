import { AtomicSats, InscriptionId, type OrderSide, Outpoint, Txid } from '../../schemas/scalars.ts'
import type { NostrEvent } from '../../schemas/wire/nostr.ts'
import type { SaleNote } from '../reasons/claim-notes.ts'

/** What the tags of a sale event claim; none of it is proved. */
export interface SaleClaims {
  claimedPriceSats: string | null
  claimedInscriptionId: string | null
  claimedOutpoint: Outpoint | null
  /** The txid, if the event names a transaction but none of its outputs. */
  claimedTxid: Txid | null
  claimedSide: OrderSide | null
  /** When the publisher lets the offer end (NIP-40), Unix seconds; null: it does not say. */
  expiresAt: number | null
  /** Notes about tags that cannot be read. */
  notes: SaleNote[]
}

/**
 * The notes on a sale at a time, Unix milliseconds: an order keeps the notes of the time when it
 * came.
 */
export function notesAt({ notes, expiresAt }: SaleClaims, now: number): SaleNote[] {
  if (expiresAt === null) return notes
  return [...notes, expiresAt * 1_000 <= now ? 'event_expired' : 'event_expires']
}

/** The words of the tag `t` (openordex NIP) that name a side; others are hashtags. */
const SIDES: ReadonlyMap<string | undefined, OrderSide> = new Map([
  ['sell', 'ASK'],
  ['buy', 'BID'],
])

export const namesSide = ([name, value]: readonly string[]): boolean =>
  name === 't' && SIDES.has(value)

/** The first tag of a name counts. Unreadable tags are noted; nothing is guessed. */
export function claimsOf(tags: NostrEvent['tags']): SaleClaims {
  const firstOf = (name: string): string | undefined => tags.find((tag) => tag[0] === name)?.[1]
  const notes: SaleNote[] = []
  const price = claimed(AtomicSats, firstOf('s'), () => notes.push('price_claim_malformed'))
  const inscriptionId = claimed(InscriptionId, firstOf('i'), () =>
    notes.push('inscription_claim_malformed'),
  )
  const utxo = firstOf('u')
  const txid = Txid.safeParse(utxo).data ?? null
  const outpoint = claimed(Outpoint, utxo === undefined ? undefined : splitOutpoint(utxo), () =>
    notes.push(txid === null ? 'utxo_claim_malformed' : 'utxo_without_vout'),
  )
  const expiration = firstOf('expiration')
  const expiresAt = secondsOf(expiration)
  if (expiration !== undefined && expiresAt === null) notes.push('expiration_malformed')
  return {
    claimedPriceSats: price,
    claimedInscriptionId: inscriptionId,
    claimedOutpoint: outpoint,
    claimedTxid: txid,
    claimedSide: SIDES.get(tags.find(namesSide)?.[1]) ?? null,
    expiresAt,
    notes,
  }
}

function claimed<T>(
  schema: { safeParse(value: unknown): { success: true; data: T } | { success: false } },
  value: unknown,
  note: () => void,
): T | null {
  if (value === undefined) return null
  const read = schema.safeParse(value)
  if (read.success) return read.data
  note()
  return null
}

const OUTPOINT_TEXT = /^([0-9a-f]{64}):(0|[1-9][0-9]{0,9})$/

function splitOutpoint(text: string): unknown {
  const [, txid, vout] = OUTPOINT_TEXT.exec(text) ?? []
  return { txid, vout: Number(vout) }
}

/** Up to the last second that a date can hold. */
const SECONDS = /^(?:0|[1-9][0-9]{0,11})$/

const secondsOf = (text: string | undefined): number | null =>
  text !== undefined && SECONDS.test(text) ? Number(text) : null
