import { HistoryUnavailableError } from '../../../ports/views/history.ts'

/** A table or the database was dropped under an open engine: the schema is created again. */
export class SchemaGoneError extends HistoryUnavailableError {
  override name = 'SchemaGoneError'
}
