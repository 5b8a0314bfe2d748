import type { OrderId } from '../../schemas/scalars.ts'
import { OperatorError } from '../base-errors.ts'

/**
 * A change in the lifecycle does not follow the one before it, or is not what its hash says: no worker
 * wrote the log as it is now. Its reader stays where it is.
 */
export class ChainBreakError extends OperatorError {
  override name = 'ChainBreakError'
  readonly orderId: OrderId
  readonly seq: number

  constructor({ orderId, seq }: { orderId: OrderId; seq: number }, why: string) {
    super(`order ${orderId}: change ${seq} ${why}: \`market audit\` says what else is wrong`)
    this.orderId = orderId
    this.seq = seq
  }
}
