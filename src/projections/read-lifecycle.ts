import { faultOf } from '../domain/order/change-chain.ts'
import { ChainBreakError } from '../ports/log/chain-break.ts'
import type { Stored } from '../ports/log/event-log.ts'
import { NewerRecordError } from '../ports/log/newer-record.ts'
import type { StoredRows } from '../ports/views/history.ts'
import { type LifecycleRecord, parseLifecycle } from '../schemas/log.ts'

/**
 * A record of the lifecycle. Throws `NewerRecordError`, `ChainBreakError` for a change that is not what its
 * hash says, and `ZodError` for what is no such record.
 */
export function readLifecycle(value: unknown): LifecycleRecord {
  NewerRecordError.refuse(value)
  const record = parseLifecycle(value)
  const fault = record.kind === 'outcome' ? null : faultOf(record)
  if (record.kind !== 'outcome' && fault) throw new ChainBreakError(record, fault)
  return record
}

/** The change in a stored record of the lifecycle; none in an outcome. Throws as `readLifecycle`. */
export function changesOf({ partition, offset, value }: Stored<unknown>): StoredRows[] {
  const change = readLifecycle(value)
  return change.kind === 'outcome' ? [] : [{ partition, offset, change }]
}
