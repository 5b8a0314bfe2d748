import type { Database } from 'lmdb'
import { StoreLayoutError } from '../../../ports/log/storage-errors.ts'

/** Raised with a change of the tables after which records of before cannot be read. */
export const STORE_LAYOUT = 1

/** Where an environment keeps the layout that it was created with. */
export const LAYOUT_ENTRY = { table: 'meta', key: 'layout' } as const

/** Throws `StoreLayoutError` unless the environment of `directory` has this layout. */
export function requireLayout(directory: string, meta: Database<unknown, string>): void {
  const layout = meta.get(LAYOUT_ENTRY.key)
  if (layout === STORE_LAYOUT) return
  throw new StoreLayoutError(directory, typeof layout === 'number' ? layout : null, STORE_LAYOUT)
}
