import type { PairingReads } from '../ports/folds/pairing-store.ts'
import { beginningWith, byGram, GRAM } from './fold/index-rows.ts'

/** The characters a label may contain. */
const LABEL_TEXT = /^[a-z0-9._-]{1,32}$/

/**
 * The keys of the objects whose label contains `text` (lowercase), ascending, above `after`. A text of up to three
 * characters is one posting list; for a longer one the lists of all its trigrams are intersected,
 * each skipping ahead to where the others are, and labels in all of them are checked.
 */
export function* searchLabels(reads: PairingReads, text: string, after: string): Generator<string> {
  if (!LABEL_TEXT.test(text)) return
  if (text.length > GRAM) yield* searchTrigrams(reads, text, after)
  else {
    const prefix = byGram(text)
    const range = beginningWith(prefix)
    const from = after === '' ? range.from : prefix + behind(after)
    for (const key of reads.rows.keys({ ...range, from })) yield key.slice(prefix.length)
  }
}

function* searchTrigrams(reads: PairingReads, text: string, after: string): Generator<string> {
  const lists = trigramsOf(text).map((gram) => byGram(gram))
  let at = after === '' ? '' : behind(after)
  let agreeing = 0
  for (let list = 0; ; list = (list + 1) % lists.length) {
    const next = firstFrom(reads, lists[list] ?? '', at)
    if (next === null) return
    agreeing = next === at ? agreeing + 1 : 1
    at = next
    if (agreeing < lists.length) continue
    if (reads.objects.get(at)?.object.label.toLowerCase().includes(text)) yield at
    at = behind(at)
    agreeing = 0
  }
}

function firstFrom(reads: PairingReads, list: string, from: string): string | null {
  const { below } = beginningWith(list)
  const [key] = reads.rows.keys({ from: list + from, below, limit: 1 })
  return key === undefined ? null : key.slice(list.length)
}

/** A lower bound just after this key, among keys of one length. */
const behind = (key: string): string => `${key}.`

function trigramsOf(text: string): string[] {
  const starts = Array.from({ length: text.length - GRAM + 1 }, (_, start) => start)
  return [...new Set(starts.map((start) => text.slice(start, start + GRAM)))]
}
