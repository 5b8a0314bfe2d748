import { RefusalError } from '../refusal.ts'

/** Gateway spec 4.1, rule 1: paging is keyset, never offset. */
export function refuseOffset(offset: unknown): void {
  if (offset !== undefined) {
    throw new RefusalError('OFFSET_NOT_SUPPORTED', 'offset: is not supported, page with cursor')
  }
}

/** Bytes of a page's orders: with its other fields the answer is below 1 MiB. */
export const PAGE_BYTES = 1_046_528

/** Says of each order of a page, as JSON, whether the answer with it keeps within its size. */
export function roomOfPage(): (body: Buffer) => boolean {
  let bytes = 0
  return ({ length }) => {
    const isFirst = bytes === 0
    bytes += length + 1
    return isFirst || bytes <= PAGE_BYTES
  }
}
