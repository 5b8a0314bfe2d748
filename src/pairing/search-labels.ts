import type { PairingReads } from '../ports/folds/pairing-store.ts'
import { beginningWith, byGram, GRAM } from './fold/index-rows.ts'

/** The characters a label may contain. */
const LABEL_TEXT = /^[a-z0-9._-]{1,32}$/

/** Rows of a list read in one go: to begin costs as much as some ten of them. */
const ROWS_AT_ONCE = 32

/**
 * The keys of the objects whose label contains `text` (lowercase), ascending, above `after`. A text of up to three
 * characters is one posting list; for a longer one the lists of its trigrams are read in turn, each
 * from where the one before ended. Every match is in each of them, so the shortest ends the search.
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
  let above = after
  for (let turn = 0; ; turn += 1) {
    const rows = rowsAbove(reads, lists[turn % lists.length] ?? '', above)
    for (const { objectKey, label } of rows) {
      if (label.includes(text)) yield objectKey
      above = objectKey
    }
    if (rows.length < ROWS_AT_ONCE) return
  }
}

function rowsAbove(
  reads: PairingReads,
  list: string,
  above: string,
): { objectKey: string; label: string }[] {
  const { below } = beginningWith(list)
  const from = above === '' ? list : list + behind(above)
  const rows = reads.rows.range({ from, below, limit: ROWS_AT_ONCE })
  return Array.from(rows, ({ key, value }) => {
    const objectKey = key.slice(list.length)
    return { objectKey, label: value || labelOf(reads, objectKey) }
  })
}

/** For rows of 0.9, which have no label. */
const labelOf = (reads: PairingReads, objectKey: string): string =>
  (reads.objects.get(objectKey)?.object.label ?? '').toLowerCase()

/** A lower bound just after this key, among keys of one length. */
const behind = (key: string): string => `${key}.`

function trigramsOf(text: string): string[] {
  const starts = Array.from({ length: text.length - GRAM + 1 }, (_, start) => start)
  return [...new Set(starts.map((start) => text.slice(start, start + GRAM)))]
}
