import type { Stored } from '../ports/log/event-log.ts'
import { NewerRecordError } from '../ports/log/newer-record.ts'
import type { StoredRows } from '../ports/views/history.ts'
import { type LifecycleRecord, parseLifecycle } from '../schemas/log.ts'

/** A record of the lifecycle. Throws `NewerRecordError`, and `ZodError` for what is no such record. */
export function readLifecycle(value: unknown): LifecycleRecord {
  NewerRecordError.refuse(value)
  return parseLifecycle(value)
}

/** The change in a stored record of the lifecycle; none in an outcome. Throws as `readLifecycle`. */
export function changesOf({ partition, offset, value }: Stored<unknown>): StoredRows[] {
  const change = readLifecycle(value)
  return change.kind === 'outcome' ? [] : [{ partition, offset, change }]
}
