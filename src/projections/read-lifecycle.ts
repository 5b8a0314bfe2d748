import { NewerRecordError } from '../ports/log/newer-record.ts'
import { type LifecycleRecord, parseLifecycle } from '../schemas/log.ts'

/** A record of the lifecycle. Throws `NewerRecordError`, and `ZodError` for what is no such record. */
export function readLifecycle(value: unknown): LifecycleRecord {
  NewerRecordError.refuse(value)
  return parseLifecycle(value)
}
