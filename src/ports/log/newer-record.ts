import { NEWEST_LOG_SCHEMA } from '../../schemas/log.ts'
import { OperatorError } from '../base-errors.ts'

/** A record has a form of a newer release: it is neither understood nor passed over (ADR 111). */
export class NewerRecordError extends OperatorError {
  override name = 'NewerRecordError'

  constructor(schema: number) {
    super(
      `the log has a record of schema ${schema}, but this release reads ${NEWEST_LOG_SCHEMA}: start the release that wrote it, or a later one`,
    )
  }

  /** Is this a record of a newer release? */
  static isOf(value: unknown): value is { schema: number } {
    if (typeof value !== 'object' || value === null || !('schema' in value)) return false
    return typeof value.schema === 'number' && value.schema > NEWEST_LOG_SCHEMA
  }

  /** Throws `NewerRecordError` for one; its reader stays where it is. */
  static refuse(value: unknown): void {
    if (NewerRecordError.isOf(value)) throw new NewerRecordError(value.schema)
  }
}
