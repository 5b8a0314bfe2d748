import { OperatorError } from '../base-errors.ts'

/** A store that is made of the log, and how it is made anew. */
export interface MadeOfLog {
  name: string
  remedy: string
}

/**
 * A store has followed a partition further than the log goes: read on from there, it would lack
 * changes. Its reader stays where it is.
 */
export class AheadOfLogError extends OperatorError {
  override name = 'AheadOfLogError'
  /** Names what was found, the same each time. */
  readonly finding: string

  constructor(store: MadeOfLog, partition: number, { from, end }: { from: number; end: number }) {
    const finding = `the ${store.name} of partition ${partition}`
    super(
      `${finding} are at offset ${from}, and the log ends at ${end}: they followed another log, or this ` +
        `one before it was restored; ${store.remedy}`,
    )
    this.finding = finding
  }
}
