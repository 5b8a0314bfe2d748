import { Refusal } from './refusal.ts'

/** Spec 4.1, rule 1: paging is keyset, never offset. */
export function refuseOffset(offset: unknown): void {
  if (offset !== undefined) {
    throw new Refusal('OFFSET_NOT_SUPPORTED', 'offset: is not supported, page with cursor')
  }
}
