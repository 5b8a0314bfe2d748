import { facetsOf, sellerAddress } from '../../../domain/listing/facets.ts'
import { foldText, wordsOf } from '../../../domain/listing/listing.ts'
import type { OrderRecord } from '../../../schemas/order-record.ts'
import { bandsOf, PRICE_BANDS, TIME_BANDS } from './bands.ts'
import {
  HELD,
  heldMember,
  membersOf,
  type SortRow,
  sortRowOf,
  UPDATED,
  updatedMember,
} from './sort-members.ts'

/** Raised with any change of what is stored: the views are then rebuilt from the log. */
export const LAYOUT = 1

/** An order's entries in the indexes; the script adds its slot. */
export interface OrderEntries {
  /** Names of the bitmaps that it is in, each with its entries in the dictionary of words. */
  bits: ReadonlyMap<string, readonly string[]>
  /** `class NUL text NUL` */
  terms: ReadonlySet<string>
  /** Of the ordered sets: one per sort, and those for ranges. */
  members: ReadonlyMap<string, string>
}

/** Ends each part of an entry; never occurs in a searchable text. */
export const END = '\0'

/** What can be found by prefix: order ids, txids, inscription ids, their numbers, addresses. */
export const FOUND = ['id', 'txid', 'inscription', 'number', 'address'] as const
export type Found = (typeof FOUND)[number]

/** A prefix up to this length has a bitmap: many orders share it. A longer one walks entries. */
const SHORT: Record<Found, (text: string) => number> = {
  id: () => 2,
  txid: () => 2,
  inscription: () => 2,
  number: () => 2,
  // All segwit addresses of a network begin with the same characters.
  address: (text) => (text.startsWith('bcrt') ? 7 : /^[bt]/.test(text) ? 5 : 2),
}

export const isShort = (found: Found, text: string): boolean => text.length <= SHORT[found](text)
export const shortName = (found: Found, prefix: string): string => `${found}^${prefix}`
export const term = (
  kind: Found | 'script' | 'outpoint' | 'offered' | 'funding',
  text: string,
): string => `${kind}${END}${text}`
/** What ends an entry: the slot of a term's, the bitmap of a word's. */
export const endOfEntry = (entry: string): string => entry.slice(entry.lastIndexOf(END) + 1)
export const slotInTerm = (entry: string): number => Number(endOfEntry(entry))
export const word = (text: string): string => `word${END}${text}`

/** The bitmap of the orders that an operator hides. */
export const HIDDEN = 'hidden'
/** The bitmap of the orders that name no market, whether or not they are listed under one. */
export const UNNAMED = 'unnamed'
/** The bitmap of the orders that watermarks vouch for, and those of each partition. */
export const HELD_BITS = 'held'
export const heldBits = (partition: number): string => `held:${partition}`

export function entriesOf(order: OrderRecord, partition: number): OrderEntries {
  const bits = new Map<string, readonly string[]>()
  const terms = new Set<string>()
  const facets = facetsOf(order)
  const { market, protocol, token, sellerScriptHex, outpoint, price, updatedAt, heldUnder } = facets
  const members = new Map<string, string>(membersOf(sortRowOf(order)))
  const flag = (name: string) => bits.set(name, [])
  const found = (kind: Found, text: string) => {
    terms.add(term(kind, text) + END)
    for (let length = 1; length <= Math.min(SHORT[kind](text), text.length); length += 1) {
      flag(shortName(kind, text.slice(0, length)))
    }
  }

  flag(`state:${facets.state}`)
  flag(`safety:${facets.safety}`)
  flag(`class:${facets.orderClass}`)
  flag(`signature:${facets.signature}`)
  if (facets.isHidden) flag(HIDDEN)
  if (facets.side) flag(`side:${facets.side}`)
  for (const source of facets.sources) flag(`source:${source}`)
  if (market !== null) flag(`protocol:${market}`)
  if (protocol === null) flag(UNNAMED)
  else bits.set(`protocol:${protocol}`, wordsOfMarket(protocol))
  if (token !== null) bits.set(`token:${token}`, wordsOfToken(token))

  if (price !== null) for (const band of bandsOf(PRICE_BANDS, BigInt(price))) flag(band)
  for (const band of bandsOf(TIME_BANDS, BigInt(Date.parse(updatedAt)))) flag(band)
  members.set(UPDATED, updatedMember(updatedAt, order.id))
  if (heldUnder !== null) {
    flag(HELD_BITS)
    flag(heldBits(partition))
    members.set(HELD, heldMember(partition, heldUnder, order.id))
  }

  found('id', facets.id)
  found('txid', outpoint.slice(0, outpoint.indexOf(':')))
  terms.add(term('offered', outpoint) + END)
  for (const paying of facets.funding) terms.add(term('funding', paying) + END)
  if (sellerScriptHex !== null) {
    terms.add(term('script', sellerScriptHex) + END)
    const address = sellerAddress(sellerScriptHex, order.network)
    if (address !== null) found('address', foldText(address))
  }
  for (const asset of facets.assets) {
    found('inscription', asset.inscriptionId)
    if (asset.number !== null) found('number', String(asset.number))
    terms.add(term('outpoint', asset.outpoint) + END)
  }
  return { bits, terms, members }
}

/** The dictionary entries of an order, from its sort row. */
export const wordEntriesOf = ([, , , , token, protocolId]: SortRow): string[] => [
  ...(protocolId === null ? [] : wordsOfMarket(protocolId)),
  ...(token === null ? [] : wordsOfToken(token)),
]

const wordsOfMarket = (id: string): string[] => named(`protocol:${id}`, [foldText(id)])
const wordsOfToken = (folded: string): string[] => named(`token:${folded}`, wordsOf(folded))
const named = (name: string, words: readonly string[]): string[] =>
  words.map((text) => `${word(text)}${END}${name}`)
