import type { OrderEntries } from './order-entries.ts'

/** Entries as the script takes them: a bitmap with its words, terms, an ordered set with its member. */
interface EntryTexts {
  bits: [name: string, ...words: string[]][]
  terms: string[]
  members: [set: string, member: string][]
}

/** The entries that an order leaves and enters as it changes: most changes touch a few indexes. */
export function changeOfEntries(
  before: OrderEntries | null,
  after: OrderEntries,
): { leave: EntryTexts; enter: EntryTexts } {
  return { leave: missing(before, after), enter: missing(after, before) }
}

/** What the first has and the second lacks. */
function missing(one: OrderEntries | null, other: OrderEntries | null): EntryTexts {
  if (one === null) return { bits: [], terms: [], members: [] }
  return {
    bits: [...one.bits]
      .filter(([name]) => !other?.bits.has(name))
      .map(([name, words]) => [name, ...words]),
    terms: [...one.terms].filter((entry) => !other?.terms.has(entry)),
    members: [...one.members].filter(([set, member]) => other?.members.get(set) !== member),
  }
}
