import { z } from 'zod'
import { OperatorError, UnavailableError } from '../../ports/base-errors.ts'
import { StorageUnavailableError } from '../../ports/log/storage-errors.ts'
import { HistoryUnavailableError } from '../../ports/views/history.ts'

/** The service refused: its message says why, and what to do. */
class DoorRefusedError extends OperatorError {
  override name = 'DoorRefusedError'
}

/** An error as it goes through the door. */
export const SentError = z.object({
  kind: z.enum(['history', 'store', 'operator', 'other']),
  reason: z.enum(['full', 'io', 'in-use', 'taken-over', 'closed', 'loading']).optional(),
  message: z.string(),
})
export type SentError = z.infer<typeof SentError>

export function sentError(error: unknown): SentError {
  const message = error instanceof Error ? error.message : String(error)
  if (error instanceof StorageUnavailableError)
    return { kind: 'store', reason: error.reason, message }
  if (error instanceof HistoryUnavailableError) return { kind: 'history', message }
  const isForPeople = error instanceof OperatorError || error instanceof UnavailableError
  return { kind: isForPeople ? 'operator' : 'other', message }
}

/** The error of the port, as if its part were in this process. */
export function receivedError({ kind, reason = 'io', message }: SentError): Error {
  switch (kind) {
    case 'store':
      return new StorageUnavailableError(reason, message)
    case 'history':
      return new HistoryUnavailableError(message)
    case 'operator':
      return new DoorRefusedError(message)
    case 'other':
      return new Error(`the service failed: ${message}`)
  }
}
