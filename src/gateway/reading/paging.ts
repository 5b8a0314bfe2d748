import { RefusalError } from '../refusal.ts'

/** Gateway spec 4.1, rule 1: paging is keyset, never offset. */
export function refuseOffset(offset: unknown): void {
  if (offset !== undefined) {
    throw new RefusalError('OFFSET_NOT_SUPPORTED', 'offset: is not supported, page with cursor')
  }
}

/** Bytes of a page's orders: with its other fields the answer is below 1 MiB. */
const MOST_BYTES = 1_046_528

/** How many leading orders, as JSON, keep an answer within its size; one at least. */
export function howManyFit(texts: readonly string[]): number {
  let bytes = 0
  const past = texts.findIndex((text) => {
    bytes += Buffer.byteLength(text) + 1
    return bytes > MOST_BYTES
  })
  return past === -1 ? texts.length : Math.max(past, 1)
}
