import { getEventHash } from 'nostr-tools/pure'
import { AtomicSats, Hash, InscriptionId, type Network, Outpoint } from '../../schemas/scalars.ts'
import { NostrEvent, SALE_EVENT_KIND } from '../../schemas/wire/nostr.ts'
import { isSignedEvent } from './event-signature.ts'

/** A sale event with a valid id and signature; what it says of the order is still only a claim. */
export interface SaleEvent {
  eventId: string
  /** The publisher: publishers use throw-away keys, so it authorises nothing. */
  eventPubkey: string
  /** The content as received: base64 of a PSBT, if the sender follows the format. */
  psbt: string
  claimedPriceSats: string | null
  claimedInscriptionId: string | null
  claimedOutpoint: Outpoint | null
  /** The transaction named if no output of it is. */
  claimedTxid: string | null
  notes: SaleNote[]
}

/** Notes on the tags of an event, with their meaning: a closed list. */
export const SALE_NOTES = {
  price_claim_malformed: 'The tag s is no amount of sats.',
  utxo_without_vout: 'The tag u names a transaction without the index of the output.',
  utxo_claim_malformed: 'The tag u is no <txid>:<vout>.',
  inscription_claim_malformed: 'The tag i is no inscription id.',
} as const
export type SaleNote = keyof typeof SALE_NOTES

/** The event is refused; the message is the exact reason. */
export class EventRefusedError extends Error {
  override name = 'EventRefusedError'
  readonly code: 'INVALID_EVENT' | 'WRONG_NETWORK'
  /** Its id or its signature is false: whoever forwarded the event did not check it. */
  readonly isForged: boolean

  constructor(code: EventRefusedError['code'], message: string, isForged = false) {
    super(message)
    this.code = code
    this.isForged = isForged
  }
}

/** Larger events are refused before anything is hashed. The content fits an order in hex. */
const LIMITS = { content: 140_000, tags: 100, tagItems: 16, tagItem: 1_024 } as const
/** Seconds: the largest 32-bit time. NIP-01 sets no bound, and the clock is not consulted. */
const LAST_CREATED_AT = 0xffffffff

/** NIP-01 escapes only these control characters, JSON all; a lone surrogate has no UTF-8 form. */
const AMBIGUOUS = /(?![\b\t\n\f\r])\p{Cc}|\p{Surrogate}/u

/**
 * Reads a kind 802 event as parsed from JSON (openordex NIP): verifies that its id is the hash of
 * what it says (NIP-01) and that its key signed the id (BIP340), and takes its tags as claims. The
 * PSBT in it is not read.
 *
 * @throws EventRefusedError and nothing else, whatever the event
 */
export function readSaleEvent(event: unknown, network: Network): SaleEvent {
  const read = NostrEvent.safeParse(event)
  if (!read.success) throw refuse(`the event is malformed: ${firstIssue(read.error.issues)}`)
  const sale = read.data
  if (sale.kind !== SALE_EVENT_KIND) throw refuse(`kind ${sale.kind} is no sale: only 802 is taken`)
  checkLimits(sale)
  checkNetwork(sale, network)
  if (getEventHash(sale) !== sale.id)
    throw forged('the id of the event is not the hash of what it says')
  if (!isSignedEvent(sale)) throw forged('the signature of the event is not valid for its key')
  return { eventId: sale.id, eventPubkey: sale.pubkey, psbt: sale.content, ...claimsOf(sale.tags) }
}

const refuse = (message: string) => new EventRefusedError('INVALID_EVENT', message)
const forged = (message: string) => new EventRefusedError('INVALID_EVENT', message, true)

const firstIssue = ([issue]: readonly { path: PropertyKey[]; message: string }[]): string =>
  issue ? `${issue.path.map(String).join('.') || 'the event'}: ${issue.message}` : 'no reason'

function checkLimits({ content, tags, created_at }: NostrEvent): void {
  if (content.length > LIMITS.content) {
    throw refuse(`the content is longer than ${LIMITS.content} characters`)
  }
  if (tags.length > LIMITS.tags) throw refuse(`the event has more than ${LIMITS.tags} tags`)
  if (tags.some((tag) => tag.length > LIMITS.tagItems)) {
    throw refuse(`a tag has more than ${LIMITS.tagItems} items`)
  }
  if (tags.flat().some((item) => item.length > LIMITS.tagItem)) {
    throw refuse(`an item of a tag is longer than ${LIMITS.tagItem} characters`)
  }
  if (created_at > LAST_CREATED_AT) throw refuse('created_at is no time in Unix seconds')
  if ([content, ...tags.flat()].some((text) => AMBIGUOUS.test(text))) {
    throw refuse('the event holds characters whose hash is not defined the same way everywhere')
  }
}

/** Every tag `n` must name this network; an event without one is assumed to be for it. */
function checkNetwork({ tags }: NostrEvent, network: Network): void {
  const other = tags.find(([name, value]) => name === 'n' && value !== network)
  if (!other) return
  const named = JSON.stringify(other[1] ?? '').slice(0, 64)
  throw new EventRefusedError(
    'WRONG_NETWORK',
    `the event is of network ${named}, this is ${network}`,
  )
}

type Claims = Pick<
  SaleEvent,
  'claimedPriceSats' | 'claimedInscriptionId' | 'claimedOutpoint' | 'claimedTxid' | 'notes'
>

/** The first tag of a name counts. Unreadable tags are noted; nothing is guessed. */
function claimsOf(tags: NostrEvent['tags']): Claims {
  const firstOf = (name: string): string | undefined => tags.find((tag) => tag[0] === name)?.[1]
  const notes: SaleNote[] = []
  const price = claimed(AtomicSats, firstOf('s'), () => notes.push('price_claim_malformed'))
  const inscriptionId = claimed(InscriptionId, firstOf('i'), () =>
    notes.push('inscription_claim_malformed'),
  )
  const utxo = firstOf('u')
  const txid = Hash.safeParse(utxo).data ?? null
  const outpoint = claimed(Outpoint, utxo === undefined ? undefined : splitOutpoint(utxo), () =>
    notes.push(txid === null ? 'utxo_claim_malformed' : 'utxo_without_vout'),
  )
  return {
    claimedPriceSats: price,
    claimedInscriptionId: inscriptionId,
    claimedOutpoint: outpoint,
    claimedTxid: txid,
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
