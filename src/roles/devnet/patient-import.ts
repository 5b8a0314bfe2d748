import { RefusalError } from '../../gateway/refusal.ts'
import type { Import } from './devnet-seed.ts'

/** Each as long as a client's wait for a verdict. */
const MAX_WAITS = 6

/**
 * On a busy machine a verdict may take longer than a client waits: repeating the import yields the
 * same order, and waits for the same verdict.
 */
export const patiently =
  (importOrder: Import): Import =>
  async (request) => {
    for (let wait = 1; ; wait += 1) {
      try {
        return await importOrder(request)
      } catch (error) {
        const mayCome = error instanceof RefusalError && error.code === 'STILL_BEING_VERIFIED'
        if (!mayCome || wait === MAX_WAITS) throw error
      }
    }
  }
