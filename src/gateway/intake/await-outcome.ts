import { partitionOf } from '../../domain/order/partition.ts'
import type { EventLog } from '../../ports/log/event-log.ts'
import { StorageUnavailableError } from '../../ports/log/storage-errors.ts'
import type { StoredOrder } from '../../ports/views/order-views.ts'
import { untilAborted } from '../../runtime/until-aborted.ts'
import { type CommandRecord, type RefusedOutcome, TOPICS } from '../../schemas/log.ts'
import type { Gateway } from '../gateway.ts'
import { isErrorCode, RefusalError } from '../refusal.ts'
import { inWaitingTime } from '../waiting-time.ts'

/**
 * Hands a command to its order's actor and waits for the outcome
 * (docs/design/freshness.md#request-and-reply). Once the log has the command, it is not lost, even
 * if the wait ends early.
 *
 * @throws RefusalError the actor's own refusal; STORAGE_UNAVAILABLE if the log did not take the command;
 *   STILL_BEING_VERIFIED if no outcome came in time, or `signal` aborted.
 */
export async function awaitOutcome(
  gateway: Pick<Gateway, 'log' | 'views' | 'clock' | 'settings'>,
  command: CommandRecord,
  signal: AbortSignal,
): Promise<StoredOrder> {
  const stored = await inWaitingTime(gateway, signal, async (deadline) => {
    await appendCommand(gateway, command, deadline)
    return gateway.views.waitForOutcome(command.requestId, deadline)
  })
  if (stored === null) {
    const reason = `order ${command.orderId} is still being verified: read it later`
    throw new RefusalError('STILL_BEING_VERIFIED', reason)
  }
  if (stored.outcome.status === 'refused') throw refusedBy(stored.outcome)
  const order = await gateway.views.order(command.orderId)
  if (order === null) throw new Error(`order ${command.orderId} has an outcome and no view`)
  return order
}

/** What an order's statechart refuses. */
export const refusedBy = ({ code, message }: RefusedOutcome): RefusalError =>
  new RefusalError(isErrorCode(code) ? code : 'BAD_REQUEST', message)

/**
 * Once it resolves, the command is not lost. If it throws, the log may still take the command,
 * unless `deadline` had aborted before: repeating the request yields the same order.
 *
 * @throws RefusalError STORAGE_UNAVAILABLE if the log did not take it before `deadline` aborted, or at all
 */
export async function appendCommand(
  { log }: { log: Pick<EventLog, 'append' | 'partitions'> },
  command: CommandRecord,
  deadline?: AbortSignal,
): Promise<void> {
  if (deadline?.aborted) throw new RefusalError('STORAGE_UNAVAILABLE', NOT_STORED)
  const partition = partitionOf(command.outpoint, log.partitions)
  const record = { topic: TOPICS.inbox, partition, key: command.outpoint, value: command }
  try {
    const appended = log.append([record])
    // A log that hangs blocks no caller beyond its waiting time.
    await (deadline ? untilAborted(appended, deadline, logIsSilent) : appended)
  } catch (cause) {
    throw new RefusalError('STORAGE_UNAVAILABLE', NOT_STORED, { cause })
  }
}

const NOT_STORED = 'the request could not be stored: try again'

const logIsSilent = (): never => {
  throw new StorageUnavailableError('io', 'the log does not answer')
}
