import { type Part, UnavailableError } from '../base-errors.ts'
import { StorageUnavailableError } from '../log/storage-errors.ts'

/** A part that this process uses and does not contain. */
export type OutsidePart = 'kafka' | 'redis' | 'history' | 'node' | 'index'

const OUTSIDE: Partial<Record<Part, OutsidePart>> = {
  node: 'node',
  block: 'node',
  index: 'index',
  history: 'history',
}

/** The part outside of this process that gave no answer; null: none, or it is not known which. */
export function outsidePartOf(error: unknown): OutsidePart | null {
  if (!(error instanceof UnavailableError)) return null
  const own = error instanceof StorageUnavailableError ? error.store : OUTSIDE[error.part]
  return own ?? outsidePartOf(error.cause)
}
