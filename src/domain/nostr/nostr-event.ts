import { getEventHash } from 'nostr-tools/pure'
import type { Network } from '../../schemas/scalars.ts'
import { NostrEvent, SALE_EVENT_KIND } from '../../schemas/wire/nostr.ts'
import { isSignedEvent } from './event-signature.ts'
import { claimsOf, type SaleClaims } from './sale-claims.ts'

/**
 * A sale event with a valid id and signature; what it says about the order is still only a claim.
 */
export interface SaleEvent extends SaleClaims {
  eventId: string
  /** The publisher: publishers use throw-away keys, so it authorises nothing. */
  eventPubkey: string
  /** The content as received: base64 of a PSBT, if the sender follows the format. */
  psbt: string
}

/** The event is refused; the message is the exact reason. */
export class EventRefusedError extends Error {
  override name = 'EventRefusedError'
  readonly code: 'INVALID_EVENT' | 'WRONG_NETWORK'
  /** Its id or its signature is false: the sender that forwarded the event did not check it. */
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

/**
 * NIP-01 escapes only these five of the control characters below U+0020, JSON all; above U+0020
 * both write all but two characters as they are. A lone surrogate has no UTF-8 form.
 */
const AMBIGUOUS = /(?![\b\t\n\f\r\x7f-\x9f])\p{Cc}|\p{Surrogate}/u

/**
 * Reads a kind 802 event as parsed from JSON (openordex NIP): verifies that its id is the hash of
 * what it says (NIP-01) and that its key signed the id (BIP340), and takes its tags as claims. The
 * PSBT in it is not read.
 *
 * @throws EventRefusedError and nothing else, whatever the event
 */
export function readSaleEvent(event: unknown, network: Network): SaleEvent {
  const read = NostrEvent.safeParse(event)
  if (!read.success) {
    const issue = firstIssue(read.error.issues)
    throw new EventRefusedError('INVALID_EVENT', `the event is malformed: ${issue}`)
  }
  // Stops at the first fault: the later checks cost a hash and a signature check.
  for (const fault of faultsOfEvent(read.data, network)) {
    const code = fault.code === 'wrong_network' ? 'WRONG_NETWORK' : 'INVALID_EVENT'
    throw new EventRefusedError(code, fault.message, FORGED.has(fault.code))
  }
  return saleOf(read.data)
}

/** What an event says about its sale, before any fault is looked for. */
export const saleOf = ({ id, pubkey, content, tags }: NostrEvent): SaleEvent => ({
  eventId: id,
  eventPubkey: pubkey,
  psbt: content,
  ...claimsOf(tags),
})

/** Why an event is refused as a sale: a closed list. */
export const EVENT_FAULTS = {
  event_kind: 'The event is of another kind than 802.',
  event_too_large: 'The event is larger than the largest that is read.',
  event_ambiguous: 'The event holds characters whose hash is not defined the same way everywhere.',
  wrong_network: 'The tag n names another network.',
  event_id_differs: 'The id of the event is not the hash of what it says.',
  event_signature_invalid: 'The signature of the event is not valid for its key.',
} as const

export interface EventFault {
  code: keyof typeof EVENT_FAULTS
  message: string
  /** Where in the event: a JSON pointer. */
  pointer: string
}

const FORGED: ReadonlySet<EventFault['code']> = new Set([
  'event_id_differs',
  'event_signature_invalid',
])

/**
 * Every reason against an event, the cheapest first; lazy, so a check runs only when it is reached.
 */
export function* faultsOfEvent(sale: NostrEvent, network: Network): Generator<EventFault> {
  const { kind } = sale
  if (kind !== SALE_EVENT_KIND) {
    const message = `kind ${kind} is not a sale: only 802 is accepted`
    yield { code: 'event_kind', message, pointer: '/kind' }
  }
  const beyond = faultsOfSize(sale)
  yield* beyond
  yield* faultsOfNetwork(sale, network)
  if (beyond.length > 0) return
  if (getEventHash(sale) !== sale.id) {
    const message = 'the id of the event is not the hash of what it says'
    yield { code: 'event_id_differs', message, pointer: '/id' }
  } else if (!isSignedEvent(sale)) {
    const message = 'the signature of the event is not valid for its key'
    yield { code: 'event_signature_invalid', message, pointer: '/sig' }
  }
}

const firstIssue = ([issue]: readonly { path: PropertyKey[]; message: string }[]): string =>
  issue ? `${issue.path.map(String).join('.') || 'the event'}: ${issue.message}` : 'no reason'

function faultsOfSize({ content, tags, created_at }: NostrEvent): EventFault[] {
  const faults: EventFault[] = []
  const unless = (holds: boolean, pointer: string, message: string): void => {
    if (!holds) faults.push({ code: 'event_too_large', message, pointer })
  }
  const { content: most, tags: mostTags, tagItems, tagItem } = LIMITS
  unless(content.length <= most, '/content', `the content is longer than ${most} characters`)
  unless(tags.length <= mostTags, '/tags', `the event has more than ${mostTags} tags`)
  unless(
    tags.every((tag) => tag.length <= tagItems),
    '/tags',
    `a tag has more than ${tagItems} items`,
  )
  unless(
    tags.flat().every((item) => item.length <= tagItem),
    '/tags',
    `an item of a tag is longer than ${tagItem} characters`,
  )
  unless(created_at <= LAST_CREATED_AT, '/created_at', 'created_at is not a time in Unix seconds')
  if (faults.length === 0 && [content, ...tags.flat()].some((text) => AMBIGUOUS.test(text))) {
    const message = 'the event holds characters whose hash is not defined the same way everywhere'
    faults.push({ code: 'event_ambiguous', message, pointer: '' })
  }
  return faults
}

/** Every tag `n` must name this network; an event without one is assumed to be for it. */
function faultsOfNetwork({ tags }: NostrEvent, network: Network): EventFault[] {
  const at = tags.findIndex(([name, value]) => name === 'n' && value !== network)
  if (at < 0) return []
  const named = JSON.stringify(tags[at]?.[1] ?? '').slice(0, 64)
  const message = `the event is of network ${named}, this is ${network}`
  return [{ code: 'wrong_network', message, pointer: `/tags/${at}/1` }]
}
