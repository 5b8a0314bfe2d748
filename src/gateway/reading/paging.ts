import { RefusalError } from '../refusal.ts'

/** Gateway spec 4.1, rule 1: paging is keyset, never offset. */
export function refuseOffset(offset: unknown): void {
  if (offset !== undefined) {
    throw new RefusalError('OFFSET_NOT_SUPPORTED', 'offset: is not supported, page with cursor')
  }
}
